"""The controllers of the wall laboratory, by name: standard and damped wall, half-sample
prediction, z-plane design (pole placement), deadbeat compensation.

A controller is asked once a sample, with the position and velocity it may know, for the force that
is held until the next sample. The wall fills y < 0 and pushes with a positive force.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Protocol

from touchback.errors import InputError
from touchback.haptics.wall.closed_form_oscillator import Flow, Oscillator, State
from touchback.haptics.wall.encoder_sensing import EXACT, DifferenceSensing, Sensing
from touchback.haptics.wall.laws.gillespie_walls import (
    feedback_force,
    pole_gains,
    reaching_forces,
    wall_force,
)
from touchback.haptics.wall.wall_plant import SOFTEST, ContinuousBall, Plant, Target


def place_poles(plant: Oscillator, target: Oscillator, period: float) -> tuple[float, float]:
    """Gains k of f = −k₁ y − k₂ v that give Φ − Γk the poles of the target, sampled."""
    check_sampling(target, period)
    return pole_gains(plant.flow(period), target.flow(period))


def check_sampling(target: Oscillator, period: float) -> None:
    """Refuses a wall that swings more than half a turn a sample: its poles would be aliases."""
    squared = target.square - target.decay**2
    if squared > 0.0 and math.sqrt(squared) * period >= math.pi:
        largest = target.mass * (math.pi / period) ** 2
        raise InputError(
            f"A contact of stiffness {target.stiffness:.6g} N/m swings more than half a turn in a "
            f"sample of {period:.6g} s; ask for less than {largest:.6g} N/m or sample faster."
        )


class Controller(Protocol):
    """What the simulation asks for a force [N]."""

    def force(self, sample: int, state: State) -> float:
        """The force from this sample on."""
        ...


@dataclass(frozen=True)
class StandardWall:
    """f = −K y − B v inside (Gillespie 1996, table 5.1 and eq. 5.1, his sign turned)."""

    wall: Target

    def force(self, sample: int, state: State) -> float:
        if state.y >= 0.0:
            return 0.0
        return float(wall_force(self.wall.stiffness, self.wall.damping, *state))


@dataclass(frozen=True)
class HalfSampleWall:
    """The standard law on the state predicted half a sample ahead (section 5.4.1).

    The prediction uses the *target*, the plant in contact with the continuous wall, bias included.
    Table 5.4 prints cos(t + T/2); the prediction from the present state is cos(ω₀ T/2), which
    `Oscillator.flow` holds for damped walls and plants with fingers too.
    """

    wall: Target
    bias: float
    ahead: Flow

    @classmethod
    def design(cls, plant: Plant, wall: Target, period: float) -> "HalfSampleWall":
        """For a plant and a sampling period [s]."""
        return cls(wall, plant.force, wall.in_contact(plant.motion).flow(0.5 * period))

    def force(self, sample: int, state: State) -> float:
        if state.y >= 0.0:
            return 0.0
        y, v = self.ahead(state, self.bias)
        return float(wall_force(self.wall.stiffness, self.wall.damping, y, v))


@dataclass(frozen=True)
class PolePlacementWall:
    """State feedback whose sampled poles are those of the continuous contact (section 5.4.2).

    f = f₀ − k₁ (y − y₀) − k₂ v. Gillespie leaves the bias out; it is fed forward here, so that the
    ball would come to rest at y₀, where the continuous wall holds it.
    """

    gains: tuple[float, float]
    rest: float
    rest_force: float

    @classmethod
    def design(cls, plant: Plant, wall: Target, period: float) -> "PolePlacementWall":
        """For a plant, finger included, and a sampling period [s]; the wall is `SOFTEST` at least,
        since without any stiffness there is no place to rest."""
        wall = replace(wall, stiffness=max(wall.stiffness, SOFTEST))
        in_contact = wall.in_contact(plant.motion)
        rest = plant.force / in_contact.stiffness
        gains = place_poles(plant.motion, in_contact, period)
        return cls(gains, rest, -wall.stiffness * rest)

    def force(self, sample: int, state: State) -> float:
        if state.y >= 0.0:
            return 0.0
        return float(feedback_force(self.gains, self.rest, self.rest_force, *state))


@dataclass
class DelayPrediction:
    """Another controller, asked for the state at which its force will act (section 5.8).

    A computational delay shifts the instants at which forces change. The state there follows from
    the sample, the force that still acts and the plant's model: an exact model cancels the delay.
    """

    controller: Controller
    motion: Oscillator
    bias: float
    delay: float
    acting: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        if self.delay < 0.0:
            raise InputError(f"The delay is {self.delay} s; it must not be negative.")

    def force(self, sample: int, state: State) -> float:
        ahead = self.motion.flow(self.delay)(state, self.acting + self.bias)
        self.acting = self.controller.force(sample, ahead)
        return self.acting


@dataclass
class DeadbeatWall:
    """An inner controller, and the two forces that end each contact where it should end.

    With `throughout`, every pair of samples inside reaches the continuous contact, not the last
    alone: the error of the entry goes at once, and the inner controller rests.
    """

    inner: Controller
    plant: Plant
    wall: Target
    period: float
    throughout: bool = False
    contacts: int = field(default=0, init=False)
    short_contacts: list[int] = field(default_factory=list, init=False)
    """The numbers of the contacts with fewer than two samples inside."""
    _free: Oscillator = field(init=False)
    _in_contact: Oscillator = field(init=False)
    _flow: Flow = field(init=False)
    _before: State | None = field(default=None, init=False)
    _acting: float = field(default=0.0, init=False)
    _reference: State | None = field(default=None, init=False)  # the continuous contact, now
    _second_force: float | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._free = self.plant.motion
        self._in_contact = self.wall.in_contact(self._free)
        self._flow = self._free.flow(self.period)

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
            (reference,) = self._onward(self._reference, hand, 1)
        elif self._before.y >= 0.0:
            (reference,) = self._onward(self._before, hand, 1)
        else:  # a model so wrong that the floor was never left
            return self.inner.force(sample, state)
        following, desired = self._onward(reference, hand, 2)
        staying = reference.y < 0.0 and following.y < 0.0
        if self._reference is None:
            if not staying:
                self.short_contacts.append(self.contacts)
            self.contacts += 1
        self._reference = reference
        if self._second_force is not None:
            answer, self._second_force = self._second_force, None
            if following.y >= 0.0:
                self._reference = None
            return answer
        if staying and desired.y < 0.0 and not self.throughout:
            return self.inner.force(sample, state)
        answer, self._second_force = self._reach(state, desired, hand)
        return answer

    def _onward(self, state: State, hand: float, periods: int) -> list[State]:
        """The continuous motion at the samples that follow (5.7, 5.11, 5.16)."""
        inside, flow = [state], self._in_contact.flow(self.period)
        for _ in range(periods):
            inside.append(flow(inside[-1], hand))
        if self._stayed(inside):
            return inside[1:]
        continuous = ContinuousBall(self._free, self._in_contact, hand, state)
        return [continuous.state(number * self.period) for number in range(1, periods + 1)]

    def _stayed(self, samples: list[State]) -> bool:
        """Whether a contact that is inside at its samples was not outside between two of them: it
        turns at most once a period, and never from up to down."""
        if any(each.y >= 0.0 for each in samples):
            return False
        slow = self._in_contact.square * self.period**2 < math.pi**2
        return slow and not any(a.v > 0.0 > b.v for a, b in pairwise(samples))

    def _hand_force(self, before: State, state: State) -> float:
        """The force beside ours that the last period must have seen, by its change of velocity."""
        expected = self._flow(before, self._acting)
        return (state.v - expected.v) / self._flow.vf

    def _reach(self, state: State, desired: State, hand: float) -> tuple[float, float]:
        """Two forces that reach the desired state."""
        ahead = self._flow(self._flow(state, hand), hand)
        return reaching_forces(self._flow, desired.y - ahead.y, desired.v - ahead.v)


@dataclass(frozen=True)
class Kind:
    """A controller's recipe, whether its wall is damped, and what it is told of the motion."""

    name: str
    build: Callable[[Plant, Target, float], Controller]
    damped: bool = False
    sensing: Sensing = EXACT


def _standard(plant: Plant, wall: Target, period: float) -> Controller:
    return StandardWall(wall)


def _deadbeat(plant: Plant, wall: Target, period: float) -> Controller:
    return DeadbeatWall(PolePlacementWall.design(plant, wall, period), plant, wall, period)


def _deadbeat_throughout(plant: Plant, wall: Target, period: float) -> Controller:
    inner = PolePlacementWall.design(plant, wall, period)
    return DeadbeatWall(inner, plant, wall, period, throughout=True)


#: Every wall of the laboratory.
KINDS = (
    Kind("standard", _standard),
    Kind("damped", _standard, damped=True),
    Kind("damped, differentiated", _standard, damped=True, sensing=DifferenceSensing()),
    Kind("half-sample", HalfSampleWall.design),
    Kind("half-sample, differentiated", HalfSampleWall.design, sensing=DifferenceSensing()),
    Kind("z-plane", PolePlacementWall.design),
    Kind("deadbeat", _deadbeat),
    Kind("deadbeat throughout", _deadbeat_throughout),
)


def kind(name: str) -> Kind:
    """The wall of this name."""
    for each in KINDS:
        if each.name == name:
            return each
    known = ", ".join(each.name for each in KINDS)
    raise InputError(f"There is no wall called '{name}'. There are: {known}.")
