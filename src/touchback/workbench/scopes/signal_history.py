"""The past of a run, live or recorded: its last seconds at full rate, all of it as buckets."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from touchback import Run
from touchback.workbench.scopes.decimation import Buckets, Pyramid, bucketed, coarser
from touchback.workbench.scopes.trace_expressions import check_traces, unit_of, values_of

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

    def newest(self, columns: tuple[str, ...], start: float) -> Floats:
        """Rows from a time on, of those with the same columns that came last."""
        parts = list[Floats]()
        for chunk in reversed(self._chunks):
            if chunk.columns != columns or chunk.time[-1] < start:
                break
            parts.append(chunk.rows[np.searchsorted(chunk.time, start) : chunk.count])
        return np.concatenate([np.empty((0, len(columns))), *reversed(parts)])

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


Listener = Callable[[tuple[str, ...], Floats], None]


_TICKS = 8  # of the finest buckets that are kept of everything


_SECONDS, _BYTES = 60.0, 48 << 20  # kept at full rate


_STRUCTURES = 32  # whose past is remembered


_EXPRESSIONS = 64


class _Span:
    """The past of all signals of one structure."""

    def __init__(self, columns: tuple[str, ...], since: float, rate: float) -> None:
        self.columns, self.since, self.until = columns, since, since
        self.past = Pyramid(len(columns), _TICKS / rate)
        self.places = {name: place for place, name in enumerate(columns)}


class History:
    """Takes every row of a run (`take` is what `live.tap` calls), tells its past."""

    def __init__(self, rate: float, seconds: float = _SECONDS, most_bytes: int = _BYTES) -> None:
        self.rate = rate
        self.units: dict[str, str] = {}
        self.known: dict[str, None] = {}  # signals that there are or were, in order
        self._samples = Samples(seconds, most_bytes)
        self._spans: list[_Span] = []
        self._expressions: OrderedDict[str, list[Pyramid]] = OrderedDict()
        self._listeners: list[Listener] = []
        self._lock = threading.RLock()

    # ---- what comes in --------------------------------------------------------------------------

    def take(self, columns: Sequence[str], rows: Floats, units: Mapping[str, str]) -> None:
        """Rows of ticks, with the names and units of their columns."""
        if not len(rows):
            return
        names = tuple(columns)
        with self._lock:
            time = rows[:, names.index("time")]
            if self._spans and time[0] < self._spans[-1].until:  # (a paused run's stands still)
                self._restart()
            if not self._spans or self._spans[-1].columns != names:
                self._begin(names, float(time[0]), units)
            span = self._spans[-1]
            span.past.add(time, rows)
            span.until = float(time[-1])
            self._samples.add(names, rows)
            signals = {name: rows[:, place] for name, place in span.places.items()}
            for text, pasts in self._expressions.items():
                pasts[-1].add(time, values_of(text, signals, len(rows))[:, None])
            listeners = list(self._listeners)
            for listener in listeners:
                listener(names, rows)

    def expect(self, columns: Sequence[str], units: Mapping[str, str]) -> None:
        """What rows will have: a page may ask for it before the first of them is drained."""
        with self._lock:
            self.units |= dict(units)
            self.known |= dict.fromkeys(columns)

    def _begin(self, names: tuple[str, ...], time: float, units: Mapping[str, str]) -> None:
        self._spans.append(_Span(names, time, self.rate))
        del self._spans[:-_STRUCTURES]
        self.units |= dict(units)
        self.known |= dict.fromkeys(names)
        for pasts in self._expressions.values():
            pasts.append(Pyramid(1, _TICKS / self.rate))
            del pasts[:-_STRUCTURES]

    def _restart(self) -> None:
        """The time of the model went back: what was is another run's past."""
        self._samples = Samples(self._samples.seconds, self._samples.most_bytes)
        self._spans.clear()
        for pasts in self._expressions.values():
            pasts.clear()

    # ---- what is told ---------------------------------------------------------------------------

    @property
    def span(self) -> tuple[float, float]:
        """The first and the last time that is known of; (0, 0) before the first row."""
        with self._lock:
            return (self._spans[0].since, self._spans[-1].until) if self._spans else (0.0, 0.0)

    @property
    def full_since(self) -> float:
        """From when on there are full rows; infinite before the first row."""
        with self._lock:
            return self._samples.since

    def unit(self, text: str) -> str:
        """The unit of a trace."""
        return unit_of(text, self.units)

    def check(self, texts: Sequence[str]) -> None:
        """Refuses traces that can't be shown; remembers expressions from now on."""
        with self._lock:
            check_traces(texts, self.known)
            for text in texts:
                if text not in self.known:
                    self._keep(text)

    def _keep(self, text: str) -> None:
        if text in self._expressions:
            self._expressions.move_to_end(text)
            return
        pasts = [Pyramid(1, _TICKS / self.rate) for _ in self._spans]
        for time, values in self._samples.values([text], -np.inf, np.inf):
            place = next(
                (k for k, span in enumerate(self._spans) if span.until >= time[-1]),
                len(pasts) - 1,
            )
            pasts[place].add(time, values)
        self._expressions[text] = pasts
        while len(self._expressions) > _EXPRESSIONS:
            self._expressions.popitem(last=False)

    def past(self, texts: Sequence[str], start: float, end: float, count: int) -> Buckets:
        """At most some `count` buckets over a span: of full rows where there are, else of what is
        remembered. A gap, a bucket of NaN, is between structures."""
        self.check(texts)
        width = max((end - start) / count, 0.5 / self.rate)
        with self._lock:
            if start >= self._samples.since or self._samples.since <= self.span[0]:
                parts = self._samples.values(texts, start, end)
                found = [bucketed(time, values, width) for time, values in parts]
            else:
                found = [
                    self._remembered(place, texts, start, end, width)
                    for place in range(len(self._spans))
                ]
        found = [each for each in found if len(each)]
        gaps = [Buckets.gap(after.time[0], len(texts)) for _, after in pairwise(found)]
        mixed = [x for pair in zip(found, gaps) for x in pair] + found[len(gaps) :]
        return coarser(Buckets.joined(mixed, len(texts)), width)

    def _remembered(
        self, place: int, texts: Sequence[str], start: float, end: float, width: float
    ) -> Buckets:
        """Of one structure; each trace on its own, for they may reach back differently."""
        span = self._spans[place]
        if span.until < start or span.since > end:
            return Buckets.none(len(texts))
        columns = [
            span.past.past([span.places[text]], start, end, width)
            if text in span.places
            else self._expressed(place, text, start, end, width)
            for text in texts
        ]
        return _beside(columns, width)

    def _expressed(self, place: int, text: str, start: float, end: float, width: float) -> Buckets:
        pasts = self._expressions.get(text, [])
        back = len(self._spans) - place
        if back > len(pasts):
            return Buckets.none(1)
        return pasts[-back].past([0], start, end, width)

    def rows(self, texts: Sequence[str], start: float, end: float) -> tuple[Floats, Floats]:
        """Times (N,) and values (N, n) of traces at full rate, of what is kept of a span."""
        self.check(texts)
        with self._lock:
            parts = self._samples.values(texts, start, end)
        times = np.concatenate([np.empty(0), *(time for time, _ in parts)])
        values = np.concatenate([np.empty((0, len(texts))), *(x for _, x in parts)])
        return moving(times, values)

    def newest(self, seconds: float) -> tuple[tuple[str, ...], Floats]:
        """Columns and full rows of the last seconds of the structure that there is now, each
        instant once."""
        with self._lock:
            if not self._spans:
                return ("time",), np.empty((0, 1))
            columns = self._spans[-1].columns
            rows = self._samples.newest(columns, self._samples.until - seconds)
        return columns, moving(rows[:, columns.index("time")], rows)[1]

    # ---- who listens ----------------------------------------------------------------------------

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Calls with every block of rows from now on; what it gives ends that."""
        with self._lock:
            self._listeners.append(listener)

        def end() -> None:
            with self._lock:
                if listener in self._listeners:
                    self._listeners.remove(listener)

        return end


def moving(time: Floats, values: Floats) -> tuple[Floats, Floats]:
    """Of ticks at the same time, as a run that is held or paused has them, the last."""
    last = np.concatenate([time[1:] != time[:-1], np.ones(min(len(time), 1), dtype=bool)])
    return (time, values) if last.all() else (time[last], values[last])


def _beside(columns: list[Buckets], width: float) -> Buckets:
    """Buckets of single traces as buckets of all: at the times that any of them has."""
    if all(np.array_equal(each.time, columns[0].time) for each in columns):
        low, high = (np.concatenate([getattr(x, n) for x in columns], 1) for n in ("low", "high"))
        return Buckets(columns[0].time, low, high)
    time = np.unique(np.concatenate([each.time for each in columns]))
    low, high = np.full((2, len(time), len(columns)), np.nan)
    for place, each in enumerate(columns):
        at = np.searchsorted(time, each.time)
        low[at, place], high[at, place] = each.low[:, 0], each.high[:, 0]
    return coarser(Buckets(time, low, high), width)


class Recorded:
    """The signals of a run, or of a recording, over its whole length."""

    def __init__(self, run: Run) -> None:
        self.time = run.time
        self.signals = {"time": run.time, **run.signals}
        self.units = {"time": "s", **run.units}
        self.known = dict.fromkeys(self.signals)

    @property
    def span(self) -> tuple[float, float]:
        """The first and the last time."""
        return (float(self.time[0]), float(self.time[-1])) if len(self.time) else (0.0, 0.0)

    @property
    def full_since(self) -> float:
        """From when on there are full rows: all of it."""
        return self.span[0]

    def unit(self, text: str) -> str:
        """The unit of a trace."""
        return unit_of(text, self.units)

    def check(self, texts: Sequence[str]) -> None:
        """Refuses traces that can't be shown."""
        check_traces(texts, self.known)

    def past(self, texts: Sequence[str], start: float, end: float, count: int) -> Buckets:
        """At most some `count` buckets over a span; what a structure didn't have is a gap."""
        time, values = self.rows(texts, start, end)
        if len(time) <= count:
            return Buckets(time, values, values)
        return bucketed(time, values, (end - start) / count)

    def rows(self, texts: Sequence[str], start: float, end: float) -> tuple[Floats, Floats]:
        """Times (N,) and values (N, n) of traces at full rate."""
        self.check(texts)
        first, last = np.searchsorted(self.time, start), np.searchsorted(self.time, end, "right")
        part = {name: x[first:last] for name, x in self.signals.items()}
        values = [values_of(text, part, int(last - first)) for text in texts]
        stacked = np.stack(values, axis=1) if values else np.empty((int(last - first), 0))
        return moving(self.time[first:last], stacked)
