"""Two readings of Gillespie's coupler k₁, b₁ between manipulandum and key, and what each gives for
his order of events.

His table heads 200 with N/m, his text calls the spring torsional (§3.5.1), and the force that he
plots is k₁ (D − q₁) with angles: so it is 200 N m/rad about the key's pin, 2970 N/m at the key
front, fifteen times as stiff as 200 N/m there. His ramp of 0.028 rad is 7.3 mm at our key front
(6.4 mm at his): less than the way to let-off. Scaled, it ends where the key presses its bed.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from studies.piano.stages import BEGIN, COUPLER, END, FAR, gillespie
from touchback.instruments.piano.action_specification import Specification
from touchback.instruments.piano.piano_action import grand_piano_action
from touchback.instruments.piano.piano_action_modes import piano_action_with_modes
from touchback.model import Model

FRONT = Specification().dimensions.key_front
DIP = Specification().regulation.dip
SURPLUS = 1.6  # N at the key bed: what the soft reading's scaled ramp has there
TORSIONAL = {name: value / FRONT**2 for name, value in COUPLER.items()}
DRIVEN = (-0.0335, -0.0055)  # rad: the manipulandum's angle D before and after the ramp
PRINTED = (DRIVEN[1] - DRIVEN[0]) * FRONT  # m: his ramp at our key front
READINGS: dict[str, tuple[dict[str, float], float]] = {
    "soft, ramp as printed": (COUPLER, PRINTED),
    "soft, scaled": (COUPLER, FAR),
    "torsional, ramp as printed": (TORSIONAL, PRINTED),
    "torsional, scaled": (TORSIONAL, DIP + SURPLUS / TORSIONAL["finger stiffness"]),
}
MODELS: dict[str, Callable[..., Model]] = {
    "full contact": grand_piano_action,
    "modes": piano_action_with_modes,
}
EVENTS = ("let-off", "slipped", "strike")


@dataclass(frozen=True)
class Events:
    """When [s] let-off began, the jack slipped and the hammer struck: NaN for never; how deep the
    key went [m]; how much the coupler pressed at most [N]."""

    times: tuple[float, float, float]
    deepest: float
    force: float

    @property
    def in_order(self) -> bool:
        """Whether all three came, one after the other."""
        return bool(np.isfinite(self.times).all() and np.diff(self.times).min() > 0.0)


def events(reading: str, model: str = "full contact") -> Events:
    """His stroke with one reading of the coupler."""
    coupler, far = READINGS[reading]
    run, stages = gillespie(coupler, far, MODELS[model])
    when = {stage.name: stage.time for stage in stages}
    after = run.time > 0.0
    aim = np.interp(run.time, [BEGIN, END], [0.0, far])
    push = coupler["finger stiffness"] * np.maximum(aim - run["key depth"], 0.0)
    return Events(
        tuple(when.get(name, np.nan) for name in EVENTS),  # type: ignore[arg-type]
        float(run["key depth"][after].max()),
        float(push[after].max()),
    )
