"""What laws share that keep books of the energy of another one."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from touchback.haptics.wall.laws.motion import is_zero
from touchback.haptics.wall.laws.told import Law, Told
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import select


@dataclass(frozen=True)
class Booked(ABC):
    """A law beside which −Σ f Δy is kept, what it has taken; without a contact the books begin
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

    def idle(self, memory: Sequence[Scalar], told: Told) -> Sequence[Scalar]:
        """The law's, with books closed."""
        return (told.y, 1.0, 0.0, *self.law.idle(memory[3:], told))

    def step(self, memory: Sequence[Scalar], told: Told) -> tuple[Sequence[Scalar], Scalar]:
        """The law's force, as `corrected` by the books."""
        before, begun, energy = memory[:3]
        taken = energy - select(begun, told.acting * (told.y - before), 0.0)
        free = select(told.y >= 0.0, is_zero(told.acting), 0.0)
        taken = select(free, 0.0, self.kept(taken, told))
        inner, force = self.law.step(memory[3:], told)
        return (told.y, 1.0, taken, *inner), self.corrected(force, taken, told)

    def kept(self, taken: Scalar, told: Told) -> Scalar:
        """What the books keep of the energy that was taken: all of it."""
        return taken

    @abstractmethod
    def corrected(self, force: Scalar, taken: Scalar, told: Told) -> Scalar:
        """The force that the books allow, of what the law asks for."""
