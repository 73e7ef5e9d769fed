"""The past of signals in bounded memory: rings of buckets, each four times as wide as those below.

Level 0 holds the last buckets of a few ticks; a level is made when the one below it has gone round
once, so that all of them together reach back to the start at any time, with memory that grows by
the logarithm of the run's length.
"""

from __future__ import annotations

import numpy as np

from touchback.workbench.scopes.buckets import Buckets, bucket_of, grouped

Floats = np.ndarray
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
