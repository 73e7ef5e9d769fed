"""Forced choice: in one of two or three intervals a touch differs; the person says in which. The
result is reported in words and as a curve."""

from __future__ import annotations

import math
import random
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import msgspec
import numpy as np

from touchback.errors import InputError
from touchback.haptics.trials import trial_journal
from touchback.haptics.trials.psychometric_functions import LEAST, Counts, Fit, fit_threshold
from touchback.haptics.trials.stimulus_levels import Constant, Method, Staircase
from touchback.haptics.trials.trial_journal import Journal, fresh_labels
from touchback.numbers import check_fields, shown
from touchback.safe_files import path_of

KIND = "forced choice"


INTERVALS = 2, 3


@dataclass(frozen=True)
class ForcedChoiceTrial:
    """A trial: its number from 1, what it is called, the level and its track, and what is varied,
    in the order of the intervals; `odd` is the one that differs, from 1."""

    number: int
    label: str
    level: float
    track: int
    order: tuple[float, ...]
    odd: int


@dataclass(frozen=True)
class ForcedChoiceAnswer(ForcedChoiceTrial):
    """An answer to a trial and all that was posed in it. `spans` are when each interval was felt
    [s], in the time of the `recording` that holds every force."""

    answer: int
    right: bool
    seconds: float
    recording: str = ""
    spans: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True)
class Design:
    """What is asked: `varied` (the name of a live parameter) is `base` in all intervals but one,
    where it is larger by the level that the method says. `voice` is what is felt besides."""

    method: Method
    varied: str
    base: float
    intervals: int = 2
    question: str = "Which was more?"
    unit: str = ""
    voice: str = ""

    def __post_init__(self) -> None:
        check_fields(self)
        if not isinstance(self.method, Method):
            raise InputError(
                f"Forced choice: a method is expected, such as Staircase(…), got "
                f"{shown(self.method)}."
            )
        if self.intervals not in INTERVALS:
            raise InputError(
                f"Forced choice: {self.intervals} intervals; give {INTERVALS[0]} or {INTERVALS[1]}."
            )
        if not math.isfinite(self.base):
            raise InputError(f"Forced choice: '{self.varied}' is {self.base}; give a number.")
        if self.method.most < LEAST:
            raise InputError(
                f"Forced choice: {self.method.most} trials tell no threshold; give {LEAST} or more."
            )

    @property
    def guess(self) -> float:
        """The share of guesses that are right."""
        return 1.0 / self.intervals

    def next_trial(
        self, given: Sequence[ForcedChoiceAnswer], seed: int
    ) -> ForcedChoiceTrial | None:
        """The trial after those answered, or None at the end."""
        coming = self.method.next([(one.track, one.right) for one in given], seed)
        if coming is None:
            return None
        number = len(given) + 1
        odd = random.Random(f"interval {seed} {number}").randint(1, self.intervals)
        order = [self.base] * self.intervals
        order[odd - 1] += coming.level
        label = fresh_labels(self.method.most, seed)[number - 1]
        return ForcedChoiceTrial(number, label, coming.level, coming.track, tuple(order), odd)

    def score_answer(
        self, posed: ForcedChoiceTrial, answer: int, seconds: float = 0.0
    ) -> ForcedChoiceAnswer:
        """An answer (an interval, from 1) to a trial."""
        if not (isinstance(answer, int) and 1 <= answer <= self.intervals):
            raise InputError(
                f"Trial {posed.label}: the answer {answer!r}; it was one of the intervals 1 to "
                f"{self.intervals}."
            )
        return ForcedChoiceAnswer(
            **asdict(posed), answer=answer, right=answer == posed.odd, seconds=seconds
        )

    def fit(
        self, given: Sequence[ForcedChoiceAnswer], shape: str = "weibull", share: float = 0.5
    ) -> Fit:
        """The threshold that answers tell."""
        counts = Counts.of((one.level, one.right) for one in given)
        return fit_threshold(counts, self.guess, shape, share)


class _Plan(msgspec.Struct):
    """What the first line of a file holds."""

    kind: str
    varied: str
    base: float
    intervals: int
    question: str
    unit: str
    voice: str
    seed: int
    method: dict[str, float | list[float]]


class ForcedChoice:
    """A session in a file. One that was broken off, however hard, goes on with the next trial
    that has no answer; a person sees `current_trial.label` and the question, nothing else."""

    def __init__(self, path: str | Path, design: Design, seed: int | None = None) -> None:
        self.path, self.design, self.seed = path_of(path), design, seed
        self.answers: list[ForcedChoiceAnswer] = []
        if not isinstance(self.design, Design):
            raise InputError(f"Forced choice: a Design is expected, got {shown(self.design)}.")
        trial_journal.check_folder(self.path)
        plan = {
            "kind": KIND, "varied": self.design.varied, "base": self.design.base,
            "intervals": self.design.intervals, "question": self.design.question,
            "unit": self.design.unit, "voice": self.design.voice,
            "method": _named(self.design.method),
        }  # fmt: skip
        if not self.path.exists():
            self.seed = secrets.randbelow(1 << 32) if self.seed is None else int(self.seed)
            self._journal = Journal.begun(self.path, {**plan, "seed": self.seed})
            return
        self._journal = Journal(self.path)
        found, self.answers = self._journal.read(KIND, _Plan, ForcedChoiceAnswer)
        held = {name: getattr(found, name) for name in plan}
        different = [name for name, value in plan.items() if held[name] != _plain(value)]
        if different:
            name = different[0]
            raise InputError(
                f"{self.path.name} holds another session: its {name} is {held[name]!r}, not "
                f"{plan[name]!r}. Choose another file, or go on as it was begun."
            )
        self.seed = found.seed
        self._hold_to_plan()

    def _hold_to_plan(self) -> None:
        """Refuses answers that aren't those to the trials that the plan poses, one after another:
        each level follows from the answers before it."""
        name = self.path.name
        for i, given in enumerate(self.answers):
            posed = self.design.next_trial(self.answers[:i], self._seed)
            if posed is None:
                raise trial_journal.too_many(name, i)
            trial_journal.one_of(name, i + 1, given.answer, range(1, self.design.intervals + 1))
            due = {**asdict(posed), "right": given.answer == posed.odd}
            trial_journal.held_to(name, i + 1, asdict(given), due)

    @property
    def current_trial(self) -> ForcedChoiceTrial | None:
        """The trial at hand; None when all are answered."""
        return self.design.next_trial(self.answers, self._seed)

    @property
    def _seed(self) -> int:
        return 0 if self.seed is None else self.seed

    @property
    def done(self) -> bool:
        """Whether all trials are answered."""
        return self.current_trial is None

    @property
    def forces(self) -> Path:
        """The folder beside the file for recordings, one a trial."""
        return self.path.with_suffix(".forces")

    @property
    def recording(self) -> Path:
        """Where the forces of the trial at hand are to be recorded."""
        return self.forces / f"{len(self.answers) + 1:04d}.mcap"

    def answer(
        self,
        interval: int,
        seconds: float = 0.0,
        spans: Sequence[tuple[float, float]] = (),
    ) -> ForcedChoiceAnswer:
        """Keep the answer to the trial at hand; it is on disk when this returns. With `spans` its
        `recording` holds the forces."""
        posed = self.current_trial
        if posed is None:
            raise InputError(f"{self.path.name}: all {len(self.answers)} trials are answered.")
        judged = asdict(self.design.score_answer(posed, interval, float(seconds)))
        kept = f"{self.forces.name}/{self.recording.name}" if spans else ""
        given = ForcedChoiceAnswer(**{**judged, "recording": kept, "spans": tuple(spans)})
        self._journal.append(asdict(given))
        self.answers.append(given)
        return given

    def result(self, shape: str = "weibull", share: float = 0.5) -> Fit:
        """The threshold; only when all trials are answered."""
        if not self.done:
            raise InputError(
                f"{self.path.name}: trials are open; looking now would end the blindness."
            )
        return self.design.fit(self.answers, shape, share)


def _named(method: Method) -> dict[str, object]:
    """As a plan has it; the largest level follows from what is varied."""
    given = {name: value for name, value in asdict(method).items() if name != "largest"}
    return {"constant" if isinstance(method, Constant) else "staircase": 1, **given}


def _plain(value: object) -> object:
    """As JSON gives it back."""
    if isinstance(value, dict):
        return {name: list(v) if isinstance(v, tuple) else v for name, v in value.items()}
    return value


__all__ = [
    "Constant",
    "Design",
    "ForcedChoice",
    "ForcedChoiceAnswer",
    "ForcedChoiceTrial",
    "Staircase",
]


_BESIDE = 1.5  # how far beyond the levels the function is drawn


_POINTS = 300


@dataclass(frozen=True)
class Curve:
    """The psychometric function of a fit over levels, both as lists; shares from 0 to 1."""

    levels: np.ndarray
    right: np.ndarray

    @classmethod
    def of(cls, fit: Fit) -> Curve:
        """From somewhat below the least level to somewhat above the greatest."""
        ends = fit.counts.levels.min() / _BESIDE, fit.counts.levels.max() * _BESIDE
        levels = np.geomspace(*ends, _POINTS)
        return cls(levels, fit.best.right(levels))


def report_lines(session: ForcedChoice, fit: Fit) -> list[str]:
    """How many answers were right, the threshold with its interval, and where tracks turned."""
    design = session.design
    right = sum(one.right for one in session.answers)
    unit = f" {design.unit}" if design.unit else ""
    lines = [f"{right} of {len(session.answers)} answers were right.", _threshold(design, fit)]
    if isinstance(design.method, Staircase):
        turns = design.method.middle([(one.track, one.right) for one in session.answers])
        lines.append(
            f"tracks turned round at {turns:.3g}{unit} in the mean, where "
            f"{100 * design.method.settles:.1f} % are right"
        )
    return lines


def _threshold(design: Design, fit: Fit) -> str:
    unit = f" {design.unit}" if design.unit else ""
    varied = f"threshold of '{design.varied}' over {design.base:g}{unit}"
    right = f"{50.0 * (1.0 + design.guess):.0f} % would be right without lapses"
    sure = f"{100 * fit.confidence:g} % confidence"
    if fit.beyond < 0:
        return (
            f"{varied}, where {right}: below {fit.high:.3g}{unit} ({sure}); ask for smaller levels"
        )
    if fit.beyond > 0:
        return f"{varied}, where {right}: above {fit.low:.3g}{unit} ({sure}); ask for larger levels"
    of_base = f"; {100 * fit.threshold / design.base:.1f} % of the base" if design.base else ""
    return (
        f"{varied}: {fit.threshold:.3g}{unit} ({sure}: {fit.low:.3g} to {fit.high:.3g}), where "
        f"{right}{of_base}"
    )
