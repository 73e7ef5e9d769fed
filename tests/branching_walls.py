"""The walls of the laboratory written a second time, for floats alone: designed once, branching,
with matrices. The laws of `touchback.haptics.wall.laws` are compared with them."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

import touchback as tb
from touchback.haptics.wall import (
    ContinuousBall,
    Controller,
    Device,
    Finger,
    Oscillator,
    Plant,
    State,
    Target,
)
from touchback.haptics.wall.wall_plant import SOFTEST


def sampled(oscillator: Oscillator, period: float) -> tuple[np.ndarray, np.ndarray]:
    """Φ and Γ of an oscillator whose force is held through a period [s]."""
    flow = oscillator.flow(period)
    return np.array([[flow.yy, flow.yv], [flow.vy, flow.vv]]), np.array([flow.yf, flow.vf])


@dataclass(frozen=True)
class StandardWall:
    """f = −K y − B v inside."""

    wall: Target

    def force(self, sample: int, state: State) -> float:
        if state.y >= 0.0:
            return 0.0
        return float(-self.wall.stiffness * state.y - self.wall.damping * state.v)


@dataclass(frozen=True)
class HalfSampleWall:
    """The standard wall at the state that the contact would reach half a sample later."""

    wall: Target
    bias: float
    in_contact: Oscillator
    period: float

    @classmethod
    def design(cls, plant: Plant, wall: Target, period: float) -> "HalfSampleWall":
        return cls(wall, plant.force, wall.in_contact(plant.motion), period)

    def force(self, sample: int, state: State) -> float:
        if state.y >= 0.0:
            return 0.0
        y, v = self.in_contact.after(state, 0.5 * self.period, self.bias)
        return float(-self.wall.stiffness * y - self.wall.damping * v)


@dataclass(frozen=True)
class PolePlacementWall:
    """f = f₀ − k (x − x₀), with the gains that Ackermann's formula finds on matrices."""

    gains: np.ndarray
    rest: float
    rest_force: float

    @classmethod
    def design(cls, plant: Plant, wall: Target, period: float) -> "PolePlacementWall":
        wall = replace(wall, stiffness=max(wall.stiffness, SOFTEST))
        in_contact = wall.in_contact(plant.motion)
        phi, gamma = sampled(plant.motion, period)
        due, _ = sampled(in_contact, period)
        placed = phi @ phi - np.trace(due) * phi + np.linalg.det(due) * np.eye(2)
        gains = np.linalg.solve(np.column_stack([gamma, phi @ gamma]), placed)[1]
        rest = plant.force / in_contact.stiffness
        return cls(gains, rest, -wall.stiffness * rest)

    def force(self, sample: int, state: State) -> float:
        if state.y >= 0.0:
            return 0.0
        return float(self.rest_force - self.gains @ (state.y - self.rest, state.v))


@dataclass
class DeadbeatWall:
    """An inner controller, and the two forces that end each contact where it should end; with
    `throughout`, the two that reach the continuous contact, all the time."""

    inner: Controller
    plant: Plant
    wall: Target
    period: float
    throughout: bool = False
    _before: State | None = field(default=None, init=False)
    _acting: float = field(default=0.0, init=False)
    _reference: State | None = field(default=None, init=False)  # the continuous contact, now
    _second_force: float | None = field(default=None, init=False)

    def force(self, sample: int, state: State) -> float:
        answer = self._decide(sample, state)
        self._before, self._acting = state, answer
        return answer

    def _decide(self, sample: int, state: State) -> float:
        outside = self._reference is None and state.y >= 0.0
        if outside or self._before is None:
            return self.inner.force(sample, state)
        hand = self._hand_force(self._before, state)
        if self._reference is not None:
            (reference,) = self._follow(self._reference, hand, 1)
        elif self._before.y >= 0.0:
            (reference,) = self._follow(self._before, hand, 1)
        else:  # a model so wrong that the wall was never left
            return self.inner.force(sample, state)
        following, desired = self._follow(reference, hand, 2)
        self._reference = reference
        if self._second_force is not None:
            answer, self._second_force = self._second_force, None
            if following.y >= 0.0:
                self._reference = None
            return answer
        staying = max(reference.y, following.y, desired.y) < 0.0
        if staying and not self.throughout:
            return self.inner.force(sample, state)
        answer, self._second_force = self._reach(state, desired, hand)
        return answer

    def _follow(self, state: State, hand: float, periods: int) -> list[State]:
        motion = self.plant.motion
        continuous = ContinuousBall(motion, self.wall.in_contact(motion), hand, state)
        return [continuous.state(number * self.period) for number in range(1, periods + 1)]

    def _hand_force(self, before: State, state: State) -> float:
        """The force beside ours that the last period must have seen, by its change of velocity."""
        phi, gamma = sampled(self.plant.motion, self.period)
        return float((state.v - (phi @ before)[1]) / gamma[1] - self._acting)

    def _reach(self, state: State, desired: State, hand: float) -> tuple[float, float]:
        """Two forces, a sample each: C⁻¹ (x_d − Φ² x), the later one first."""
        phi, gamma = sampled(self.plant.motion, self.period)
        ahead = phi @ (phi @ state + gamma * hand) + gamma * hand
        later, sooner = np.linalg.solve(
            np.column_stack([gamma, phi @ gamma]), np.subtract(desired, ahead)
        )
        return float(sooner), float(later)


def build_oracle(name: str, plant: Plant, wall: Target, period: float) -> Controller:
    """The wall of a name of `touchback.haptics.displays.WALLS`, apart from the adaptive one."""
    if name in ("standard", "half-sample"):
        half = HalfSampleWall.design(plant, wall, period)
        return half if name == "half-sample" else StandardWall(wall)
    placed = PolePlacementWall.design(plant, wall, period)
    if name == "z-plane":
        return placed
    return DeadbeatWall(placed, plant, wall, period, throughout=name == "deadbeat-throughout")


@dataclass
class FingerIdentifier:
    """The finger on a known device by `tb.estimate.RecursiveLeastSquares`, on the balance of
    momentum over each sample."""

    device: Device
    period: float
    guess: Finger = field(default_factory=Finger)

    def __post_init__(self) -> None:
        guess = [self.guess.mass, self.guess.damping, self.guess.stiffness, 0.0]
        scale = (0.02, 3.75, 257.0, 1.0)
        self._known = tb.estimate.RecursiveLeastSquares(scale, 0.9, guess, 1e12)

    @property
    def plant(self) -> Plant:
        """Device, estimated finger and estimated constant force."""
        mass, damping, stiffness = np.maximum(self._known.estimate[:3], 0.0).tolist()
        bias = float(self._known.estimate[3])
        return Plant(self.device, Finger(mass, damping, stiffness), bias=bias)

    def learn(self, before: State, now: State, wall_force: float) -> None:
        dv, dy = now.v - before.v, now.y - before.y
        half = 0.5 * self.period
        area = half * (before.y + now.y) + half**2 / 3.0 * (before.v - now.v)
        known = wall_force * self.period - self.device.mass * dv - self.device.damping * dy
        if abs(self.device.mass * dv) >= 1e-9:
            self._known.learn((dv, dy, area, -self.period), known)


@dataclass
class AdaptiveWall:
    """A wall that is designed anew, outside, for the grip that was identified."""

    design: Callable[[Plant], Controller]
    identifier: FingerIdentifier
    _before: State | None = field(default=None, init=False)
    _acting: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
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
        self._controller = self.design(self._designed_for)
