"""What a technician would measure: blow, let-off, drop, check, weights, and what follows."""

from dataclasses import dataclass

import numpy as np

from touchback.instruments.piano.action_specification import Specification
from touchback.instruments.piano.finger_motions import PressedTouch
from touchback.instruments.piano.piano_action import grand_piano_action
from touchback.instruments.piano.stroke_analysis import (
    force_curve,
    key_weights,
    slow_press,
    stroke_at,
)
from touchback.recording import Run
from touchback.system import System


@dataclass(frozen=True)
class Regulated:
    """Lengths [m] and masses [kg] of a regulated action; weights are NaN where it has none."""

    blow: float  # crown to string at rest
    let_off: float  # where the hammer turns back when pressed slowly, below the string
    let_off_depth: float  # and the key's depth there
    held: float  # where it then rests: let-off and drop
    check: float  # where the backcheck holds it after a blow at 2 m/s
    ratio: float  # hammer travel over key travel, mean of the stroke
    effective_mass: float  # of the whole action at the key front
    down_weight: float
    up_weight: float


def measure(specification: Specification | None = None) -> Regulated:
    """The figures of an action."""
    system = slow_press(specification)
    curve = force_curve(system)
    run, gap, depth = curve.run, curve.run["string gap"], curve.run["key depth"]
    end_of_hold = float(run.time[depth > depth.max() - 1e-6][-1])
    down = run.time < end_of_hold
    turn = int(np.argmin(np.where(down, gap, np.inf)))
    start = float(np.interp(0.0, run.time, gap))
    return Regulated(
        blow=start,
        let_off=float(gap[turn]),
        let_off_depth=float(depth[turn]),
        held=float(np.interp(end_of_hold - 0.02, run.time, gap)),
        check=checked(specification),
        ratio=_ratio(depth[down], gap[down]),
        effective_mass=effective_mass(system, run),
        down_weight=(both := key_weights(system) or (np.nan, np.nan))[0],
        up_weight=both[1],
    )


def _ratio(depth: np.ndarray, gap: np.ndarray, low: float = 0.5e-3, high: float = 7e-3) -> float:
    rising = np.maximum.accumulate(depth)
    return float((np.interp(low, rising, gap) - np.interp(high, rising, gap)) / (high - low))


def effective_mass(system: System, run: Run, low: float = 2e-3, high: float = 4e-3) -> float:
    """uᵀ M u for the motion u of all coordinates that goes with a unit motion of the key front, as
    in a slow press [kg]."""
    first = int(np.argmax(run["key depth"] > low))
    last = int(np.argmax(run["key depth"] > high))
    q = np.array([run[name] for name in system.coordinates])
    u = (q[:, last] - q[:, first]) / (run["key depth"][last] - run["key depth"][first])
    M = system.mass_matrix(q[:, (first + last) // 2])
    return float(u @ M @ u)


def checked(specification: Specification | None = None, speed: float = 2.0) -> float:
    """How far below the string the hammer is held after a blow [m]."""
    system = grand_piano_action("motion", PressedTouch(), specification).compile()
    return float(stroke_at(system, speed).run["string gap"][-1])
