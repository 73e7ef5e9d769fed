"""A compensator that is designed anew, outside the wall, for the grip that recursive least squares
identified."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

import touchback as tb
from touchback.errors import SolveError
from touchback.haptics.wall.closed_form_oscillator import State
from touchback.haptics.wall.sampled_simulation import simulate
from touchback.haptics.wall.wall_controllers import Controller
from touchback.haptics.wall.wall_plant import ContinuousBall, Device, Finger, Plant, Target

_SCALE = (0.02, 3.75, 257.0, 1.0)  # of mass, damping, stiffness, force: well conditioned


_UNSURE = 1e12  # the covariance before any sample, against squared momenta of about 1e-8


_LEAST_MOTION = 1e-9  # changes of momentum [N s] below which a sample teaches only noise


@dataclass
class FingerIdentifier:
    """An estimate of the finger on a known device; the weight of old samples fades."""

    device: Device
    period: float
    guess: Finger = field(default_factory=Finger)
    forgetting: float = 0.9

    def __post_init__(self) -> None:
        guess = [self.guess.mass, self.guess.damping, self.guess.stiffness, 0.0]
        self._known = tb.estimate.RecursiveLeastSquares(_SCALE, self.forgetting, guess, _UNSURE)
        self.samples = 0

    @property
    def finger(self) -> Finger:
        """The estimate, with nothing below zero: a finger is passive."""
        mass, damping, stiffness, _ = np.maximum(self._known.estimate, 0.0)
        return Finger(float(mass), float(damping), float(stiffness))

    @property
    def plant(self) -> Plant:
        """Device, estimated finger and estimated constant force."""
        return Plant(self.device, self.finger, bias=float(self._known.estimate[3]))

    def learn(self, before: State, now: State, wall_force: float) -> None:
        """Takes in one sample: the states at its ends and the wall's force through it [N]."""
        dv, dy = now.v - before.v, now.y - before.y
        half = 0.5 * self.period
        area = half * (before.y + now.y) + half**2 / 3.0 * (before.v - now.v)
        known = wall_force * self.period - self.device.mass * dv - self.device.damping * dy
        if abs(self.device.mass * dv) < _LEAST_MOTION:
            return
        self._known.learn((dv, dy, area, -self.period), known)
        self.samples += 1


_TAP = State(2e-3, -0.3)  # from two millimetres above the wall, downwards


Design = Callable[[Plant, Target, float], Controller]


@dataclass
class AdaptiveWall:
    """Any design, kept up to date by an identifier. Velocity must be sensed, without delay."""

    design: Design
    wall: Target
    period: float
    identifier: FingerIdentifier
    _controller: Controller = field(init=False)
    _designed_for: Plant = field(init=False)
    _before: State | None = field(default=None, init=False)
    _acting: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        self._redesign()

    def begin(self) -> None:
        """Forgets the last sample, not the grip: the next one starts a new motion."""
        self._before = None
        self._redesign()

    def force(self, sample: int, state: State) -> float:
        if self._before is not None:
            self.identifier.learn(self._before, state, self._acting)
        if state.y >= 0.0 and self._acting == 0.0 and self.identifier.plant != self._designed_for:
            self._redesign()
        self._before = state
        self._acting = self._controller.force(sample, state)
        return self._acting

    def _redesign(self) -> None:
        self._designed_for = self.identifier.plant
        self._controller = self.design(self._designed_for, self.wall, self.period)


def tap_errors(
    design: Design,
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

    The compensator is designed for the first grip; an adaptive one identifies those that follow.
    """
    first = Plant(device, grips[0], bias=bias)
    identifier = FingerIdentifier(device, period, grips[0])
    following = AdaptiveWall(design, wall, period, identifier)
    errors = []
    for grip in grips:
        plant = Plant(device, grip, bias=bias)
        continuous = ContinuousBall.of(plant, wall, start)
        contact = continuous.contact(0)
        if contact is None:
            raise SolveError(f"A tap with {grip} stays in the wall; start faster or stiffen it.")
        samples = int(contact.exit / period) + 1
        following.begin()
        controller = following if adaptive else design(first, wall, period)
        trace = simulate(plant, controller, start, period, samples)
        due = continuous.state(samples * period)
        motion = plant.motion
        expected = motion.energy(due, plant.force)
        got = motion.energy(State(float(trace.y[-1]), float(trace.v[-1])), plant.force)
        errors.append(abs(got / expected - 1.0))
    return errors
