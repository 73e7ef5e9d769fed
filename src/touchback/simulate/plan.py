"""What was asked of a run, checked, and what an integrator hands back."""

from dataclasses import dataclass, field

import numpy as np

from touchback.errors import InputError
from touchback.simulate.protocol import Floats
from touchback.simulate.rigid import is_real

MOST_NUMBERS = 100_000_000  # that a run keeps in memory: 0.8 GB
_ON_GRID = 1e-9  # of a step: instants closer than this are the same


@dataclass(frozen=True)
class Plan:
    """Settings of a run from the time `start`, in seconds; without a `step` the method chooses."""

    method: str
    duration: float
    step: float | None
    rtol: float
    atol: float
    output_step: float | None
    step_limit: int
    start: float = 0.0

    @property
    def end(self) -> float:
        """When the run is over."""
        return self.start + self.duration

    def output_times(self, intervals: int) -> Floats:
        """When states are recorded after the start: by `output_step`, else so many intervals."""
        step = self.output_step or self.duration / intervals
        times = self.start + output_times(self.duration, step)
        if len(times) and abs(times[-1] - self.end) <= _ON_GRID * step:
            times[-1] = self.end
        return times

    def __post_init__(self) -> None:
        for label in ("duration", "step", "rtol", "atol", "output_step"):
            value = getattr(self, label)
            if value is not None and not (is_real(value) and np.isfinite(value) and value > 0.0):
                raise InputError(f"{label} must be a positive number, got {value!r}.")
        if not np.isfinite(self.start):
            raise InputError(f"start must be a finite time, got {self.start!r}.")
        if self.step_limit < 1:
            raise InputError(f"step_limit must be at least 1, got {self.step_limit}.")

    def refuse_excess(self, width: int, default_step: float | None = None) -> None:
        """Refuse, before any work, more steps than `step_limit` and more numbers than memory should
        hold, with so many (`width`) in a recorded row; fixed steps have a `default_step`."""
        step = self.step or default_step
        if step and self.duration / step > self.step_limit:
            raise InputError(
                f"duration {self.duration:g} s takes {self.duration / step:.3g} steps of at most "
                f"{step:g} s, but step_limit is {self.step_limit}; take longer steps, a shorter "
                "duration, or raise step_limit."
            )
        between = self.output_step or (default_step and step)
        if between:
            refuse_rows(f"duration {self.duration:g} s", self.duration, between, width)


@dataclass(frozen=True)
class Failure:
    """Why a run ended early: when, what happened to which signal, what usually mends
    it, and what was raised, if anything."""

    time: float
    what: str
    mend: str
    cause: BaseException | None = None


@dataclass
class Trajectory:
    """The recorded instants and states (a row each) of a run, and how it went."""

    times: Floats
    states: Floats
    statistics: dict[str, float] = field(default_factory=dict)
    failure: Failure | None = None


def refuse_rows(what: str, duration: float, between: float, width: int) -> None:
    """Refuse to record so many rows that memory would not hold them: one every `between` seconds,
    of `width` numbers each."""
    if duration / between * width > MOST_NUMBERS:
        raise InputError(
            f"{what}, recorded every {between:g} s, gives {duration / between:.3g} rows of {width} "
            f"numbers; at most {MOST_NUMBERS} numbers are kept. Record every "
            f"{duration * width / MOST_NUMBERS:.2g} s or more, or take a shorter duration."
        )


def output_times(duration: float, step: float) -> Floats:
    """Multiples of the step up to the duration without 0; integrators add the end themselves."""
    refuse_rows(f"duration {duration:g} s", duration, step, 1)
    count = int(np.floor(duration / step + _ON_GRID))
    times: Floats = np.arange(1, count + 1, dtype=np.float64) * step
    if count and abs(times[-1] - duration) <= _ON_GRID * step:
        times[-1] = duration
    return times


def whole_multiple(longer: float, shorter: float) -> int | None:
    """How many times the shorter fits into the longer, None when it doesn't fit evenly."""
    ratio = longer / shorter
    count = round(ratio)
    return count if count >= 1 and abs(ratio - count) <= _ON_GRID * max(count, 1) else None
