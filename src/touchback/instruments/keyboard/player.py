"""A keyboard that is played: offline as fast as it goes, or live against the clock."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from touchback import Live, Run, System, live, simulate
from touchback.errors import InputError
from touchback.instruments.keyboard.keys import (
    graded_key,
    keyboard,
    note_name,
    notes_of,
    touchback_key,
)
from touchback.instruments.keyboard.listener import Ear, Hearing, Listener, Notebook
from touchback.instruments.keyboard.pedals import PEDALS
from touchback.instruments.keyboard.regulation import (
    AS_GRADED,
    Regulation,
    regulate,
    screws_of,
    turned_by,
)
from touchback.instruments.keyboard.strikes import REPORTED
from touchback.instruments.keyboard.strokes import (
    Gesture,
    Heard,
    Stroke,
    heard,
    heard_of,
    input_samples,
)
from touchback.instruments.keyboard.voices import Voice
from touchback.realtime.live_report import Report

METHOD, STEPS = "euler", 16_000.0  # semi-implicit, so many steps a second: what felts need to hold
# a hammer in check; four evaluations of 62.5 µs cost what one Runge–Kutta step of 0.25 ms does
STEPS_WITH_MODES = 4000.0  # Runge–Kutta steps a second of keys with modes, whose contacts are rigid
SETTLING = 0.6  #: s before the first stroke: virtual parts come to rest
SLOWEST, FASTEST = 200.0, 10_000.0  # ticks a second: slower keys strike twice or not at all
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
            self.system, x0, duration, start=start, rate=self.rate, step=step, method=METHOD,
            output_step=1.0 / self.rate, inputs=input_samples(gestures), progress=False,
        )  # fmt: skip

    def hear(self, strokes: Iterable[Gesture], duration: float) -> list[Heard]:
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
        return heard(Run(time, signals, kept[0].units), self.notes)

    @property
    def _width(self) -> int:
        """How many numbers an instant has."""
        system = self.system
        return len([*system.state_names, *system.input_names, *system.output_names])

    def play(
        self,
        strokes: Iterable[Gesture] | Fingers,
        duration: float,
        ear: Ear | None = None,
    ) -> tuple[list[Report], list[Heard]]:
        """A performance against the clock: the reports of its runs, and what was heard. An `ear` is
        told of each note as it sounds. What is heard comes from a recording of every tick, and from
        looks at the run every millisecond where recording would lose rows (many keys at high
        rates)."""
        if self._width * self.rate <= _RECORDED:
            report, run = self.perform(strokes, duration, ear, record=True)
            return [report], heard(run.recorded(), self.notes)
        notebook = Notebook(ear or Ear(lambda note: None))
        report, run = self.perform(strokes, duration, notebook.ear)
        return [report], notebook.notes

    def perform(
        self,
        strokes: Iterable[Gesture] | Fingers,
        duration: float,
        ear: Ear | None = None,
        record: bool | str = False,
        speed: float | None = 1.0,
    ) -> tuple[Report, Live]:
        """A performance against the clock. `strokes` are known beforehand, or given as they come by
        a function of the time, which is asked every few milliseconds. An `ear` is told of each
        note as it sounds. Returns the report of the run and the run itself."""
        fingers = strokes if callable(strokes) else scripted(_on_keys(strokes, self.notes))
        run = live(
            self.system, rate=self.rate, substeps=self.substeps, method=METHOD, record=record,
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
    return max(1.0 / run.plan.rate, min(_LOOK, left))


@dataclass(frozen=True)
class SeparateKeys:
    """Keys whose modes change, each a run of its own; live, each has a thread of its own."""

    notes: tuple[int, ...]
    system: System
    rate: float
    substeps: int
    regulation: Regulation

    def hear(self, strokes: Iterable[Gesture], duration: float) -> list[Heard]:
        """What is heard of a performance offline."""
        samples = input_samples(_on_keys(strokes, self.notes))
        played: list[Heard] = []
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
            played += heard_of(run, note)
        return sorted(played, key=lambda one: one.time)

    def _parameters(self, note: int) -> dict[str, float]:
        turned = {turned_by(name): value for name, value in self.regulation.of(note).items()}
        return {**graded_key(note, self.system), **turned}

    def play(
        self,
        strokes: Iterable[Gesture] | Fingers,
        duration: float,
        ear: Ear | None = None,
        speed: float | None = 1.0,
    ) -> tuple[list[Report], list[Heard]]:
        """A performance against the clock, as that of a `Keyboard`."""
        fingers = strokes if callable(strokes) else scripted(_on_keys(strokes, self.notes))
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
            ears = [] if ear is None else [Hearing(runs[n], [n], [""], ear) for n in self.notes]
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
        played = [one for note, run in runs.items() for one in heard_of(run.recorded(), note)]
        return [run.report() for run in runs.values()], sorted(played, key=lambda one: one.time)


def make_keyboard(
    notes: int | Sequence[int] = 7,
    *voices: str | Voice,
    rate: float = 1000.0,
    substeps: int | None = None,
    by_hand: bool = False,
    regulation: Regulation = AS_GRADED,
) -> Keyboard:
    """A keyboard to be played, in steps of 62.5 µs unless told otherwise, with its screws turned
    as a regulation says."""
    steps = substeps or steps_at(rate)
    system = keyboard(notes, *voices, rate=rate, by_hand=by_hand)
    regulate(system, notes_of(notes), regulation)
    return Keyboard(tuple(notes_of(notes)), system, rate, steps)


def make_separate_keys(
    notes: int | Sequence[int],
    *voices: str | Voice,
    rate: float = 1000.0,
    regulation: Regulation = AS_GRADED,
) -> SeparateKeys:
    """Keys of a voice with modes, which can't share one run."""
    steps = steps_at(rate, STEPS_WITH_MODES)
    system = touchback_key(*voices, rate=rate).compile()
    regulation.check(screws_of(system.model.all_parameters()), "Regulation")
    return SeparateKeys(tuple(notes_of(notes)), system, rate, steps, regulation)


def steps_at(rate: float, steps: float = STEPS) -> int:
    """Steps of a tick at so many ticks and so many steps a second."""
    if not SLOWEST <= rate <= FASTEST:
        raise InputError(
            f"A keyboard has {SLOWEST:g} to {FASTEST:g} ticks a second, got rate={rate:g}."
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


def scripted(gestures: Sequence[Gesture]) -> Fingers:
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
