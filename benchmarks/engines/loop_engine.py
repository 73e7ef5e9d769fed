"""What the comparison of loops asks of an engine."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from benchmarks.planar_loops import PlanarLoops
from benchmarks.timing import Floats


@dataclass(frozen=True)
class Quality:
    """The largest gap in a loop [m] and the largest change of energy, as a part of the largest
    kinetic energy, over a run."""

    gap: float
    energy: float


class LoopEngine(Protocol):
    """A mechanism in an engine, ready to step from its start."""

    name: str
    note: str

    def seconds(self, steps: int) -> float:
        """Seconds a step over so many steps from the start."""
        ...

    def quality(self, steps: int, every: int) -> Quality:
        """Of a run of so many steps, looked at every so many."""
        ...


def judge(mechanism: PlanarLoops, system: Any, q: Floats, v: Floats) -> Quality:
    """Quality of states in joint coordinates (a row each), by one measure for all engines."""
    gaps = [np.abs(system.constraint_error(row)).max() for row in q]
    kinetic, potential = np.array([system.energy(a, b) for a, b in zip(q, v, strict=True)]).T
    done = sum((torque * q[:, i] for i, torque in mechanism.torques.items()), np.zeros(len(q)))
    energy = kinetic + potential - done
    return Quality(float(max(gaps)), float(np.abs(energy - energy[0]).max() / kinetic.max()))
