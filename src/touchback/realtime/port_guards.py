"""What a live run is told about its ports: how old an input may be, what an output may do."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from touchback.errors import InputError
from touchback.names import unknown_name
from touchback.native import EnergyPort, Guard, Watch
from touchback.numbers import MOST, as_float, is_one_of, is_real, keep, number_within, shown

LONGEST_AGE = 1e9  # s: ticks of it are counted in 64 bits


LONGEST_RAMP = 10.0  # seconds: the end of a run waits for it, and so does Ctrl-C


STOP_PORT = "emergency stop"  # every run has it; a message other than zero stops


def number_of(name: str, value: object) -> float:
    """What is given for an input or a parameter, as a number."""
    if type(value) is float:  # as it mostly is
        return value
    plain = value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value
    if not is_real(plain):
        raise InputError(f"'{name}' must be a number, got {shown(value)}.")
    return as_float(plain)


def _read_numbers(owner: object, whose: str, *labels: str) -> None:
    """Fields as floats; refuse what is no number, by name."""
    for label in labels:
        value = getattr(owner, label)
        if not is_real(value):
            hold = " or 'hold'" if label == "safe" else ""
            raise InputError(f"{whose} {label} must be a number{hold}, got {shown(value)}.")
        keep(owner, **{label: as_float(value)})


@dataclass(frozen=True)
class WatchedInput:
    """A watched input: after `max_age` seconds of the model's time without a message all guarded
    outputs go to their safe values, as they do in a clocked run where the message in use was made
    (its stamp) more than `max_age`, a tick and 20 ms before they are delivered: ticks, or a step,
    stood still. The model goes on with `safe` then ("hold": the last value) if the input has had
    a message at all; with the next message the outputs come back along their soft starts. `low` and
    `high` bound what is accepted."""

    max_age: float | None = None
    low: float = -math.inf
    high: float = math.inf
    safe: float | Literal["hold"] = "hold"

    def __post_init__(self) -> None:
        aged = () if self.max_age is None else ("max_age",)
        _read_numbers(self, "An input's", "low", "high", *aged)
        if self.max_age is not None and not 0.0 < self.max_age <= LONGEST_AGE:
            raise InputError(
                f"max_age must be a positive number of seconds, at most {LONGEST_AGE:g}, got "
                f"{self.max_age}."
            )
        if not self.low <= self.high:
            raise InputError(f"An input's low {self.low} must not lie above its high {self.high}.")
        if not is_one_of(self.safe, ("hold",)):
            _read_numbers(self, "An input's", "safe")
            self._check_safe(float(self.safe))

    def _check_safe(self, safe: float) -> None:
        if self.max_age is None:
            raise InputError(f"An input's safe value {safe} needs a max_age, after which it holds.")
        if not (math.isfinite(safe) and self.low <= safe <= self.high):
            raise InputError(
                f"An input's safe value {safe} must lie within [{self.low}, {self.high}]; or "
                'use safe="hold".'
            )

    def watch(self, rate: float) -> Watch:
        """In units of ticks, for the loop."""
        if self.max_age is None:
            return Watch()
        safe = math.nan if self.safe == "hold" else float(self.safe)
        return Watch(max(1, round(self.max_age * rate)), safe)

    def check(self, name: str, value: float) -> None:
        """Refuses what isn't a number or lies out of range."""
        if not self.low <= value <= self.high or not math.isfinite(value):
            raise InputError(
                f"Input '{name}': {value} lies outside its range [{self.low}, {self.high}]."
            )


@dataclass(frozen=True)
class GuardedOutput:
    """A guarded output: what a device may get.

    `low`, `high` are limits: a value beyond them is a fault that lasts until `resume`, or with
    `at_limit="clip"` is clipped and counted. `slew` is the fastest change [unit/s]. On a fault, and
    at the end of the run, the output goes to `safe` ("hold": stays where it is) within one tick, or
    along a `ramp` of so many seconds (at most 10); at the start and after a fault it comes back
    within `soft_start` seconds.
    """

    safe: float | Literal["hold"] = 0.0
    low: float = -math.inf
    high: float = math.inf
    slew: float = math.inf
    ramp: float = 0.0
    soft_start: float = 0.0
    at_limit: Literal["safe", "clip"] = "safe"

    def __post_init__(self) -> None:
        _read_numbers(self, "An output's", "low", "high", "slew", "ramp", "soft_start")
        safe = 0.0
        if not is_one_of(self.safe, ("hold",)):
            _read_numbers(self, "An output's", "safe")
            safe = float(self.safe)
        if not self.low <= self.high:
            raise InputError(f"An output's low {self.low} must not lie above its high {self.high}.")
        if self.safe != "hold" and not (math.isfinite(safe) and self.low <= safe <= self.high):
            raise InputError(
                f"An output's safe value {self.safe} must lie within [{self.low}, {self.high}]; "
                'or use safe="hold".'
            )
        if not self.slew > 0.0:
            raise InputError(f"An output's slew must be positive, got {self.slew}.")
        for label, seconds in (("ramp", self.ramp), ("soft_start", self.soft_start)):
            if not (math.isfinite(seconds) and seconds >= 0.0):
                raise InputError(f"An output's {label} must be seconds from 0 on, got {seconds}.")
        if self.ramp > LONGEST_RAMP:
            raise InputError(
                f"An output's ramp takes at most {LONGEST_RAMP:g} s, for the end of a run waits "
                f"for it; got {self.ramp}."
            )
        if not is_one_of(self.at_limit, ("safe", "clip")):
            raise InputError(f"at_limit is 'safe' or 'clip', not {shown(self.at_limit)}.")

    def guard(self, place: int, rate: float) -> Guard:
        """In units of ticks, for the loop."""
        return Guard(
            place, self.low, self.high, self.slew / rate,
            None if self.safe == "hold" else float(self.safe),
            1.0 / max(1.0, self.ramp * rate), 1.0 / max(1.0, self.soft_start * rate),
            self.at_limit == "safe",
        )  # fmt: skip


@dataclass(frozen=True)
class EnergyObserver:
    """Counts the energy [J] that leaves through a port, Σ f·Δx over its pairs of an output force
    and the input that tells how the device moves along it: a velocity, or with
    `motion="position"` a position (then the work of a held force is exact).

    A passive display gives back no more than it got: `limit` is what may leave in all. At the limit
    guarded outputs go to their safe values until `resume` (which begins to count anew); with
    `at_limit="damp"` a passivity controller takes the excess out by damping, f − α v with α at
    most `damping` [N s/m], and outputs go to safe only beyond `trip` [J].

    Sources: Hannaford and Ryu 2002, "Time-domain passivity control of haptic interfaces"; for held
    forces and positions Stramigioli et al. 2005.
    """

    pairs: Mapping[str, str]  # output force: input motion
    limit: float = 0.0
    motion: Literal["velocity", "position"] = "velocity"
    at_limit: Literal["safe", "damp"] = "safe"
    damping: float = 0.0
    trip: float = math.inf

    def __post_init__(self) -> None:
        if not isinstance(self.pairs, Mapping) or not self.pairs:
            raise InputError(
                "An energy observer needs pairs {output force: input motion}, got "
                f"{shown(self.pairs)}."
            )
        sentence = "An energy limit is a number of joules from 0 on"
        keep(self, limit=number_within(sentence, self.limit, 0.0, MOST))
        for word in ("damping", "trip"):
            sentence = f"An energy observer's {word} is a number"
            keep(self, **{word: number_within(sentence, getattr(self, word))})
        if not is_one_of(self.motion, ("velocity", "position")):
            raise InputError(f"motion is 'velocity' or 'position', not {shown(self.motion)}.")
        if not is_one_of(self.at_limit, ("safe", "damp")):
            raise InputError(f"at_limit is 'safe' or 'damp', not {shown(self.at_limit)}.")
        if (self.at_limit == "damp") != (math.isfinite(self.damping) and self.damping > 0.0):
            raise InputError(
                f"at_limit={self.at_limit!r} and damping={self.damping}: give the most damping "
                "[N s/m] that may be injected with at_limit='damp', and only there."
            )
        if not self.trip >= self.limit:
            raise InputError(f"trip {self.trip} J must not lie below the limit {self.limit} J.")

    def port(self, inputs: Sequence[str], outputs: Sequence[str]) -> EnergyPort:
        """In places, for the loop."""
        return EnergyPort(
            [list(outputs).index(name) for name in self.pairs],
            [1 + list(inputs).index(name) for name in self.pairs.values()],
            self.limit, self.motion == "position", self.damping, self.trip,
        )  # fmt: skip

    def check(
        self,
        name: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        guarded: Mapping[str, object],
    ) -> None:
        """Refuses pairs of what isn't there, and forces without a safe value."""
        for force, motion in self.pairs.items():
            if force not in outputs:
                raise unknown_name("output", force, outputs)
            if motion not in inputs:
                raise unknown_name("input", motion, inputs)
            if force not in guarded:
                raise InputError(
                    f"Energy '{name}': output '{force}' isn't guarded: say what is safe for the "
                    f"device by live(…, outputs={{{force!r}: GuardedOutput(…)}})."
                )
