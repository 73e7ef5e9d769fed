"""Laws of the wall laboratory as controllers of a simulation in floats, by name.

A controller is asked once a sample, with the position and velocity it may know, for the force that
is held until the next sample. The wall fills y < 0 and pushes with a positive force.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from touchback.errors import InputError
from touchback.haptics.wall.closed_form_oscillator import Oscillator, State
from touchback.haptics.wall.encoder_sensing import EXACT, DifferenceSensing, Sensing
from touchback.haptics.wall.laws import (
    Deadbeat,
    HalfSample,
    Law,
    PolePlacement,
    Standard,
    WallSample,
)
from touchback.haptics.wall.wall_plant import Plant, Target


class Controller(Protocol):
    """What the simulation asks for a force [N]."""

    def force(self, sample: int, state: State) -> float:
        """The force from this sample on."""
        ...


@dataclass
class WallController:
    """A law that renders a wall for a plant, finger included, at a sampling period [s].

    The law is given the plant in closed form. Raises InputError where the law can't render the
    wall at this period."""

    law: Law
    plant: Plant
    wall: Target
    period: float
    memory: Sequence[float] = field(init=False)
    acting: float = field(default=0.0, init=False)
    """The force since the last sample [N]."""
    _motion: Oscillator = field(init=False)
    _bias: float = field(init=False)

    def __post_init__(self) -> None:
        self._motion, self._bias = self.plant.motion, self.plant.force
        self.memory = self.law.start
        self.law.step(self.memory, self._sample(State(0.0, 0.0)))

    def force(self, sample: int, state: State) -> float:
        self.memory, force = self.law.step(self.memory, self._sample(state))
        self.acting = float(force)
        return self.acting

    def _sample(self, state: State) -> WallSample:
        wall = self.wall
        return WallSample(
            *state, self.acting, self._motion, self._bias, wall.stiffness, wall.damping,
            self.period,
        )  # fmt: skip


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


@dataclass(frozen=True)
class Kind:
    """A wall's law, whether the wall is damped, and what the law is told of the motion."""

    name: str
    law: Law
    damped: bool = False
    sensing: Sensing = EXACT

    def build(self, plant: Plant, wall: Target, period: float) -> WallController:
        """Its controller for a plant, finger included, and a sampling period [s]."""
        return WallController(self.law, plant, wall, period)


#: Every wall of the laboratory.
KINDS = (
    Kind("standard", Standard()),
    Kind("damped", Standard(), damped=True),
    Kind("damped, differentiated", Standard(), damped=True, sensing=DifferenceSensing()),
    Kind("half-sample", HalfSample()),
    Kind("half-sample, differentiated", HalfSample(), sensing=DifferenceSensing()),
    Kind("z-plane", PolePlacement()),
    Kind("deadbeat", Deadbeat()),
    Kind("deadbeat throughout", Deadbeat(throughout=True)),
)


def kind(name: str) -> Kind:
    """The wall of this name."""
    for each in KINDS:
        if each.name == name:
            return each
    known = ", ".join(each.name for each in KINDS)
    raise InputError(f"There is no wall called '{name}'. There are: {known}.")
