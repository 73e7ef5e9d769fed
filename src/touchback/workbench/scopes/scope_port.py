"""What a page may ask of scopes of a live run or a recording: messages, and streams of buckets to
its clients; and spectra: which frequencies a signal has, with their amplitudes."""

from __future__ import annotations

import struct
import threading
from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Protocol

import msgspec
import numpy as np

from touchback import Live, System
from touchback.draw import state_graph_svg
from touchback.errors import InputError
from touchback.names import unknown_name
from touchback.realtime.control import CommandServer, Message, Rate
from touchback.recording import HEAD_UNITS
from touchback.workbench.scopes.decimation import Buckets, bucket_of, grouped
from touchback.workbench.scopes.signal_history import History
from touchback.workbench.scopes.trace_expressions import LONGEST, MOST, values_of

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


def thinned(pairs: Floats, most: int) -> Floats:
    """At most so many of the rows (time, x, y), in order: of each stretch the least and greatest in
    x and in y, so that what sticks out of the curve stays."""
    if len(pairs) <= most:
        return pairs
    stretches = max(most // 4, 1)
    edges = np.linspace(0, len(pairs), stretches + 1).astype(int)
    keep: set[int] = set()
    for first, last in pairwise(edges):
        for column in (1, 2):
            part = pairs[first:last, column]
            if not np.isnan(part).all():
                keep |= {first + int(np.nanargmin(part)), first + int(np.nanargmax(part))}
    return pairs[sorted(keep)]


Facts = dict[str, object]


Text = Annotated[str, msgspec.Meta(max_length=LONGEST)]


Texts = Annotated[tuple[Text, ...], msgspec.Meta(max_length=MOST)]


Count = Annotated[int, msgspec.Meta(ge=1, le=4000)]


_STREAMS = 8  # of a client


_LINES = 2000  # of a spectrum


_RATE = Rate(150.0, 150)  # several scopes, each with two cursors


class Scope(Message, frozen=True):
    """A stream of traces, `buckets` a second; without signals it ends. What there was of them, from
    `since` on in at most `past` buckets, comes first."""

    number: Annotated[int, msgspec.Meta(ge=0, le=255)]
    signals: Texts
    buckets: float = 60.0
    past: Count = 1000
    since: float | None = None


class Past(Message, frozen=True):
    """Traces over a span, in at most so many buckets; of a recording by its name."""

    signals: Texts
    start: float
    end: float
    buckets: Count = 1000
    recording: str | None = None


class Pairs(Message, frozen=True):
    """Two traces against each other, tick by tick."""

    x: Text
    y: Text
    start: float
    end: float
    most: Count = 2000
    recording: str | None = None


class Spectra(Message, frozen=True):
    """The spectrum of traces over a span."""

    signals: Texts
    start: float
    end: float
    window: str = "hann"
    recording: str | None = None


class Signals(Message, frozen=True):
    """Asks which signals there are, with their units, and from when to when."""

    recording: str | None = None


class Source(Protocol):
    """Where traces come from: a live run's history or a recording."""

    @property
    def known(self) -> dict[str, None]: ...
    @property
    def span(self) -> tuple[float, float]: ...
    @property
    def full_since(self) -> float: ...
    def unit(self, text: str) -> str: ...
    def check(self, texts: Sequence[str]) -> None: ...
    def past(self, texts: Sequence[str], start: float, end: float, count: int) -> Buckets: ...
    def rows(
        self, texts: Sequence[str], start: float, end: float
    ) -> tuple[np.ndarray, np.ndarray]: ...


class ScopePort:
    """Answers what pages ask, and streams to them. `send` gives a frame to a client, from any
    thread and at once; `recordings` finds one that lies over the run by its name."""

    def __init__(
        self,
        source: Source,
        send: Callable[[str, bytes], None],
        recordings: Callable[[str], Source] | None = None,
    ) -> None:
        self.source, self._send = source, send
        self._recordings = recordings or _no_recording
        self._streams: dict[tuple[str, int], Callable[[], None]] = {}
        self._lock = threading.Lock()

    def join(self, commands: CommandServer) -> None:
        """Lets a command server know the messages."""
        commands.add(Scope, self.scope, any_time=True)
        commands.add(Past, self.past, _RATE, any_time=True)
        commands.add(Pairs, self.pairs, _RATE, any_time=True)
        commands.add(Spectra, self.spectra, any_time=True)
        commands.add(Signals, self.signals, any_time=True)

    def forget(self, client: str | None = None) -> None:
        """Ends the streams of a client that went away, or all."""
        with self._lock:
            theirs = [key for key in self._streams if client in (None, key[0])]
            ends = [self._streams.pop(key) for key in theirs]
        for end in ends:
            end()

    def scope(self, asked: Scope, client: str) -> Facts:
        """Begins, changes or ends a stream."""
        key = client, asked.number
        if asked.signals:
            self.source.check(asked.signals)
        stream = Stream(
            asked.number, asked.signals, asked.buckets, lambda frame: self._send(client, frame)
        )
        with self._lock:
            before = self._streams.pop(key, None)
            count = sum(known[0] == client for known in self._streams)
        if before is not None:
            before()
        if not asked.signals:
            return {"number": asked.number}
        if count >= _STREAMS:
            raise InputError(f"A page has at most {_STREAMS} scopes; close one.")
        first, last = self.source.span
        begin = first if asked.since is None else max(asked.since, first)
        if isinstance(self.source, History):
            end = self.source.listen(stream.take)
            with self._lock:
                self._streams[key] = end
        found = self.source.past(asked.signals, begin, last, asked.past)
        self._send(client, rows_frame(asked.number, found, self._newest(asked.signals)))
        return {"number": asked.number, "units": self._units(asked.signals), **self._span()}

    def past(self, asked: Past, client: str) -> Facts:
        """Buckets of a span."""
        _check_span(asked.start, asked.end)
        source = self._source(asked.recording)
        found = source.past(asked.signals, asked.start, asked.end, asked.buckets)
        since = float(found.time[0]) if len(found) else asked.start
        return {"since": since, "rows": _text(found.packed()), **self._span()}

    def pairs(self, asked: Pairs, client: str) -> Facts:
        """Pairs of a span, (seconds since `since`, x, y)."""
        _check_span(asked.start, asked.end)
        source = self._source(asked.recording)
        time, values = source.rows([asked.x, asked.y], asked.start, asked.end)
        rows = thinned(np.column_stack([time, values]), asked.most)
        since = float(rows[0, 0]) if len(rows) else asked.start
        rows = rows - np.array([since, 0.0, 0.0])
        return {"since": since, "rows": _text(rows.astype("<f4").tobytes()), **self._span()}

    def spectra(self, asked: Spectra, client: str) -> Facts:
        """Amplitudes over frequencies: (frequency, amplitude of each)."""
        _check_span(asked.start, asked.end)
        time, values = self._source(asked.recording).rows(asked.signals, asked.start, asked.end)
        found = keep_peaks(spectrum(time, values, asked.window), _LINES)
        rows = np.column_stack([found.frequency, found.amplitude]).astype("<f4")
        span = {"start": float(time[0]), "end": float(time[-1]), "step": found.step}
        return {"rows": _text(rows.tobytes()), **span}

    def signals(self, asked: Signals, client: str) -> Facts:
        """Names and units, and the span that is known of."""
        source = self._source(asked.recording)
        first, last = source.span
        units = {name: source.unit(name) for name in source.known}
        return {"signals": units, "start": first, "end": last}

    def _source(self, recording: str | None) -> Source:
        return self.source if recording is None else self._recordings(recording)

    def _units(self, texts: Sequence[str]) -> list[str]:
        return [self.source.unit(text) for text in texts]

    def _newest(self, texts: Sequence[str]) -> np.ndarray:
        """What traces are at the last tick; NaN before the first."""
        _, values = self.source.rows(texts, self.source.span[1], np.inf)
        return values[-1] if len(values) else np.full(len(texts), np.nan)

    def _span(self) -> Facts:
        full = self.source.full_since
        (first, last), known = self.source.span, np.isfinite(full)
        return {"start": first, "end": last, "full": full if known else None}


def _check_span(start: float, end: float) -> None:
    if not (np.isfinite([start, end]).all() and start < end):
        raise InputError(
            f"A span goes from an earlier to a later time, got {start:g} to {end:g} s."
        )


def _text(packed: bytes) -> str:
    return b64encode(packed).decode()


def _no_recording(name: str) -> Source:
    raise unknown_name("recording", name, [])


class Graph(Message, frozen=True):
    """Asks for the state graph as SVG, and the modes of each group by the state that has their
    number."""


class LiveScopes:
    """Joins the scopes to a run's command server. `send(client, frame, stream)` gives a page a
    frame."""

    def __init__(
        self,
        live: Live,
        commands: CommandServer,
        send: Callable[[str, bytes], None],
        recordings: Callable[[str], Source] | None = None,
    ) -> None:
        self.live, self.history = live, History(live.spec.rate)
        self.history.expect(live.columns, units_of(live.system))
        self.port = ScopePort(self.history, send, recordings)
        self.port.join(commands)
        commands.add(Graph, lambda asked, client: graph_facts(live.system), any_time=True)
        self._columns: tuple[str, ...] = ()
        self._units: dict[str, str] = {}
        self._tap = live.tap(self._take)

    def _take(self, rows: np.ndarray, columns: tuple[str, ...]) -> None:
        if columns != self._columns:
            self._columns, self._units = columns, units_of(self.live.system)
        self.history.take(columns, rows, self._units)

    def close(self) -> None:
        """Ends the tap."""
        self._tap.close()


def units_of(system: System) -> dict[str, str]:
    """The units of a run's columns."""
    found = dict(HEAD_UNITS)
    for names, units in (
        (system.input_names, system.input_units),
        (system.state_names, system.state_units),
        (system.output_names, system.output_units),
    ):
        found |= dict(zip(names, units))
    return found


def graph_facts(system: System) -> Facts:
    """The picture of a system's modes; nothing where it has none."""
    if system.names or not system.modes:
        return {"svg": "", "groups": {}}
    groups = {state: list(modes) for state, modes in system.modes.items()}
    return {"svg": state_graph_svg(system.model), "groups": groups}


# ---- spectra -------------------------------------------------------------------------------------

WINDOWS = ("hann", "flat", "none")
LONGEST_SPECTRUM = 1 << 16  # samples
_FLAT = (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368)  # its cosines (ISO 18431-2)
_FEWEST = 16


@dataclass(frozen=True)
class Spectrum:
    """Amplitudes A (F, n) at frequencies [Hz] (F,): a sine A sin(2π f t) has its peak A at f. The
    `window` smears a peak over a few lines of the distance `step` [Hz]."""

    frequency: Floats
    amplitude: Floats
    window: str
    step: float


def window_of(kind: str, count: int) -> Floats:
    """A window by its name: "hann" for frequencies, "flat" (flat top) for amplitudes to a part in
    a thousand wherever the frequency lies between two lines, "none" for what is periodic in it."""
    if kind not in WINDOWS:
        raise InputError(f"A spectrum's window is one of {', '.join(WINDOWS)}, got {kind!r}.")
    turn = 2 * np.pi * np.arange(count) / count
    if kind == "none":
        return np.ones(count)
    if kind == "hann":
        return 0.5 - 0.5 * np.cos(turn)
    signs = (1, -1, 1, -1, 1)
    return np.sum([s * a * np.cos(k * turn) for k, (s, a) in enumerate(zip(signs, _FLAT))], axis=0)


def spectrum(time: Floats, values: Floats, window: str = "hann") -> Spectrum:
    """The spectrum of evenly sampled values (N, n), their mean taken away; of more than 65 536
    samples the last. One sample that isn't a number makes its trace NaN."""
    time, values = time[-LONGEST_SPECTRUM:], values[-LONGEST_SPECTRUM:]
    count = len(time)
    if count < _FEWEST:
        raise InputError(
            f"A spectrum needs {_FEWEST} samples, there are {count}; let the run go on."
        )
    step = float(time[-1] - time[0]) / (count - 1)
    if np.abs(np.diff(time) - step).max() > 0.01 * step:
        raise InputError(
            "A spectrum needs ticks of the same length; the run changed its rate or had a gap in "
            "this span, choose a shorter or another one."
        )
    shape = window_of(window, count)[:, None]
    lines = np.fft.rfft((values - values.mean(axis=0)) * shape, axis=0)
    amplitude = 2.0 * np.abs(lines) / shape.sum()
    amplitude[0] /= 2.0
    if count % 2 == 0:
        amplitude[-1] /= 2.0
    frequency = np.fft.rfftfreq(count, step)
    return Spectrum(frequency, amplitude, window, 1.0 / (count * step))


def keep_peaks(found: Spectrum, most: int) -> Spectrum:
    """The same with fewer lines: of neighbours the highest, at its own frequency when there is one
    trace, else at the first one's."""
    count = len(found.frequency)
    if count <= most:
        return found
    starts = np.linspace(0, count, most + 1).astype(int)[:-1]
    amplitude = np.fmax.reduceat(found.amplitude, starts)
    highest = [
        first + int(found.amplitude[first:last].max(axis=1).argmax())
        for first, last in zip(starts, [*starts[1:], count])
    ]
    return Spectrum(found.frequency[highest], amplitude, found.window, found.step)
