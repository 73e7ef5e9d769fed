"""A keyboard that is played: offline as fast as it goes, or live against the clock."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from touchback.errors import InputError
from touchback.gallery.keyboard.keys import (
    MIDDLE_C,
    keyboard,
    note_name,
    notes_of,
    touchback_key,
)
from touchback.gallery.keyboard.listener import Ear, Listener
from touchback.gallery.keyboard.strokes import (
    Heard,
    Stroke,
    Touches,
    heard,
    heard_of,
    input_samples,
)
from touchback.gallery.keyboard.voices import Voice
from touchback.realtime import Live, live
from touchback.realtime.report import Report
from touchback.recording import Run
from touchback.simulate import simulate
from touchback.system import System

METHOD, STEPS = "euler", 16_000.0  # semi-implicit, so many steps a second: what felts need to hold
# a hammer in check; four evaluations of 62.5 µs cost what one Runge–Kutta step of 0.25 ms does
STEPS_WITH_MODES = 4000.0  # Runge–Kutta steps a second of keys with modes, whose contacts are rigid
SETTLING = 0.6  #: s before the first stroke: virtual parts come to rest
SLOWEST, FASTEST = 200.0, 10_000.0  # ticks a second: slower keys strike twice or not at all
_EARLY = 0.01  # s before a stroke, at which its inputs are written in a live run
_LOOK = 0.002  # s between looks at what fingers do
_EFFORTS = tuple(float(x) for x in np.linspace(0.0, 1.0, 12))

Fingers = Callable[[float], list[Stroke]]  # what is to be done at a time [s]


@dataclass(frozen=True)
class Keyboard:
    """Keys of some notes with their voices, ready to be played at a rate of so many ticks a
    second, in `substeps` steps each."""

    notes: tuple[int, ...]
    system: System
    rate: float
    substeps: int

    def simulate(self, strokes: Iterable[Stroke], duration: float) -> Run:
        """A performance offline."""
        strokes = self._check(strokes)
        step = 1.0 / (self.rate * self.substeps)
        return simulate(
            self.system, duration=duration, rate=self.rate, step=step, method=METHOD,
            output_step=1.0 / self.rate, inputs=input_samples(strokes), progress=False,
        )  # fmt: skip

    def hear(self, strokes: Iterable[Stroke], duration: float) -> list[Heard]:
        """What is heard of a performance offline."""
        return heard(self.simulate(strokes, duration), self.notes)

    def play(
        self,
        strokes: Iterable[Stroke] | Fingers,
        duration: float,
        ear: Ear | None = None,
    ) -> tuple[list[Report], list[Heard]]:
        """A performance against the clock: the reports of its runs, and what was heard. An `ear` is
        told of each note as it sounds."""
        report, run = self.perform(strokes, duration, ear, record=True)
        return [report], heard(run.recorded(), self.notes)

    def perform(
        self,
        strokes: Iterable[Stroke] | Fingers,
        duration: float,
        ear: Ear | None = None,
        record: bool | str = False,
        speed: float | None = 1.0,
    ) -> tuple[Report, Live]:
        """A performance against the clock. `strokes` are known beforehand, or given as they come by
        a function of the time, which is asked every few milliseconds. An `ear` is told of each
        note as it sounds. Returns the report of the run and the run itself."""
        fingers = strokes if callable(strokes) else scripted(self._check(strokes))
        run = live(
            self.system, rate=self.rate, substeps=self.substeps, method=METHOD, record=record,
            speed=speed,
        )  # fmt: skip
        listener = None if ear is None else Listener(run, self.notes, ear)
        with run:
            if listener is not None:
                listener.start()
            try:
                self._play(run, fingers, duration)
            finally:
                if listener is not None:
                    listener.stop()
        return run.report(), run

    @staticmethod
    def _play(run: Live, fingers: Fingers, duration: float) -> None:
        while (now := run.read("time")) < duration and not run.faults:
            for stroke in fingers(now):
                name = note_name(stroke.note)
                for key, value in stroke.inputs.items():
                    run[f"{name}/{key}"] = value
            run.run(min(_LOOK, duration - now))

    def _check(self, strokes: Iterable[Stroke]) -> list[Stroke]:
        return _on_keys(list(strokes), self.notes)


@dataclass(frozen=True)
class SeparateKeys:
    """Keys whose modes change, each a run of its own; live, each has a thread of its own."""

    notes: tuple[int, ...]
    system: System
    rate: float
    substeps: int

    def hear(self, strokes: Iterable[Stroke], duration: float) -> list[Heard]:
        """What is heard of a performance offline."""
        samples = input_samples(_on_keys(list(strokes), self.notes))
        played: list[Heard] = []
        for note in self.notes:
            prefix = f"{note_name(note)}/"
            own = {
                name.removeprefix(prefix): value
                for name, value in samples.items()
                if name.startswith(prefix)
            }
            run = simulate(
                self.system, duration=duration, rate=self.rate, inputs=own, progress=False,
                step=1.0 / (self.rate * self.substeps), method="rk4", output_step=1.0 / self.rate,
            )  # fmt: skip
            played += heard_of(run, note)
        return sorted(played, key=lambda one: one.time)

    def play(
        self,
        strokes: Iterable[Stroke] | Fingers,
        duration: float,
        ear: Ear | None = None,
        speed: float | None = 1.0,
    ) -> tuple[list[Report], list[Heard]]:
        """A performance against the clock, as that of a `Keyboard`."""
        fingers = strokes if callable(strokes) else scripted(_on_keys(list(strokes), self.notes))
        runs = {
            note: live(
                self.system, rate=self.rate, substeps=self.substeps, record=True, speed=speed
            )
            for note in self.notes
        }
        with ExitStack() as stack:
            for run in runs.values():
                stack.enter_context(run)
            first = runs[self.notes[0]]
            while (now := first.read("time")) < duration:
                for stroke in fingers(now):
                    for key, value in stroke.inputs.items():
                        runs[stroke.note][key] = value
                for run in runs.values() if speed is None else [first]:
                    run.run(min(_LOOK, duration - now))
                if ear is not None:
                    for note, run in runs.items():
                        shown, message = run.published()
                        ear.look(shown, note, stamp=message.stamp)
        played = [one for note, run in runs.items() for one in heard_of(run.recorded(), note)]
        return [run.report() for run in runs.values()], sorted(played, key=lambda one: one.time)


def make_keyboard(
    notes: int | Sequence[int] = 7,
    *voices: str | Voice,
    rate: float = 1000.0,
    substeps: int | None = None,
    by_hand: bool = False,
) -> Keyboard:
    """A keyboard to be played, in steps of 62.5 µs unless told otherwise."""
    steps = substeps or steps_at(rate)
    system = keyboard(notes, *voices, rate=rate, by_hand=by_hand)
    return Keyboard(tuple(notes_of(notes)), system, rate, steps)


def make_separate_keys(
    notes: int | Sequence[int], *voices: str | Voice, rate: float = 1000.0
) -> SeparateKeys:
    """Keys of a voice with modes, which can't share one run."""
    steps = steps_at(rate, STEPS_WITH_MODES)
    system = touchback_key(*voices, rate=rate).compile()
    return SeparateKeys(tuple(notes_of(notes)), system, rate, steps)


def steps_at(rate: float, steps: float = STEPS) -> int:
    """Steps of a tick at so many ticks and so many steps a second."""
    if not SLOWEST <= rate <= FASTEST:
        raise InputError(
            f"A keyboard has {SLOWEST:g} to {FASTEST:g} ticks a second, got rate={rate:g}."
        )
    return max(1, round(steps / rate))


def _on_keys(strokes: list[Stroke], notes: Sequence[int]) -> list[Stroke]:
    """The strokes, refused where one has no key."""
    for stroke in strokes:
        if stroke.note not in notes:
            raise InputError(
                f"The keyboard has no {note_name(stroke.note)} (note {stroke.note}); its keys are "
                f"{note_name(notes[0])} to {note_name(notes[-1])}, {len(notes)} of them."
            )
    return strokes


def scripted(strokes: list[Stroke]) -> Fingers:
    """Fingers that make strokes known beforehand, each asked for shortly before it begins."""
    waiting = sorted(strokes, key=lambda stroke: -stroke.time)

    def due(now: float) -> list[Stroke]:
        found = []
        while waiting and waiting[-1].time <= now + _EARLY:
            found.append(waiting.pop())
        return found

    return due


def touches(*voices: str | Voice, rate: float = 1000.0) -> Touches:
    """How a key of some voice answers, found by pressing it."""
    system = touchback_key(*voices, rate=rate).compile()
    steps = steps_at(rate)
    answers = []
    for effort in _EFFORTS:
        stroke = Stroke.of(SETTLING, MIDDLE_C, effort, stay=0.3)
        samples = input_samples([stroke])
        inputs = {name.split("/", 1)[1]: value for name, value in samples.items()}
        run = simulate(
            system, duration=SETTLING + stroke.press + 0.3, rate=rate, step=1.0 / (rate * steps),
            method=METHOD, inputs=inputs, progress=False,
        )  # fmt: skip
        after = run.time > SETTLING
        first = np.flatnonzero(np.diff(run["notes"][after]) > 0.5)
        if len(first):
            i = first[0] + 1
            began = run["note time"][after][i] - SETTLING
            answers.append((effort, float(run["loudness"][after][i]), float(began)))
    if not answers:
        raise InputError("No press of the finger sounds this voice; it can't be played.")
    return Touches(*(tuple(column) for column in zip(*_rising(answers), strict=True)))


def _rising(answers: list[tuple[float, float, float]]) -> list[tuple[float, float, float]]:
    """Those whose loudness grows with the effort, so that it can be asked for."""
    kept: list[tuple[float, float, float]] = []
    for answer in answers:
        if not kept or answer[1] > kept[-1][1]:
            kept.append(answer)
    return kept
