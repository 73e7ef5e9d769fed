"""A scope's stream to a page: buckets of its traces as they come."""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence

import numpy as np

from touchback.errors import InputError
from touchback.workbench.scopes.buckets import Buckets, bucket_of, grouped
from touchback.workbench.scopes.traces import values_of

Floats = np.ndarray
FASTEST = 1000.0  # buckets a second
ROWS = 2  # type of the frame
_HEAD = struct.Struct("<BBHId")
_NUMBER = struct.Struct("<I")


class Stream:
    """Turns blocks of rows into frames. Each block's frame begins with the bucket that the one
    before left unfinished, which it replaces, and ends with the newest tick's values: of those a
    bucket, which is a least and a greatest value, tells nothing."""

    def __init__(
        self, number: int, texts: Sequence[str], per_second: float, send: Callable[[bytes], None]
    ) -> None:
        if not 0.0 < per_second <= FASTEST:
            raise InputError(
                f"A scope has up to {FASTEST:g} buckets a second, got {per_second:g}; ask for "
                "finer ones of the past."
            )
        self.number, self.texts, self.width, self._send = number, tuple(texts), 1 / per_second, send
        self._columns: tuple[str, ...] = ()
        self._open: tuple[int, Buckets] | None = None  # the last bucket, and its place

    def take(self, columns: tuple[str, ...], rows: Floats) -> None:
        """Rows of ticks."""
        self._send(self.frame(columns, rows))

    def frame(self, columns: tuple[str, ...], rows: Floats, structure: int = 0) -> bytes:
        """The frame of a block."""
        signals = {name: rows[:, place] for place, name in enumerate(columns)}
        time = signals["time"]
        values = np.stack([values_of(text, signals, len(rows)) for text in self.texts], axis=1)
        index, new = grouped(bucket_of(time, self.width), time, values, values)
        parts: list[Buckets] = []
        if columns != self._columns and self._columns:
            parts, self._open = [Buckets.gap(float(time[0]), len(self.texts))], None
        self._columns = columns
        if self._open is not None and self._open[0] == index[0]:
            _, before = self._open
            new = Buckets(
                np.concatenate([before.time, new.time[1:]]),
                np.concatenate([np.fmin(before.low, new.low[:1]), new.low[1:]]),
                np.concatenate([np.fmax(before.high, new.high[:1]), new.high[1:]]),
            )
        self._open = int(index[-1]), Buckets(new.time[-1:], new.low[-1:], new.high[-1:])
        found = Buckets.joined([*parts, new], len(self.texts))
        return rows_frame(self.number, found, values[-1], structure)


def rows_frame(number: int, buckets: Buckets, newest: Floats, structure: int = 0) -> bytes:
    """Buckets of a subscription, little-endian: type 2, 1, structure, count, the first one's time,
    the subscription's number, then each bucket's seconds since, least and greatest of each; at the
    end the newest tick's value of each."""
    since = float(buckets.time[0]) if len(buckets) else 0.0
    head = _HEAD.pack(ROWS, 1, structure & 0xFFFF, len(buckets), since)
    return head + _NUMBER.pack(number) + buckets.packed() + newest.astype("<f4").tobytes()
