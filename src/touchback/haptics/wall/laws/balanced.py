"""A wall that keeps books: its energy is held to that of the spring it stands for."""

import math
from dataclasses import dataclass

from touchback.errors import InputError
from touchback.haptics.wall.laws.booked import Booked
from touchback.haptics.wall.laws.told import Told
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import maximum, minimum, select

_NEAR = 0.5  # counts of way in a sample, below which a force does too little work to be worth it
_MOST = 0.5  # of what a count makes of the wall's force
_ROOM = 300.0  # K Δ²: no press of the laboratory owes so much, at any rate


@dataclass(frozen=True)
class Balanced(Booked):
    """A law whose energy is held to a spring's. Hannaford & Ryu (2002) ask that −Σ f Δy, what a
    wall has taken since it was entered, is never negative; here it is to be ½ K y² at every depth,
    and a `margin` in K Δ² (what a position that is unsure by so many counts Δ, the `resolution`
    [m], makes of the books). What is missing is taken within a sample by a force against the
    motion, what is too much is given by one along it: both of at most half a count's force."""

    resolution: float
    margin: float = 0.2

    def __post_init__(self) -> None:
        if not (0.0 < self.resolution < math.inf and 0.0 <= self.margin < math.inf):
            raise InputError(
                f"Balanced: counts of {self.resolution} m must be positive, the margin "
                f"({self.margin} of K Δ²) zero or more."
            )

    def kept(self, taken: Scalar, told: Told) -> Scalar:
        """No farther from what is due than a press may be: where a handle rests for minutes,
        positions that are estimated within a count sum up to energies that nobody gave."""
        due, room = self._due(told), _ROOM * told.stiffness * self.resolution**2
        return minimum(maximum(taken, due - room), due + room)

    def corrected(self, force: Scalar, taken: Scalar, told: Told) -> Scalar:
        """With what is missing taken, or what is too much given."""
        size, way = self.resolution, told.v * told.period
        surplus, most = taken - self._due(told), _MOST * told.stiffness * size
        given = surplus * way / (way * way + (_NEAR * size) ** 2)
        given = minimum(maximum(given, -most), most)
        return select(told.y < 0.0, force + given, force)

    def _due(self, told: Told) -> Scalar:
        depth = minimum(told.y, 0.0)
        return told.stiffness * (0.5 * depth * depth + self.margin * self.resolution**2)
