"""The sampled-data system: forces change at the samples, the plant moves exactly between them.

Gillespie 1996, table 5.2 and Fig. 5.1, with the exact solution of the plant instead of a solver. A
computational delay of less than a period shifts the change of the force after the sample.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from touchback.errors import InputError
from touchback.haptics.wall.controllers import Controller
from touchback.haptics.wall.oscillator import State
from touchback.haptics.wall.plant import Plant

Velocity = Literal["sensed", "differentiated"]


@dataclass(frozen=True)
class Trace:
    """A run at its samples: arrays over the samples, forces from each sample on."""

    plant: Plant
    period: float
    delay: float
    time: np.ndarray
    """[s], (N+1,)"""
    y: np.ndarray
    """[m], (N+1,)"""
    v: np.ndarray
    """[m/s], (N+1,)"""
    wall_force: np.ndarray
    """What each sample's law answered [N], (N,)"""
    other_force: np.ndarray
    """Bias, finger's anchor and volition [N], (N,)"""

    def between(self, points: int = 20) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Time, position and wall force between samples too, for pictures."""
        steps = np.arange(points) * (self.period / points)
        before = np.concatenate([[0.0], self.wall_force[:-1]])
        late = steps[None, :] < self.delay
        force = np.where(late, before[:, None], self.wall_force[:, None])
        motion = self.plant.motion
        early = [motion.flow(min(step, self.delay)) for step in steps]
        rest = [motion.flow(max(step - self.delay, 0.0)) for step in steps]
        y = np.empty_like(force)
        for k, start in enumerate(zip(self.y[:-1], self.v[:-1])):
            for j in range(points):
                turned = early[j](State(*start), before[k] + self.other_force[k])
                y[k, j] = rest[j](turned, self.wall_force[k] + self.other_force[k]).y
        return (self.time[:-1, None] + steps).ravel(), y.ravel(), force.ravel()


def simulate(
    plant: Plant,
    controller: Controller,
    start: State,
    period: float,
    samples: int,
    *,
    velocity: Velocity = "sensed",
    delay: float = 0.0,
    volition: Sequence[float] | np.ndarray | None = None,
) -> Trace:
    """Runs a controller against the plant for so many samples.

    The velocity that the controller sees is the true one, or the backward difference of the last
    two positions. Volition is a force of the hand on top of the bias, held over each sample [N].
    """
    if not 0.0 <= delay <= period or period <= 0.0:
        raise InputError(
            f"A delay of {delay} s doesn't fit a period of {period} s: 0 ≤ delay ≤ period."
        )
    if volition is not None and len(volition) < samples:
        raise InputError(
            f"{samples} samples need as many forces of volition: {len(volition)} given."
        )
    motion = plant.motion
    early, rest = motion.flow(delay), motion.flow(period - delay)
    ys, vs, forces, others = [start.y], [start.v], [], []
    state, acting, before = start, 0.0, start.y - period * start.v
    for sample in range(samples):
        known = state
        if velocity == "differentiated":
            known = State(state.y, (state.y - before) / period)
            before = state.y
        answer = controller.force(sample, known)
        other = plant.force if volition is None else plant.force + float(volition[sample])
        if delay:
            state = early(state, acting + other)
        state = rest(state, answer + other)
        acting = answer
        ys.append(state.y)
        vs.append(state.v)
        forces.append(answer)
        others.append(other)
    return Trace(
        plant, period, delay, period * np.arange(samples + 1), np.array(ys), np.array(vs),
        np.array(forces), np.array(others),
    )  # fmt: skip
