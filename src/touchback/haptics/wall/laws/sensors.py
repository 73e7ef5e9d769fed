"""What stands between a sensor and a law: nothing, or differences of positions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from touchback.haptics.wall.laws.told import Told
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import select


class Sense(Protocol):
    """What a law is told, from what was measured."""

    @property
    def start(self) -> tuple[float, ...]:
        """The memory before the first sample."""

    def step(self, memory: Sequence[Scalar], told: Told) -> tuple[Sequence[Scalar], Told]:
        """The memory after a sample, and what is known at it."""


@dataclass(frozen=True)
class Given:
    """Position and velocity as the display was given them."""

    start: tuple[float, ...] = ()

    def step(self, memory: Sequence[Scalar], told: Told) -> tuple[Sequence[Scalar], Told]:
        return (), told


@dataclass(frozen=True)
class Differences:
    """The velocity is the difference of the last two positions over the period."""

    start: tuple[float, ...] = (0.0, 0.0)

    def step(self, memory: Sequence[Scalar], told: Told) -> tuple[Sequence[Scalar], Told]:
        before, begun = memory
        slope = select(begun, (told.y - before) / told.period, 0.0)
        return (told.y, 1.0), replace(told, v=slope)
