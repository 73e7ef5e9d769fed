"""A keyboard that is played: offline as fast as it goes, or live against the clock; and listeners
to a live one, which hear strikes within a millisecond and stamp what it took."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from touchback import Live, Report, Run, System, live, simulate
from touchback.errors import InputError
from touchback.instruments.keyboard.key_device import REPORTED
from touchback.instruments.keyboard.key_mechanisms import Voice
from touchback.instruments.keyboard.key_strokes import (
    FADED,
    Gesture,
    HeardNote,
    Stroke,
    damping_share,
    find_heard_notes,
    find_heard_notes_of,
    input_samples,
)
from touchback.instruments.keyboard.keyboard_model import (
    graded_key,
    keyboard,
    note_name,
    notes_of,
    touchback_key,
)
from touchback.instruments.keyboard.keyboard_pedals import PEDALS
from touchback.instruments.keyboard.keyboard_regulation import (
    DEFAULT_REGULATION,
    Regulation,
    regulate,
    screw_parameter,
    screws_of,
)

# ---- listeners -----------------------------------------------------------------------------------

LOOK = 0.001  # s between looks: what the hub adds to a strike's way, half of it on average


@dataclass
class NoteCallbacks:
    """Listens to live keys: `began` is told of each note as it sounds, `released` of each whose key
    was let go, `damped` of each whose damper came to lie on its string with another share of its
    weight, 0 to 1; the last two with when [s]."""

    began: Callable[[HeardNote], None]
    released: Callable[[int, float], None] = field(default=lambda note, time: None)
    damped: Callable[[int, float, float], None] = field(default=lambda note, time, share: None)


class NoteDetector:
    """Tells an ear what a live run of keys shows, look after look; `prefixes` are those of the
    keys' signals."""

    def __init__(
        self, live: Live, notes: Sequence[int], prefixes: Sequence[str], ear: NoteCallbacks
    ) -> None:
        self._live, self._notes, self._ear = live, list(notes), ear
        fields, _ = live.latest()
        self._at = np.array([[fields.index(own + each) for each in REPORTED] for own in prefixes])
        self._clock = fields.index("time")
        self._counts, self._shares = np.zeros(len(notes)), np.zeros(len(notes))
        self._held = np.zeros(len(notes), dtype=bool)
        self._left = np.zeros(len(notes))  # s of full damping, until a string is still
        self._now = 0.0

    def look(self, listens: Callable[[], bool] = lambda: True) -> float:
        """Takes in what the last tick showed, and gives its time [s]. Notes that began are told
        only where it `listens`, which is asked after the tick."""
        _, message = self._live.latest()
        counts, loudness, when, ringing, held, shifted = message.values[self._at].T
        now, noticed = float(message.values[self._clock]), time.monotonic_ns()
        fresh = (counts > self._counts) & listens()
        for i in np.flatnonzero(fresh):
            # ticks since the one that told of it first
            late = max(now - when[i] - 1.0 / self._live.spec.rate, 0.0)
            published = message.stamp - round(1e9 * late)
            self._ear.began(
                HeardNote(
                    float(when[i]), self._notes[i], float(loudness[i]), float("inf"), published,
                    noticed, float(shifted[i]),
                )
            )  # fmt: skip
        # A note that has just begun rings and is held, whatever its key was at the tick before.
        for i in np.flatnonzero(self._held & (held < 0.5) & ~fresh):
            self._ear.released(self._notes[i], now)
        self._held = fresh | (self._held & (held > 0.5))
        self._damp(np.where(fresh, 0.0, damping_share(ringing)), fresh, now - self._now)
        self._counts, self._now = counts, now
        return now

    def _damp(self, shares: np.ndarray, fresh: np.ndarray, passed: float) -> None:
        """Tells of other shares, as long as there is something to be damped."""
        self._shares = np.where(fresh, 0.0, self._shares)
        changed = (shares != self._shares) & (self._left > 0.0)
        for i in np.flatnonzero(changed):
            self._ear.damped(self._notes[i], self._now + passed, float(shares[i]))
        self._shares = np.where(changed, shares, self._shares)
        self._left = np.where(fresh, FADED, self._left - passed * shares)


class NoteLog:
    """Writes down what its `ear` is told, and tells another: `notes` with when their keys were let
    go and how they were damped, as `heard` finds them in a recording, without one."""

    def __init__(self, other: NoteCallbacks) -> None:
        self.notes: list[HeardNote] = []
        self.ear = NoteCallbacks(self._began, self._released, self._damped)
        self._other, self._ringing = other, dict[int, list[_Ringing]]()

    def _began(self, note: HeardNote) -> None:
        self._damp(note.note, note.time, 0.0)  # a strike finds its string free
        self._ringing[note.note].append(_Ringing(len(self.notes), since=note.time))
        self.notes.append(note)
        self._other.began(note)

    def _released(self, note: int, time: float) -> None:
        for each in self._ringing.get(note, []):
            kept = self.notes[each.place]
            self.notes[each.place] = replace(kept, released=min(kept.released, time))
        self._other.released(note, time)

    def _damped(self, note: int, time: float, share: float) -> None:
        self._damp(note, time, share)
        self._other.damped(note, time, share)

    def _damp(self, note: int, time: float, share: float) -> None:
        """From a time on, all that rings of a key is damped by a share; what is still is left."""
        ringing = []
        for each in self._ringing.get(note, []):
            each.left -= each.share * (time - each.since)
            if each.left < 0.0:
                continue
            ringing.append(each)
            kept = self.notes[each.place]
            if share != each.share:
                end = min(kept.end, time) if share > 0.5 else kept.end
                damping = (*kept.damping, (time, share))
                self.notes[each.place] = replace(kept, end=end, damping=damping)
            each.share, each.since = share, time
        self._ringing[note] = ringing


@dataclass
class _Ringing:
    """A note that isn't still: its place, its damper's share since when [s], and how much full
    damping is left [s]."""

    place: int
    since: float
    share: float = 0.0
    left: float = FADED


class Listener:
    """A thread that looks at what the run published and tells an ear of it; `looked` at each look
    of the model's time."""

    def __init__(
        self,
        live: Live,
        notes: tuple[int, ...],
        ear: NoteCallbacks,
        looked: Callable[[float], None] = lambda now: None,
    ) -> None:
        self._live, self._notes, self._ear, self._looked = live, notes, ear, looked
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._listen, name="touchback-ear", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Listens no more."""
        self._done.set()
        if self._thread.is_alive():
            self._thread.join()

    def _listen(self) -> None:
        prefixes = [f"{note_name(note)}/" for note in self._notes]
        hearing = NoteDetector(self._live, self._notes, prefixes, self._ear)
        while not self._done.wait(LOOK):
            try:
                self._looked(hearing.look())
            except Exception as error:  # the keyboard goes on, unheard
                self._live.note(f"nobody listens any more: {type(error).__name__}: {error}")
                return


# ---- keyboards -----------------------------------------------------------------------------------

KEYBOARD_METHOD = "euler"  # semi-implicit
STEPS = 16_000.0  # of it a second, what felts need to hold a hammer in check; four evaluations of
# 62.5 µs cost what one Runge–Kutta step of 0.25 ms does
STEPS_WITH_MODES = 4000.0  # Runge–Kutta steps a second of keys with modes, whose contacts are rigid
SETTLING_TIME = 0.6  #: s before the first stroke: virtual parts come to rest
SLOWEST_TICK_RATE = 200.0  # ticks a second: slower keys strike twice or not at all
FASTEST_TICK_RATE = 10_000.0
_EARLY = 0.01  # s before a stroke, at which its inputs are written in a live run
_LOOK = 0.002  # s between looks at what fingers do
_PART = 10_000_000  # numbers that are simulated at once
_RECORDED = 6_000_000.0  # numbers a second that a recording takes beside the clock
Fingers = Callable[[float], Sequence[Gesture]]  # what hands and feet do at a time [s]


@dataclass(frozen=True)
class Keyboard:
    """Keys of some notes with their voices, ready to be played at a rate of so many ticks a
    second, in `substeps` steps each."""

    notes: tuple[int, ...]
    system: System
    rate: float
    substeps: int

    def simulate(
        self,
        strokes: Iterable[Gesture],
        duration: float,
        x0: ArrayLike | None = None,
        start: float = 0.0,
    ) -> Run:
        """A performance offline, or a part of it: from a state at a time [s]."""
        gestures = _on_keys(strokes, self.notes)
        step = 1.0 / (self.rate * self.substeps)
        return simulate(
            self.system, x0, duration, start=start, rate=self.rate, step=step,
            method=KEYBOARD_METHOD,
            output_step=1.0 / self.rate, inputs=input_samples(gestures), progress=False,
        )  # fmt: skip

    def hear(self, strokes: Iterable[Gesture], duration: float) -> list[HeardNote]:
        """What is heard of a performance offline. It is simulated in parts that fit into memory,
        of which only what keys report is kept, where it changes."""
        gestures, kept = list(strokes), list[Run]()
        names = [f"{note_name(note)}/{each}" for note in self.notes for each in REPORTED]
        ticks, most = round(duration * self.rate), max(1, _PART // self._width)
        x: list[float] | None = None
        for first in range(0, ticks, most):
            start, end = first / self.rate, min((first + most) / self.rate, duration)
            part = self.simulate(gestures, end - start, x, start)
            x = [part[name][-1] for name in self.system.state_names]
            kept.append(_where_changed(part, names))
        signals = {name: np.concatenate([part[name] for part in kept]) for name in names}
        time = np.concatenate([part.time for part in kept])
        return find_heard_notes(Run(time, signals, kept[0].units), self.notes)

    @property
    def _width(self) -> int:
        """How many numbers an instant has."""
        system = self.system
        return len([*system.state_names, *system.input_names, *system.output_names])

    def play(
        self,
        strokes: Iterable[Gesture] | Fingers,
        duration: float,
        ear: NoteCallbacks | None = None,
    ) -> tuple[list[Report], list[HeardNote]]:
        """A performance against the clock: the reports of its runs, and what was heard. An `ear` is
        told of each note as it sounds. What is heard comes from a recording of every tick, and from
        looks at the run every millisecond where recording would lose rows (many keys at high
        rates)."""
        if self._width * self.rate <= _RECORDED:
            report, run = self.perform(strokes, duration, ear, record=True)
            return [report], find_heard_notes(run.recorded(), self.notes)
        notebook = NoteLog(ear or NoteCallbacks(lambda note: None))
        report, run = self.perform(strokes, duration, notebook.ear)
        return [report], notebook.notes

    def perform(
        self,
        strokes: Iterable[Gesture] | Fingers,
        duration: float,
        ear: NoteCallbacks | None = None,
        record: bool | str = False,
        speed: float | None = 1.0,
    ) -> tuple[Report, Live]:
        """A performance against the clock. `strokes` are known beforehand, or given as they come by
        a function of the time, which is asked every few milliseconds. An `ear` is told of each
        note as it sounds. Returns the report of the run and the run itself."""
        fingers = strokes if callable(strokes) else script_fingers(_on_keys(strokes, self.notes))
        run = live(
            self.system, rate=self.rate, substeps=self.substeps, method=KEYBOARD_METHOD,
            record=record,
            speed=speed,
        )  # fmt: skip
        listener = None if ear is None else Listener(run, self.notes, ear)
        with run:
            if listener is not None:
                listener.start()
            try:
                self.drive(run, fingers, duration)
            finally:
                if listener is not None:
                    listener.stop()
        return run.report(), run

    @staticmethod
    def drive(run: Live, fingers: Fingers, duration: float) -> None:
        """Lets fingers play on a run of the keyboard that has been started, until a time [s]."""
        while (now := run.read("time")) < duration and not run.faults:
            for gesture in fingers(now):
                prefix = f"{note_name(gesture.note)}/" if isinstance(gesture, Stroke) else ""
                for key, value in gesture.inputs.items():
                    run[f"{prefix}{key}"] = value
            run.run(_until_next_look(run, duration - now))


def _where_changed(run: Run, names: Sequence[str]) -> Run:
    """Some signals at the instants where one of them changes, the first and the last."""
    signals = np.array([run[name] for name in names])
    changes = (signals[:, 1:] != signals[:, :-1]).any(axis=0)
    at = np.flatnonzero(np.concatenate([[True], changes]))
    at = np.union1d(at, [len(run.time) - 1])
    return Run(run.time[at], dict(zip(names, signals[:, at], strict=True)), {})


def _until_next_look(run: Live, left: float) -> float:
    """Seconds, a tick at least: an unclocked run goes on by what it is asked for only."""
    return max(1.0 / run.spec.rate, min(_LOOK, left))


@dataclass(frozen=True)
class SeparateKeys:
    """Keys whose modes change, each a run of its own; live, each has a thread of its own."""

    notes: tuple[int, ...]
    system: System
    rate: float
    substeps: int
    regulation: Regulation

    def hear(self, strokes: Iterable[Gesture], duration: float) -> list[HeardNote]:
        """What is heard of a performance offline."""
        samples = input_samples(_on_keys(strokes, self.notes))
        played: list[HeardNote] = []
        for note in self.notes:
            prefix = f"{note_name(note)}/"
            own = {
                name.removeprefix(prefix): value
                for name, value in samples.items()
                if name in PEDALS or name.startswith(prefix)
            }
            run = simulate(
                self.system, duration=duration, rate=self.rate, inputs=own, progress=False,
                step=1.0 / (self.rate * self.substeps), method="rk4", output_step=1.0 / self.rate,
                parameters=self._parameters(note),
            )  # fmt: skip
            played += find_heard_notes_of(run, note)
        return sorted(played, key=lambda one: one.time)

    def _parameters(self, note: int) -> dict[str, float]:
        turned = {
            screw_parameter(name): value for name, value in self.regulation.screws_of(note).items()
        }
        return {**graded_key(note, self.system), **turned}

    def play(
        self,
        strokes: Iterable[Gesture] | Fingers,
        duration: float,
        ear: NoteCallbacks | None = None,
        speed: float | None = 1.0,
    ) -> tuple[list[Report], list[HeardNote]]:
        """A performance against the clock, as that of a `Keyboard`."""
        fingers = strokes if callable(strokes) else script_fingers(_on_keys(strokes, self.notes))
        runs = {
            note: live(
                self.system, rate=self.rate, substeps=self.substeps, record=True, speed=speed,
                parameters=self._parameters(note),
            )
            for note in self.notes
        }  # fmt: skip
        with ExitStack() as stack:
            for run in runs.values():
                stack.enter_context(run)
            first = runs[self.notes[0]]
            ears = (
                [] if ear is None else [NoteDetector(runs[n], [n], [""], ear) for n in self.notes]
            )
            while (now := first.read("time")) < duration:
                for gesture in fingers(now):
                    own = [gesture.note] if isinstance(gesture, Stroke) else self.notes
                    for note in own:
                        for key, value in gesture.inputs.items():
                            runs[note][key] = value
                for run in runs.values() if speed is None else [first]:
                    run.run(_until_next_look(run, duration - now))
                for hearing in ears:
                    hearing.look()
        played = [
            one for note, run in runs.items() for one in find_heard_notes_of(run.recorded(), note)
        ]
        return [run.report() for run in runs.values()], sorted(played, key=lambda one: one.time)


def make_keyboard(
    notes: int | Sequence[int] = 7,
    *voices: str | Voice,
    rate: float = 1000.0,
    substeps: int | None = None,
    by_hand: bool = False,
    regulation: Regulation = DEFAULT_REGULATION,
) -> Keyboard:
    """A keyboard to be played, in steps of 62.5 µs by default, with its screws turned
    as a regulation says."""
    steps = substeps or steps_at(rate)
    system = keyboard(notes, *voices, rate=rate, by_hand=by_hand)
    regulate(system, notes_of(notes), regulation)
    return Keyboard(tuple(notes_of(notes)), system, rate, steps)


def make_separate_keys(
    notes: int | Sequence[int],
    *voices: str | Voice,
    rate: float = 1000.0,
    regulation: Regulation = DEFAULT_REGULATION,
) -> SeparateKeys:
    """Keys of a voice with modes, which can't share one run."""
    steps = steps_at(rate, STEPS_WITH_MODES)
    system = touchback_key(*voices, rate=rate).compile()
    regulation.check(screws_of(system.model.all_parameters()), "Regulation")
    return SeparateKeys(tuple(notes_of(notes)), system, rate, steps, regulation)


def steps_at(rate: float, steps: float = STEPS) -> int:
    """Steps of a tick at so many ticks and so many steps a second."""
    if not SLOWEST_TICK_RATE <= rate <= FASTEST_TICK_RATE:
        raise InputError(
            f"A keyboard has {SLOWEST_TICK_RATE:g} to {FASTEST_TICK_RATE:g} ticks a second, "
            f"got rate={rate:g}."
        )
    return max(1, round(steps / rate))


def _on_keys(gestures: Iterable[Gesture], notes: Sequence[int]) -> list[Gesture]:
    """The gestures, refused where one has no key."""
    found = list(gestures)
    for stroke in found:
        if isinstance(stroke, Stroke) and stroke.note not in notes:
            raise InputError(
                f"The keyboard has no {note_name(stroke.note)} (note {stroke.note}); its keys are "
                f"{note_name(notes[0])} to {note_name(notes[-1])}, {len(notes)} of them."
            )
    return found


def script_fingers(gestures: Sequence[Gesture]) -> Fingers:
    """Fingers that make strokes known beforehand, each asked for shortly before it begins, and
    feet, when they are due."""
    waiting = sorted(gestures, key=_asked, reverse=True)

    def due(now: float) -> list[Gesture]:
        found = []
        while waiting and _asked(waiting[-1]) <= now:
            found.append(waiting.pop())
        return found

    return due


def _asked(gesture: Gesture) -> float:
    """When a gesture must be known [s]."""
    return gesture.time - _EARLY if isinstance(gesture, Stroke) else gesture.time
