"""The force at the key front over its depth, slowly pressed and released (Docquier 2021, fig. 24).

Stages of the way down, as found from what touches: A, the key lifts whippen and hammer; B, the
damper too; C, let-off: the jack's toe is on its button or the lever on its drop screw, until the
hammer turns back because the jack has slipped from the knuckle; D, aftertouch and key bed.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from touchback import Run, System
from touchback.instruments.piano.action import grand_piano_action
from touchback.instruments.piano.parameters import Specification
from touchback.instruments.piano.strokes import TOUCHES, play
from touchback.instruments.piano.touch import Straight

GRAM = 9.81e-3  # weight of a gram [N]
STAGES = ("A", "B", "C", "D")
PEDALLED = {"pedal lift": 0.008}  # dampers lifted, as where weights are measured
WEIGHED = (1e-3, 6e-3)  # depths between which they are, at most [m]
LEAST = 0.2e-3  # of these: less is no stroke [m]


@dataclass(frozen=True)
class ForceCurve:
    """Depth [m] and force [N] at the key front on the way down and up; where each stage begins on
    the way down [m], of those that do; where the jack has slipped from the knuckle, and carries it
    no more [m], infinity for nowhere."""

    run: Run
    down: tuple[np.ndarray, np.ndarray]
    up: tuple[np.ndarray, np.ndarray]
    stages: dict[str, float]
    slips: float

    def force(self, low: float, high: float) -> float:
        """Mean force on the way down between two depths [N]."""
        return float(np.interp(np.linspace(low, high, 101), *self.down).mean())

    @property
    def let_off(self) -> tuple[float, float] | None:
        """Depth [m] and force [N] of the let-off's peak, until the jack has slipped: with a button
        that is low the lever carries the hammer on. None where the key bed comes first, or where
        the jack never slips: its button is too high, or it never carried."""
        depth, force = self.down
        if "C" not in self.stages or self.slips == np.inf:
            return None
        last = min(self.slips, self.stages["D"])
        inside = np.flatnonzero((depth >= self.stages["C"]) & (depth <= last))
        if not inside.size:
            return None
        peak = int(inside[np.argmax(force[inside])])
        return float(depth[peak]), float(force[peak])

    @property
    def weighed(self) -> tuple[float, float]:
        """Depths [m] between which weights are taken: before damper, let-off and key bed."""
        low, high = WEIGHED
        return low, min(high, *(begin for name, begin in self.stages.items() if name != "A"))

    @property
    def weights(self) -> tuple[float, float] | None:
        """Down weight and up weight [kg]: the most that is needed on the way down and the least on
        the way up, where it is `weighed`; none where damper, let-off or key bed begin at once."""
        low, high = self.weighed
        if high - low < LEAST:
            return None
        down, up = (
            force[(depth > low) & (depth < high)] / 9.81 for depth, force in (self.down, self.up)
        )
        return float(down.max()), float(up.min())


def slow_press(specification: Specification | None = None, speed: float = 0.010) -> System:
    """An action that is pressed and released at a constant speed [m/s]."""
    return grand_piano_action("motion", Straight(speed), specification).compile()


def force_curve(
    system: System, parameters: Mapping[str, float] | None = None, front: float = 0.2595
) -> ForceCurve:
    """The curve of a system from `slow_press`."""
    given = {**system.parameters, **(parameters or {})}
    bottom = given["key dip"] + 0.4e-3
    stroke = bottom / given["touch speed"]
    run = play(system, 2 * stroke + given["hold"], parameters, output_step=1e-3)
    t, depth, force = run.time, run["key depth"], run["touch effort"] / front
    down = (t > 0.0) & (t <= stroke)
    up = t > stroke + given["hold"]
    return ForceCurve(
        run,
        (depth[down], force[down]),
        (depth[up][::-1], force[up][::-1]),
        _stages(run, down),
        _slips(run, down),
    )


def _stages(run: Run, down: np.ndarray) -> dict[str, float]:
    depth = run["key depth"][down]
    above_bed = np.where(run["key bed gap"][down] > 0.0, run["string gap"][down], np.inf)
    begun = {"B": run["damper lift force"][down] > TOUCHES, "C": _held(run, down)}
    found = {name: float(depth[np.argmax(at)]) for name, at in begun.items() if at.any()}
    return {"A": 0.0, **found, "D": float(depth[np.argmin(above_bed)])}


def _slips(run: Run, down: np.ndarray) -> float:
    """Where the jack, out from under the middle of the knuckle, no longer carries it; the bottom,
    if it went out but carries on to the bed. One whose screw has it stand out at rest is let off
    alike."""
    depth, out = run["key depth"][down], run["jack overlap"][down] < 0.0
    carries, above = run["jack force"][down] > TOUCHES, run["key bed gap"][down] > 0.0
    left = out & above & ~carries & np.logical_or.accumulate(carries & _held(run, down))
    if left.any():
        return float(depth[np.argmax(left)])
    return float(depth[-1]) if out.any() and not out[0] else np.inf


def _held(run: Run, down: np.ndarray) -> np.ndarray:
    """Whether the jack's toe is on its button, or the lever on its drop screw."""
    touching = (run[f"{name} force"][down] > TOUCHES for name in ("button", "drop screw"))
    return np.logical_or(*touching)


def weights(
    system: System, parameters: Mapping[str, float] | None = None
) -> tuple[float, float] | None:
    """Down weight and up weight [kg] with the damper lifted (`ForceCurve.weights`)."""
    return force_curve(system, {**PEDALLED, **(parameters or {})}).weights
