"""Decimation that keeps spikes: a bucket is the least and the greatest of its samples; rings of
buckets, each four times as wide as those below, hold the past in bounded memory."""

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


_WIDER = 4  # times, from level to level


_ROOM = 1 << 20  # numbers that the least or greatest values of a level may have


_FEWEST, _MOST = 128, 1024  # buckets of a level


_LEVELS = 16  # of 8 ms up to 8 million s


class _Level:
    """A ring of the last buckets of one width."""

    def __init__(self, width: float, traces: int, room: int) -> None:
        self.width, self.room = width, room
        self.index = np.full(room, -1, dtype=np.int64)
        self.time = np.empty(room)
        self.low = np.empty((room, traces), dtype=np.float32)
        self.high = np.empty((room, traces), dtype=np.float32)
        self.written = 0  # buckets so far

    def add(self, index: np.ndarray, new: Buckets) -> None:
        """Buckets with their numbers; the first may go on with the last there is."""
        first = 0
        last = (self.written - 1) % self.room
        if self.written and len(index) and index[0] == self.index[last]:
            self.low[last] = np.fmin(self.low[last], new.low[0])
            self.high[last] = np.fmax(self.high[last], new.high[0])
            first = 1
        for begin in range(first, len(index), self.room):  # more at once than the ring takes
            end = min(begin + self.room, len(index))
            places = (self.written + np.arange(end - begin)) % self.room
            self.index[places], self.time[places] = index[begin:end], new.time[begin:end]
            self.low[places], self.high[places] = new.low[begin:end], new.high[begin:end]
            self.written += end - begin

    @property
    def places(self) -> np.ndarray:
        """Where the buckets are, the oldest first."""
        count = min(self.written, self.room)
        return (self.written - count + np.arange(count)) % self.room

    @property
    def full(self) -> bool:
        """Whether the next bucket costs the oldest."""
        return self.written >= self.room

    @property
    def since(self) -> float:
        """The time of the oldest bucket."""
        return float(self.time[self.places[0]]) if self.written else np.inf

    def picked(self, columns: list[int]) -> Buckets:
        """All buckets of some traces."""
        places = self.places
        low, high = (np.asarray(x[places][:, columns], float) for x in (self.low, self.high))
        return Buckets(self.time[places], low, high)


class Pyramid:
    """The past of n traces whose samples come block by block."""

    def __init__(self, traces: int, width: float) -> None:
        self.traces = traces
        self.room = int(np.clip(_ROOM // max(traces, 1), _FEWEST, _MOST))
        self.levels = [_Level(width, traces, self.room)]

    def add(self, time: Floats, values: Floats) -> None:
        """Samples (N,), (N, n), later than those before."""
        if not len(time):
            return
        index = bucket_of(time, self.levels[0].width)
        index, new = grouped(index, time, values, values)
        for place in range(_LEVELS):
            level = self.levels[place]
            if place + 1 == len(self.levels) and level.written + len(index) > self.room:
                self._grow()
            level.add(index, new)
            if place + 1 == len(self.levels):
                return
            index, new = grouped(index // _WIDER, new.time, new.low, new.high)

    def _grow(self) -> None:
        """Another level, of what the last one holds before it forgets."""
        last = self.levels[-1]
        if len(self.levels) == _LEVELS:
            return
        self.levels.append(_Level(last.width * _WIDER, self.traces, self.room))
        known = last.picked(list(range(self.traces)))
        index = last.index[last.places] // _WIDER
        self.levels[-1].add(*grouped(index, known.time, known.low, known.high))

    def past(self, columns: list[int], start: float, end: float, width: float) -> Buckets:
        """Buckets of some traces over a span: of the widest level that is fine enough where it
        reaches back so far, else of the finest that does; the freshest part is always as fine as
        it can be asked for."""
        reaching = [level for level in self.levels if level.since <= start or not level.full]
        fine = [level for level in reaching if level.width <= width]
        if fine:
            return fine[-1].picked(columns).within(start, end)
        return self._stacked(columns, start, end, width)

    def _stacked(self, columns: list[int], start: float, end: float, width: float) -> Buckets:
        """Each stretch of the past from the finest level that still has it, but none finer than
        asked for."""
        parts: list[Buckets] = []
        until = end
        for level in [x for x in self.levels if x.width >= width] or self.levels[-1:]:
            found = level.picked(columns).within(start, end)
            keep = found.time < until if parts else np.full(len(found), True)
            if keep.any():
                parts.insert(0, Buckets(found.time[keep], found.low[keep], found.high[keep]))
                until = float(found.time[0])
            if level.since <= start or not level.full:
                break
        return Buckets.joined(parts, len(columns))
