"""A wall that keeps books: its energy is held to that of the spring it stands for."""

from dataclasses import dataclass

from touchback.errors import InputError
from touchback.haptics.wall.laws.booked import Booked
from touchback.haptics.wall.laws.told import Told
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import maximum, minimum, select

_NEAR = 0.5  # counts of way in a sample, below which a force does too little work to be worth it
_MOST = 0.5  # of what a count makes of the wall's force


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
        if not (self.resolution > 0.0 and self.margin >= 0.0):
            raise InputError(
                f"Balanced: counts of {self.resolution} m must be positive, the margin "
                f"({self.margin} of K Δ²) zero or more."
            )

    def corrected(self, force: Scalar, taken: Scalar, told: Told) -> Scalar:
        """With what is missing taken, or what is too much given."""
        K, size = told.stiffness, self.resolution
        depth, way = minimum(told.y, 0.0), told.v * told.period
        surplus = taken - K * (0.5 * depth * depth + self.margin * size * size)
        most = _MOST * K * size
        given = surplus * way / (way * way + (_NEAR * size) ** 2)
        given = minimum(maximum(given, -most), most)
        return select(told.y < 0.0, force + given, force)
