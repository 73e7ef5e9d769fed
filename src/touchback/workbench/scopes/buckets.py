"""Honest decimation: a bucket is the least and the greatest of its samples, so that a spike of one
tick is as high on the page as it was in the run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

Floats = np.ndarray


@dataclass(frozen=True)
class Buckets:
    """B buckets of n traces: the time of each one's first sample (B,), least and greatest values
    (B, n). One that holds NaN is a gap."""

    time: Floats
    low: Floats
    high: Floats

    def __len__(self) -> int:
        return len(self.time)

    @classmethod
    def none(cls, traces: int) -> Buckets:
        """No buckets."""
        return cls(np.empty(0), np.empty((0, traces)), np.empty((0, traces)))

    @classmethod
    def gap(cls, time: float, traces: int) -> Buckets:
        """A bucket that shows that there is nothing at a time."""
        return cls(np.array([time]), *np.full((2, 1, traces), np.nan))

    @classmethod
    def joined(cls, parts: list[Buckets], traces: int) -> Buckets:
        """One after the other."""
        parts = [cls.none(traces), *parts]
        return cls(
            np.concatenate([part.time for part in parts]),
            np.concatenate([part.low for part in parts]),
            np.concatenate([part.high for part in parts]),
        )

    def within(self, start: float, end: float) -> Buckets:
        """Those that begin in a span, and the one before, which may reach into it."""
        first = max(int(np.searchsorted(self.time, start, "right")) - 1, 0)
        last = int(np.searchsorted(self.time, end, "right"))
        return Buckets(self.time[first:last], self.low[first:last], self.high[first:last])

    def packed(self) -> bytes:
        """Float32 numbers: of each bucket its seconds since the first, then least and greatest of
        each trace. The first one's time comes apart, as a double."""
        count, traces = self.low.shape
        rows = np.empty((count, 1 + 2 * traces), dtype="<f4")
        rows[:, 0] = self.time - (self.time[0] if count else 0.0)
        rows[:, 1::2], rows[:, 2::2] = self.low, self.high
        return rows.tobytes()


def grouped(index: np.ndarray, time: Floats, low: Floats, high: Floats) -> tuple[Floats, Buckets]:
    """Neighbours of the same index as one bucket, with the index of each; (N, n) values."""
    if not len(index):
        return index, Buckets(time, low, high)
    starts = np.flatnonzero(np.concatenate([[True], index[1:] != index[:-1]]))
    return index[starts], Buckets(
        time[starts], np.fmin.reduceat(low, starts), np.fmax.reduceat(high, starts)
    )


def bucketed(time: Floats, values: Floats, width: float) -> Buckets:
    """Samples (N, n) in buckets that begin at multiples of a width [s]."""
    return grouped(bucket_of(time, width), time, values, values)[1]


def bucket_of(time: Floats, width: float) -> np.ndarray:
    """The number of the bucket that each time lies in. (A tick at 0.3 s is a hair before it in
    doubles, and belongs to what begins there.)"""
    return np.floor(time / width + 1e-6).astype(np.int64)


def coarser(buckets: Buckets, width: float) -> Buckets:
    """Wider buckets of finer ones; gaps stay, as buckets of their own."""
    index = bucket_of(buckets.time, width)
    gaps = np.isnan(buckets.low).all(axis=1)
    # A gap ends a bucket: twice the index, one more for a gap, tells it from its neighbours.
    return grouped(2 * index + gaps, buckets.time, buckets.low, buckets.high)[1]
