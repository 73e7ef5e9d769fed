"""What a sampled floor did to the ball: energies after bounces, distance from the true one."""

from dataclasses import dataclass

import numpy as np

from touchback.haptics.wall.continuous import ContinuousBall
from touchback.haptics.wall.oscillator import State
from touchback.haptics.wall.plant import Target
from touchback.haptics.wall.simulation import Trace


@dataclass(frozen=True)
class Bounces:
    """One entry for each contact that ended."""

    first_outside: np.ndarray
    """The first sample outside after each contact."""
    energy: np.ndarray
    """The plant's energy there [J]."""
    samples_inside: np.ndarray

    @property
    def count(self) -> int:
        return len(self.energy)


def free_samples(trace: Trace) -> np.ndarray:
    """Whether each sample is outside the floor with no force acting, not even a late one."""
    acting = trace.wall_force != 0.0
    if trace.delay:
        acting[1:] |= trace.wall_force[:-1] != 0.0
    return (trace.y[:-1] >= 0.0) & ~acting


def bounces(trace: Trace) -> Bounces:
    """Finds the contacts of a run; a force after the exit still belongs to its contact."""
    inside = ~free_samples(trace)
    change = np.diff(inside.astype(int))
    starts, ends = np.flatnonzero(change == 1) + 1, np.flatnonzero(change == -1) + 1
    if inside[0]:
        ends = ends[1:]
    starts = starts[: len(ends)]
    motion, force = trace.plant.motion, trace.plant.force
    energy = [motion.energy(State(trace.y[n], trace.v[n]), force) for n in ends]
    return Bounces(ends, np.array(energy), ends - starts)


def distance_outside(trace: Trace, wall: Target) -> np.ndarray:
    """|y − y of the continuous ball| at the samples outside the floor and free of force [m]."""
    continuous = ContinuousBall.of(trace.plant, wall, State(float(trace.y[0]), float(trace.v[0])))
    outside = np.flatnonzero(free_samples(trace))
    expected = np.array([continuous.state(float(trace.time[n])).y for n in outside])
    return np.abs(trace.y[outside] - expected)
