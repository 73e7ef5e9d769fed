"""The protocol of wall laws, and what a law gets at each sample."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from touchback import maximum, minimum
from touchback.haptics.wall.closed_form_oscillator import Oscillator
from touchback.haptics.wall.laws.branchless_oscillator import Motion
from touchback.numbers import Scalar

_STIFFEST = 2.4674011002723395  # (π/2)²: a contact of two samples
HEAVIEST = 2.0  # a damper's force, held through a sample, turns the velocity round


class Stamp(NamedTuple):
    """When an encoder's count last changed: whether it did since the last sample, the position [m]
    between the two counts, and how long before this sample [s]."""

    changed: Scalar
    edge: Scalar
    ago: Scalar


@dataclass(frozen=True)
class WallSample:
    """The handle at a sample, the force that has acted since the last one, what the device and the
    hand on it are believed to be, and the wall that is wanted. Every field is a number, an array
    of them, or an expression."""

    y: Scalar
    """Outside the wall [m]: the wall fills y < 0."""
    v: Scalar
    """[m/s], outwards."""
    acting: Scalar
    """The wall's force since the last sample [N], outwards."""
    plant: Motion | Oscillator
    """Device and hand without the wall. Numbers may have the closed form."""
    bias: Scalar
    """The force on them at y = 0 beside the wall's [N], as far as it is known."""
    stiffness: Scalar
    """Of the wall [N/m]."""
    damping: Scalar
    """Of the wall [N s/m]."""
    period: Scalar
    """Between samples [s]."""
    stamp: Stamp | None = None
    """The last change of the count, where the encoder has a timer."""

    @property
    def in_contact(self) -> Motion | Oscillator:
        """The plant in contact with the continuous wall (Gillespie 1996, eq. 5.8)."""
        return self.in_contact_with(self.stiffness)

    def in_contact_with(self, stiffness: Scalar) -> Motion | Oscillator:
        """The same for a wall of another stiffness [N/m]."""
        plant = self.plant
        return type(plant)(plant.mass, plant.damping + self.damping, plant.stiffness + stiffness)

    def expressible(self) -> "WallSample":
        """The same for a wall whose contact lasts two samples at least, with no more damping than
        leaves device, hand and wall 2 m/T: a motion that is over within a sample isn't told by
        forces that are held through one, nor by the series of `Motion.polynomial`."""
        mass, damping = self.plant.mass, self.plant.damping
        stiffest = mass * _STIFFEST / (self.period * self.period)
        heaviest = maximum(mass * HEAVIEST / self.period - damping, 0.0)
        return replace(
            self,
            stiffness=minimum(self.stiffness, stiffest),
            damping=minimum(self.damping, heaviest),
        )


class Law(Protocol):
    """A wall as it runs, a sample at a time over any scalar: the same lines are the laboratory's
    controller, a sweep of thousands of presses, and machine code inside the tick."""

    @property
    def start(self) -> tuple[float, ...]:
        """The memory before the first sample."""

    @property
    def compensates(self) -> bool:
        """Whether it looks ahead, so that `WallSample.expressible` bounds what is asked of it."""

    def idle(self, memory: Sequence[Scalar], sample: WallSample) -> Sequence[Scalar]:
        """The memory after a sample at which another law was chosen."""

    def step(self, memory: Sequence[Scalar], sample: WallSample) -> tuple[Sequence[Scalar], Scalar]:
        """The memory after a sample, and the force from there on [N]."""
