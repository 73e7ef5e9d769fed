"""The sampled-data system: forces change at the samples, the plant moves exactly between them.

Gillespie 1996, table 5.2 and Fig. 5.1, with the exact solution of the plant instead of a solver. A
computational delay of less than a period shifts the change of the force after the sample.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from touchback.errors import InputError, SolveError
from touchback.haptics.wall.closed_form_oscillator import Oscillator, State
from touchback.haptics.wall.encoder_sensing import EXACT, Motion, Sensing
from touchback.haptics.wall.laws import Adaptive, Law
from touchback.haptics.wall.loop_stability import check_delay
from touchback.haptics.wall.wall_controllers import Controller, WallController
from touchback.haptics.wall.wall_plant import (
    IDEAL_MOTOR,
    ContinuousBall,
    Device,
    Finger,
    Motor,
    Plant,
    Target,
)

_TAP = State(2e-3, -0.3)  # from two millimetres above the wall, downwards


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
    """What acted from each sample on [N], (N,)"""
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
    sensing: Sensing = EXACT,
    motor: Motor = IDEAL_MOTOR,
    delay: float = 0.0,
    volition: Sequence[float] | np.ndarray | None = None,
    assumed_plant: Plant | None = None,
) -> Trace:
    """Runs a controller against the plant for so many samples.

    What the controller sees is what the sensing tells, which may rest on another plant than the
    real one (`assumed_plant`); what acts is what the motor makes of its answers. Volition is a
    force of the hand on top of the bias, held over each sample [N].
    """
    check_delay(delay, period)
    if volition is not None and len(volition) < samples:
        raise InputError(
            f"{samples} samples need as many forces of volition: {len(volition)} given."
        )
    motion = plant.motion
    early, rest = motion.flow(delay), motion.flow(period - delay)
    sense = sensing.begin(assumed_plant or plant, period, start)
    ys, vs, forces, others = [start.y], [start.v], [], []
    state, acting, asked = start, 0.0, 0.0
    path = partial(_resting, start)
    for sample in range(samples):
        asked = controller.force(sample, sense.read(Motion(state, asked, path)))
        given = motor.force(asked)
        other = plant.force if volition is None else plant.force + float(volition[sample])
        path = partial(_along, motion, state, delay, acting + other, given + other)
        if delay:
            state = early(state, acting + other)
        state = rest(state, given + other)
        acting = given
        ys.append(state.y)
        vs.append(state.v)
        forces.append(given)
        others.append(other)
    return Trace(
        plant, period, delay, period * np.arange(samples + 1), np.array(ys), np.array(vs),
        np.array(forces), np.array(others),
    )  # fmt: skip


def _resting(state: State, time: float) -> State:
    return state


def _along(
    motion: Oscillator, start: State, delay: float, before: float, after: float, time: float
) -> State:
    """The state within a period, in which the force changes after the delay."""
    state = motion.flow(min(time, delay))(start, before)
    return motion.flow(max(time - delay, 0.0))(state, after)


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


def tap_errors(
    law: Law,
    wall: Target,
    period: float,
    device: Device,
    grips: Sequence[Finger],
    *,
    adaptive: bool,
    start: State = _TAP,
    bias: float = -1.0,
) -> list[float]:
    """|energy − energy with the continuous wall| / the latter, after one tap with each grip.

    The law is told the first grip and the bias force [N]; an adaptive one identifies the grips that
    follow.
    """
    first = Plant(device, grips[0], bias=bias)
    following = Adaptive(law, device, grips[0])
    memory: Sequence[float] = following.start
    errors = []
    for grip in grips:
        plant = Plant(device, grip, bias=bias)
        continuous = ContinuousBall.of(plant, wall, start)
        contact = continuous.contact(0)
        if contact is None:
            raise SolveError(f"A tap with {grip} stays in the wall; start faster or stiffen it.")
        samples = int(contact.exit / period) + 1
        controller = WallController(following if adaptive else law, first, wall, period)
        if adaptive:
            controller.memory = following.forget_motion(memory)
        trace = simulate(plant, controller, start, period, samples)
        memory = controller.memory
        due = continuous.state(samples * period)
        motion = plant.motion
        expected = motion.energy(due, plant.force)
        got = motion.energy(State(float(trace.y[-1]), float(trace.v[-1])), plant.force)
        errors.append(abs(got / expected - 1.0))
    return errors
