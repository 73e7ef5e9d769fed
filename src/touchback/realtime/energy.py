"""The energy observer of a live run: what leaves through a port, and what happens at its limit."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from touchback.errors import InputError
from touchback.native.live.wanted import EnergyPort
from touchback.numbers import MOST, is_one_of, keep, number_within, shown
from touchback.recording import unknown_name


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
