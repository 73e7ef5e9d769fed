"""Passivity controllers and other published cures, as wall laws: they track the energy of another
law, send waves, or shake.

A wall that gives nothing back need not be a wall: `deviation` says where each leaves the handle.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

from touchback import maximum, minimum, select
from touchback.errors import InputError
from touchback.haptics.wall.laws.base import Law, WallSample
from touchback.haptics.wall.laws.branchless_oscillator import is_zero
from touchback.haptics.wall.laws.gillespie_walls import Standard
from touchback.numbers import Scalar


@dataclass(frozen=True)
class EnergyTracking(ABC):
    """A law whose energy is tracked, −Σ f Δy, what it has taken; without a contact it begins
    anew."""

    law: Law

    @property
    def compensates(self) -> bool:
        """As its law."""
        return self.law.compensates

    @property
    def start(self) -> tuple[float, ...]:
        """Of (y before, whether there was a sample, energy taken, the law's own)."""
        return (0.0, 0.0, 0.0, *self.law.start)

    def idle(self, memory: Sequence[Scalar], sample: WallSample) -> Sequence[Scalar]:
        """The law's, with no energy taken."""
        return (sample.y, 1.0, 0.0, *self.law.idle(memory[3:], sample))

    def step(self, memory: Sequence[Scalar], sample: WallSample) -> tuple[Sequence[Scalar], Scalar]:
        """The law's force, as `corrected` by the energy."""
        before, begun, energy = memory[:3]
        taken = energy - select(begun, sample.acting * (sample.y - before), 0.0)
        free = select(sample.y >= 0.0, is_zero(sample.acting), 0.0)
        taken = select(free, 0.0, self.bound_energy(taken, sample))
        inner, force = self.law.step(memory[3:], sample)
        return (sample.y, 1.0, taken, *inner), self.corrected(force, taken, sample)

    def bound_energy(self, taken: Scalar, sample: WallSample) -> Scalar:
        """What counts of the energy that was taken: all of it."""
        return taken

    @abstractmethod
    def corrected(self, force: Scalar, taken: Scalar, sample: WallSample) -> Scalar:
        """The force that the energy allows, of what the law asks for."""


_NEAR = 0.5  # counts of way in a sample, below which a force does too little work to be worth it


_MOST = 0.5  # of what a count makes of the wall's force


_ROOM = 300.0  # K Δ²: no press of the laboratory owes so much, at any rate


@dataclass(frozen=True)
class EnergyBalanced(EnergyTracking):
    """A law whose energy is held to a spring's. Hannaford & Ryu (2002) ask that −Σ f Δy, what a
    wall has taken since it was entered, is never negative; here it is to be ½ K y² at every depth,
    and a `margin` in K Δ² (what a position that is unsure by so many counts Δ, the `resolution`
    [m], makes of the energy). What is missing is taken within a sample by a force against the
    motion, what is too much is given by one along it: both of at most half a count's force."""

    resolution: float
    margin: float = 0.2

    def __post_init__(self) -> None:
        if not (0.0 < self.resolution < math.inf and 0.0 <= self.margin < math.inf):
            raise InputError(
                f"EnergyBalanced: counts of {self.resolution} m must be positive, the margin "
                f"({self.margin} of K Δ²) zero or more."
            )

    def bound_energy(self, taken: Scalar, sample: WallSample) -> Scalar:
        """No farther from what is due than a press may be: where a handle rests for minutes,
        positions that are estimated within a count sum up to energies that nobody gave."""
        due, room = self._due(sample), _ROOM * sample.stiffness * self.resolution**2
        return minimum(maximum(taken, due - room), due + room)

    def corrected(self, force: Scalar, taken: Scalar, sample: WallSample) -> Scalar:
        """With what is missing taken, or what is too much given."""
        size, way = self.resolution, sample.v * sample.period
        surplus, most = taken - self._due(sample), _MOST * sample.stiffness * size
        given = surplus * way / (way * way + (_NEAR * size) ** 2)
        given = minimum(maximum(given, -most), most)
        return select(sample.y < 0.0, force + given, force)

    def _due(self, sample: WallSample) -> Scalar:
        depth = minimum(sample.y, 0.0)
        return sample.stiffness * (0.5 * depth * depth + self.margin * self.resolution**2)


@dataclass(frozen=True)
class PassivityControlled(EnergyTracking):
    """Hannaford & Ryu 2002: what a law has taken, −Σ f Δy, is watched; when it has given more, a
    damper of just the size that takes it back within a sample acts beside it, of at most half of
    what would stop the device. Without a contact the energy begins anew.

    With `bounded` there is no damper: on the way out the force is cut to what was taken."""

    law: Law = field(default_factory=Standard)
    bounded: bool = False

    def corrected(self, force: Scalar, taken: Scalar, sample: WallSample) -> Scalar:
        """Cut, or with its damper."""
        if self.bounded:
            out = sample.v * sample.period
            most = maximum(taken, 0.0) / select(out > 0.0, out, 1.0)
            return select(out > 0.0, minimum(force, most), force)
        square = sample.v * sample.v * sample.period
        wanted = maximum(-taken, 0.0) / select(square > 0.0, square, 1.0)
        damper = minimum(wanted, 0.5 * sample.plant.mass / sample.period)
        return force - damper * sample.v


@dataclass(frozen=True)
class WaveVariables:
    """Niemeyer & Slotine 1991: force and velocity reach the wall's spring as waves of a line of
    this `impedance` b [N s/m], with a sample on the way back; spring and line are passive by
    themselves. What is under way makes the wall softer, as a spring of 2b/T in series does."""

    impedance: float = 1.0
    compensates = False

    def __post_init__(self) -> None:
        if not 0.0 < self.impedance < math.inf:
            raise InputError(
                f"WaveVariables: a line of {self.impedance} N s/m; give a positive number."
            )

    @property
    def start(self) -> tuple[float, ...]:
        """Of (y before, the wave that comes back, how far the spring is pressed)."""
        return (0.0, 0.0, 0.0)

    def idle(self, memory: Sequence[Scalar], sample: WallSample) -> Sequence[Scalar]:
        return (sample.y, 0.0, 0.0)

    def step(self, memory: Sequence[Scalar], sample: WallSample) -> tuple[Sequence[Scalar], Scalar]:
        before, back, pressed = memory
        b, root = self.impedance, math.sqrt(2.0 * self.impedance)
        entered = before >= 0.0
        pressed, back = select(entered, 0.0, pressed), select(entered, 0.0, back)
        inwards = (select(entered, 0.0, before) - sample.y) / sample.period
        force = b * inwards + root * back
        there = root * inwards + back
        spring = sample.stiffness
        speed = (root * there - spring * pressed) / (b + spring * sample.period)
        pressed = pressed + sample.period * speed
        inside = sample.y < 0.0
        after = (
            sample.y, select(inside, there - root * speed, 0.0), select(inside, pressed, 0.0)
        )  # fmt: skip
        return after, select(inside, maximum(force, 0.0), 0.0)


@dataclass(frozen=True)
class Dithered:
    """A law that shakes the handle inside the wall by ± an `amplitude` [N] from sample to sample,
    so that counts change oftener and their mean tells more."""

    law: Law
    amplitude: float

    @property
    def compensates(self) -> bool:
        return self.law.compensates

    @property
    def start(self) -> tuple[float, ...]:
        """Of (the side of the shake, the law's own)."""
        return (1.0, *self.law.start)

    def idle(self, memory: Sequence[Scalar], sample: WallSample) -> Sequence[Scalar]:
        return (memory[0], *self.law.idle(memory[1:], sample))

    def step(self, memory: Sequence[Scalar], sample: WallSample) -> tuple[Sequence[Scalar], Scalar]:
        inner, force = self.law.step(memory[1:], sample)
        shaken = force + self.amplitude * memory[0]
        return (-1.0 * memory[0], *inner), select(sample.y < 0.0, shaken, force)


@dataclass(frozen=True)
class DryFrictionLaw:
    """A law with the dry friction that counts ask for (Abbott & Okamura 2005) and the device lacks:
    inside the wall, against the motion, of a share `friction` of what a count of `resolution` [m]
    makes of the wall's force. It sets in over `give` counts of way, so that a position that is
    unsure by a count doesn't turn it; and no wall pulls."""

    law: Law
    resolution: float
    friction: float = 0.1
    give: float = 3.0

    def __post_init__(self) -> None:
        positive = 0.0 < self.resolution < math.inf and 0.0 < self.give < math.inf
        if not (positive and 0.0 <= self.friction < math.inf):
            raise InputError(
                f"DryFrictionLaw: counts of {self.resolution} m and a give of {self.give} counts "
                f"must be positive, the friction ({self.friction} of a count's force) zero or more."
            )

    @property
    def compensates(self) -> bool:
        return self.law.compensates

    @property
    def start(self) -> tuple[float, ...]:
        """Of (y before, the friction's force, the law's own)."""
        return (0.0, 0.0, *self.law.start)

    def idle(self, memory: Sequence[Scalar], sample: WallSample) -> Sequence[Scalar]:
        return (sample.y, 0.0, *self.law.idle(memory[2:], sample))

    def step(self, memory: Sequence[Scalar], sample: WallSample) -> tuple[Sequence[Scalar], Scalar]:
        before, rub = memory[:2]
        inner, force = self.law.step(memory[2:], sample)
        inside = sample.y < 0.0
        most = self.friction * self.resolution * sample.stiffness
        rub = rub - most / (self.give * self.resolution) * (sample.y - minimum(before, 0.0))
        rub = select(inside, minimum(maximum(rub, -most), most), 0.0)
        return (sample.y, rub, *inner), select(inside, maximum(force + rub, 0.0), force)
