"""The last seconds of a run at full rate, in bounded memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np

from touchback.workbench.scopes.traces import values_of

Floats = np.ndarray
_NUMBERS, _ROWS = 1 << 16, 1024  # of a chunk, at most about


class _Chunk:
    """Rows of one structure, filled from the top."""

    def __init__(self, columns: tuple[str, ...]) -> None:
        self.columns = columns
        self.places = {name: place for place, name in enumerate(columns)}
        rows = min(max(_NUMBERS // len(columns), 64), _ROWS)
        self.rows = np.empty((rows, len(columns)))
        self.count = 0

    @property
    def time(self) -> Floats:
        return self.rows[: self.count, self.places["time"]]

    def signals(self, first: int, last: int) -> dict[str, Floats]:
        return {name: self.rows[first:last, place] for name, place in self.places.items()}


class Samples:
    """A ring of chunks of rows: at most so many seconds, and so many bytes."""

    def __init__(self, seconds: float, most_bytes: int) -> None:
        self.seconds, self.most_bytes = seconds, most_bytes
        self._chunks: deque[_Chunk] = deque()

    def add(self, columns: tuple[str, ...], rows: Floats) -> None:
        """Rows of ticks, later than those before."""
        while len(rows):
            last = self._chunks[-1] if self._chunks else None
            if last is None or last.columns != columns or last.count == len(last.rows):
                last = _Chunk(columns)
                self._chunks.append(last)
            some = rows[: len(last.rows) - last.count]
            last.rows[last.count : last.count + len(some)] = some
            last.count += len(some)
            rows = rows[len(some) :]
        self._forget()

    def _forget(self) -> None:
        held = sum(chunk.rows.nbytes for chunk in self._chunks)
        while len(self._chunks) > 1:
            oldest = self._chunks[0]
            late = self._chunks[-1].time[-1] - oldest.time[-1] > self.seconds
            if not late and held <= self.most_bytes:
                return
            held -= oldest.rows.nbytes
            self._chunks.popleft()

    @property
    def since(self) -> float:
        """The time of the oldest row; infinite when there is none."""
        return float(self._chunks[0].time[0]) if self._chunks else np.inf

    @property
    def until(self) -> float:
        """The time of the newest row."""
        return float(self._chunks[-1].time[-1]) if self._chunks else -np.inf

    def values(self, texts: Sequence[str], start: float, end: float) -> list[tuple[Floats, Floats]]:
        """Times (N,) and values (N, n) of traces at the rows of a span, apart for each structure,
        so that nobody draws a line from one to the next."""
        parts: list[tuple[tuple[str, ...], list[Floats], list[Floats]]] = []
        for chunk in self._chunks:
            first, last = (
                np.searchsorted(chunk.time, start),
                np.searchsorted(chunk.time, end, "right"),
            )
            if first == last:
                continue
            signals = chunk.signals(int(first), int(last))
            found = [values_of(text, signals, int(last - first)) for text in texts]
            if not parts or parts[-1][0] != chunk.columns:
                parts.append((chunk.columns, [], []))
            parts[-1][1].append(signals["time"])
            parts[-1][2].append(np.stack(found, axis=1))
        return [(np.concatenate(times), np.concatenate(values)) for _, times, values in parts]
