"""The force at the key front over its depth, slowly pressed and released (Docquier 2021, fig. 24).

Phases of the way down, as found from what touches: A, the key lifts whippen and hammer; B, the
damper too; C, let-off: the jack's toe is on its button or the lever on its drop screw, until the
hammer turns back because the jack has slipped from the knuckle; D, aftertouch and key bed.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from touchback.gallery.piano.action import grand_piano_action
from touchback.gallery.piano.experiments.strokes import TOUCHES, play
from touchback.gallery.piano.parameters import Specification
from touchback.gallery.piano.touch import Straight
from touchback.recording import Run
from touchback.system import System

GRAM = 9.81e-3  # weight of a gram [N]
PHASES = ("A", "B", "C", "D")
PEDALLED = {"pedal lift": 0.008}  # dampers lifted, as where weights are measured


@dataclass(frozen=True)
class ForceCurve:
    """Depth [m] and force [N] at the key front on the way down and up; where each phase begins on
    the way down [m]."""

    run: Run
    down: tuple[np.ndarray, np.ndarray]
    up: tuple[np.ndarray, np.ndarray]
    phases: dict[str, float]

    def force(self, low: float, high: float) -> float:
        """Mean force on the way down between two depths [N]."""
        return float(np.interp(np.linspace(low, high, 101), *self.down).mean())

    @property
    def let_off(self) -> tuple[float, float]:
        """Depth [m] and force [N] of the let-off's peak."""
        depth, force = self.down
        inside = np.flatnonzero((depth >= self.phases["C"]) & (depth <= self.phases["D"]))
        peak = int(inside[np.argmax(force[inside])])
        return float(depth[peak]), float(force[peak])


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
        _phases(run, down),
    )


def _phases(run: Run, down: np.ndarray) -> dict[str, float]:
    depth = run["key depth"][down]

    def first(condition: np.ndarray) -> float:
        return float(depth[int(np.argmax(condition))])

    held = (run["button force"][down] > TOUCHES) | (run["drop screw force"][down] > TOUCHES)
    above_bed = np.where(run["key bed gap"][down] > 0.0, run["string gap"][down], np.inf)
    turn = int(np.argmin(above_bed))
    damper = first(run["damper lift force"][down] > TOUCHES)
    return {"A": 0.0, "B": damper, "C": first(held), "D": float(depth[turn])}


def weights(system: System, parameters: Mapping[str, float] | None = None) -> tuple[float, float]:
    """Down weight and up weight [kg], with the damper lifted: the most that is needed on the way
    down and the least on the way up, between 1 and 6 mm."""
    curve = force_curve(system, {**PEDALLED, **(parameters or {})})

    def between(side: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        depth, force = side
        return np.asarray(force[(depth > 1e-3) & (depth < 6e-3)])

    return float(between(curve.down).max()) / 9.81, float(between(curve.up).min()) / 9.81
