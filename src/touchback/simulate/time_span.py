"""The time of a run, when it is recorded, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from touchback.errors import InputError
from touchback.numbers import (
    MOST,
    MOST_COUNTED,
    Floats,
    keep,
    number_within,
    positive_number,
    whole_within,
)

MOST_NUMBERS = 100_000_000  # that a run keeps in memory: 0.8 GB
_INTERVALS = 1000  # of the output when no output_step is given
_SAME = 1e-6  # of an output step: instants of other origin closer than this are the same
_ON_GRID = 1e-9  # of a step: instants closer than this are the same


@dataclass(frozen=True)
class Span:
    """The time of a run: from `start`, for `duration` seconds. A part of a run is recorded on the
    grid of the `whole`."""

    start: float
    duration: float
    whole: Span | None = None

    def __post_init__(self) -> None:
        keep_positive(self, "duration")
        keep(self, start=number_within("start must be a finite time", self.start, -MOST, MOST))
        if self.whole is None and not self.start < self.end <= MOST:
            raise InputError(
                f"start {self.start:g} s and duration {self.duration:g} s: no number tells the end "
                "of the run from its start; give a nearer start, or another duration."
            )

    @property
    def end(self) -> float:
        """When the run is over."""
        return self.start + self.duration

    def rest_from(self, t: float) -> Span:
        """What is left of it from a time on."""
        return Span(t, self.end - t, self.whole or self)

    def output_times(self, output_step: float | None) -> Floats:
        """When states are recorded after the start: by `output_step`, else a thousand times."""
        whole = self.whole or self
        step = output_step or whole.duration / _INTERVALS
        times = whole.start + output_times(whole.duration, step)
        if whole is not self:
            return times[(times > self.start) & (times < self.end)]
        if len(times) and abs(times[-1] - self.end) <= _ON_GRID * step:
            times[-1] = self.end
        return times


@dataclass(frozen=True)
class Failure:
    """Why a run isn't what it should be: when, what happened to which signal, what usually mends
    it, and what was raised, if anything. It ended the run, unless the run is `whole`."""

    time: float
    what: str
    mend: str
    cause: BaseException | None = None
    whole: bool = False


@dataclass(eq=False)
class Trajectory:
    """The recorded instants and states (a row each) of a run, and how it went."""

    times: Floats
    states: Floats
    statistics: dict[str, float] = field(default_factory=dict)
    failure: Failure | None = None

    def thin(self, span: Span, output_step: float) -> None:
        """Leaves what was asked for of instants that a solver recorded without regard to it."""
        wanted = span.output_times(output_step)
        wanted = np.append(span.start, wanted[wanted <= self.times[-1] + _SAME * output_step])
        if len(self.times) - len(wanted) in (0, 1):  # with the end, where that is off the grid
            return
        after = np.clip(np.searchsorted(self.times, wanted), 1, len(self.times) - 1)
        near = after - (wanted - self.times[after - 1] < self.times[after] - wanted)
        apart = np.abs(self.times[near] - wanted)
        if apart.max() > _SAME * output_step:
            raise InputError(
                f"output_step {output_step:g} s: the method recorded nothing at "
                f"t = {wanted[apart.argmax()]:g} s; give a multiple of its step, or leave it away."
            )
        kept = np.unique([*near, len(self.times) - 1])
        self.times, self.states = self.times[kept], self.states[kept]


def optional_positive(owner: object, *labels: str) -> None:
    """Those fields that are given, as floats; refuse what is no positive, finite number."""
    keep_positive(owner, *(label for label in labels if getattr(owner, label) is not None))


def keep_positive(owner: object, *labels: str) -> None:
    """Fields as floats; refuse what is no positive, finite number, by name."""
    for label in labels:
        keep(owner, **{label: positive_number(label, getattr(owner, label))})


def keep_count(owner: object, label: str) -> None:
    """A field as a whole number from 1 on."""
    sentence = f"{label} must be at least 1, and whole"
    keep(owner, **{label: whole_within(sentence, getattr(owner, label), 1, MOST_COUNTED)})


def refuse_steps(duration: float, step: float, limit: int) -> None:
    """Refuse, before any work, more steps than the limit."""
    if duration / step > limit:
        raise InputError(
            f"duration {duration:g} s takes {duration / step:.3g} steps of at most {step:g} s, but "
            f"step_limit is {limit}; take longer steps, a shorter duration, or raise step_limit."
        )


def refuse_rows(duration: float, between: float, width: int) -> None:
    """Refuse to record so many rows that memory would not hold them: one every `between` seconds,
    of `width` numbers each."""
    if duration / between * width > MOST_NUMBERS:
        raise InputError(
            f"duration {duration:g} s, recorded every {between:g} s, gives "
            f"{duration / between:.3g} rows of {width} numbers; at most {MOST_NUMBERS} numbers are "
            f"kept. Record every {duration * width / MOST_NUMBERS:.2g} s or more, or take a "
            "shorter duration."
        )


def check_stored_size(what: str, rows: int, width: int, mend: str) -> None:
    """Refuse to keep so many rows of `width` numbers that memory would not hold them."""
    if rows * width > MOST_NUMBERS:
        raise InputError(
            f"{what}: {rows} rows of {width} numbers take {8e-9 * rows * width:.3g} GB of memory; "
            f"at most {MOST_NUMBERS} numbers are kept. {mend}"
        )


def output_times(duration: float, step: float) -> Floats:
    """Multiples of the step up to the duration without 0; integrators add the end themselves."""
    refuse_rows(duration, step, 1)
    count = int(np.floor(duration / step + _ON_GRID))
    times: Floats = np.arange(1, count + 1, dtype=np.float64) * step
    if count and abs(times[-1] - duration) <= _ON_GRID * step:
        times[-1] = duration
    return times


def whole_multiple(longer: float, shorter: float) -> int | None:
    """How many times the shorter fits into the longer, None when it doesn't fit evenly."""
    ratio = min(longer / shorter, MOST_COUNTED)  # more is never reached
    count = round(ratio)
    return count if count >= 1 and abs(ratio - count) <= _ON_GRID * max(count, 1) else None
