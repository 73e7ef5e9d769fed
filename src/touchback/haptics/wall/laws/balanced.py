"""A wall that keeps books: its energy is held to that of the spring it stands for."""

from collections.abc import Sequence
from dataclasses import dataclass

from touchback.errors import InputError
from touchback.haptics.wall.laws.motion import is_zero
from touchback.haptics.wall.laws.told import Law, Told
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import maximum, minimum, select

_NEAR = 0.5  # counts of way in a sample, below which a force does too little work to be worth it
_MOST = 0.5  # of what a count makes of the wall's force


@dataclass(frozen=True)
class Balanced:
    """A law whose energy is held to a spring's. Hannaford & Ryu (2002) ask that −Σ f Δy, what a
    wall has taken since it was entered, is never negative; here it is to be ½ K y² at every depth,
    and a `margin` in K Δ² (what a position that is unsure by so many counts Δ, the `resolution`
    [m], makes of the books). What is missing is taken within a sample by a force against the
    motion, what is too much is given by one along it: both of at most half a count's force."""

    law: Law
    resolution: float
    margin: float = 0.2

    def __post_init__(self) -> None:
        if not (self.resolution > 0.0 and self.margin >= 0.0):
            raise InputError(
                f"Balanced: counts of {self.resolution} m must be positive, the margin "
                f"({self.margin} of K Δ²) zero or more."
            )

    @property
    def compensates(self) -> bool:
        return self.law.compensates

    @property
    def start(self) -> tuple[float, ...]:
        """Of (y before, whether there was a sample, energy taken, the law's own)."""
        return (0.0, 0.0, 0.0, *self.law.start)

    def idle(self, memory: Sequence[Scalar], told: Told) -> Sequence[Scalar]:
        return (told.y, 1.0, 0.0, *self.law.idle(memory[3:], told))

    def step(self, memory: Sequence[Scalar], told: Told) -> tuple[Sequence[Scalar], Scalar]:
        before, begun, energy = memory[:3]
        taken = energy - select(begun, told.acting * (told.y - before), 0.0)
        free = select(told.y >= 0.0, is_zero(told.acting), 0.0)
        taken = select(free, 0.0, taken)
        inner, force = self.law.step(memory[3:], told)
        K, size = told.stiffness, self.resolution
        depth, way = minimum(told.y, 0.0), told.v * told.period
        surplus = taken - K * (0.5 * depth * depth + self.margin * size * size)
        most = _MOST * K * size
        given = surplus * way / (way * way + (_NEAR * size) ** 2)
        given = minimum(maximum(given, -most), most)
        return (told.y, 1.0, taken, *inner), select(told.y < 0.0, force + given, force)
