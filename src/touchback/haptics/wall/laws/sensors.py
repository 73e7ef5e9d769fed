"""What stands between a sensor and a law: nothing, differences of positions, a window."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from touchback.estimate import AdaptiveWindow
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


@dataclass(frozen=True)
class Window:
    """The velocity is the slope over the longest window that no count of `resolution` [m]
    contradicts (Janabi-Sharifi, Hayward & Chen 2000, the end-fit method)."""

    resolution: float
    longest: int = 16

    @property
    def start(self) -> tuple[float, ...]:
        """Of the last positions, and whether there was a sample."""
        return (0.0,) * (self.longest + 1)

    def step(self, memory: Sequence[Scalar], told: Told) -> tuple[Sequence[Scalar], Told]:
        kept, begun = memory[:-1], memory[-1]
        before = [select(begun, each, told.y) for each in kept]
        # Lines through counts miss others by whole fractions of a count: one must not be undecided.
        window = AdaptiveWindow(1.0, self.resolution * (1.0 + 1e-6), self.longest)
        after, rise = window.step(before, told.y)
        return (*after, 1.0), replace(told, v=rise / told.period)
