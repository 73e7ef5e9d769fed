"""Laws without memory: standard and damped wall, half-sample prediction, z-plane design.

A controller is asked once a sample, with the position and velocity it may know, for the force that
is held until the next sample. The wall fills y < 0 and pushes with a positive force.
"""

from dataclasses import dataclass, field, replace
from typing import Protocol

from touchback.errors import InputError
from touchback.haptics.wall.oscillator import Flow, Oscillator, State
from touchback.haptics.wall.placement import place_poles
from touchback.haptics.wall.plant import SOFTEST, Plant, Target


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
        return -self.wall.stiffness * state.y - self.wall.damping * state.v


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
        return cls(wall, plant.force, wall.touching(plant.motion).flow(0.5 * period))

    def force(self, sample: int, state: State) -> float:
        if state.y >= 0.0:
            return 0.0
        y, v = self.ahead(state, self.bias)
        return -self.wall.stiffness * y - self.wall.damping * v


@dataclass(frozen=True)
class PlacedWall:
    """State feedback whose sampled poles are those of the continuous contact (section 5.4.2).

    f = f₀ − k₁ (y − y₀) − k₂ v. Gillespie leaves the bias out; it is fed forward here, so that the
    ball would come to rest at y₀, where the continuous wall holds it.
    """

    gains: tuple[float, float]
    rest: float
    rest_force: float

    @classmethod
    def design(cls, plant: Plant, wall: Target, period: float) -> "PlacedWall":
        """For a plant, finger included, and a sampling period [s]; the wall is `SOFTEST` at least,
        since without any stiffness there is no place to rest."""
        wall = replace(wall, stiffness=max(wall.stiffness, SOFTEST))
        touching = wall.touching(plant.motion)
        rest = plant.force / touching.stiffness
        gains = place_poles(plant.motion, touching, period)
        return cls(gains, rest, -wall.stiffness * rest)

    def force(self, sample: int, state: State) -> float:
        if state.y >= 0.0:
            return 0.0
        return self.rest_force - self.gains[0] * (state.y - self.rest) - self.gains[1] * state.v


@dataclass
class Ahead:
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
