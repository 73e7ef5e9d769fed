"""The elementary equations that closures, and joints as closures, put between a frame A and a frame
B."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from touchback.model.value_or_expression import Value

Direction = tuple[float, float, float]
Component = TypeVar("Component", covariant=True)


class FrameVectors(Protocol[Component]):
    """Vectors of a frame A and a frame B in whatever terms somebody writes a mechanism in."""

    def offset(self) -> Component:
        """p_AB."""

    def common_axis(self, axis: int) -> Component:
        """An axis of the closest common body."""

    def direction_of_a(self, direction: Direction) -> Component:
        """A direction fixed in A."""

    def direction_of_b(self, direction: Direction) -> Component:
        """A direction fixed in B."""


class ClosureEquation:
    """One equation between a frame A and a frame B. What these methods say is enough for natural
    coordinates and for the check of loops that begin to act in a live run."""

    def inner_product(self, vectors: FrameVectors[Component]) -> tuple[Component, Component] | None:
        """The two vectors whose inner product it keeps constant; None where it keeps none."""
        return None

    def value_and_scale(self, distance: float) -> tuple[float, float]:
        """What that inner product is, for frames whose origins have a distance [m], and by what it
        is divided so that the residual has the unit of the equation."""
        return 0.0, 1.0

    def length_error(
        self,
        offset_in_common: np.ndarray,
        offset_in_a: np.ndarray,
        number_of: Callable[[Value], float],
    ) -> float | None:
        """How far [m] it is from being met, with p_AB along the axes of the common body and of A;
        None where it says nothing about lengths."""
        return None


@dataclass(frozen=True)
class CoincidentComponent(ClosureEquation):
    """The component `axis` of p_AB vanishes, along the axes of the closest common body [m]."""

    axis: int

    def inner_product(self, vectors: FrameVectors[Component]) -> tuple[Component, Component]:
        return vectors.common_axis(self.axis), vectors.offset()

    def length_error(
        self,
        offset_in_common: np.ndarray,
        offset_in_a: np.ndarray,
        number_of: Callable[[Value], float],
    ) -> float:
        return float(offset_in_common[self.axis])


@dataclass(frozen=True)
class ZeroOffsetAlong(ClosureEquation):
    """The component of p_AB along a direction fixed in A vanishes [m]."""

    direction: Direction

    def inner_product(self, vectors: FrameVectors[Component]) -> tuple[Component, Component]:
        return vectors.direction_of_a(self.direction), vectors.offset()

    def length_error(
        self,
        offset_in_common: np.ndarray,
        offset_in_a: np.ndarray,
        number_of: Callable[[Value], float],
    ) -> float:
        return float(np.asarray(self.direction) @ offset_in_a)


@dataclass(frozen=True)
class Perpendicular(ClosureEquation):
    """A direction fixed in A stays square to a direction fixed in B [-]."""

    of_a: Direction
    of_b: Direction

    def inner_product(self, vectors: FrameVectors[Component]) -> tuple[Component, Component]:
        return vectors.direction_of_a(self.of_a), vectors.direction_of_b(self.of_b)


@dataclass(frozen=True)
class FixedDistance(ClosureEquation):
    """The origins of A and B keep a distance: (|p_AB|² − L²)/(2 L) vanishes [m]."""

    length: Value

    def inner_product(self, vectors: FrameVectors[Component]) -> tuple[Component, Component]:
        return vectors.offset(), vectors.offset()

    def value_and_scale(self, distance: float) -> tuple[float, float]:
        return distance**2, 2.0 * distance

    def length_error(
        self,
        offset_in_common: np.ndarray,
        offset_in_a: np.ndarray,
        number_of: Callable[[Value], float],
    ) -> float:
        return float(np.linalg.norm(offset_in_common)) - number_of(self.length)


@dataclass(frozen=True)
class NoVelocityAlong(ClosureEquation):
    """The velocity of B's origin relative to A along a direction fixed in B vanishes [m/s]."""

    direction: Direction


@dataclass(frozen=True)
class DiscOnPlane(ClosureEquation):
    """A disc about B's origin, square to `axis` (fixed in B), touches the plane through A's origin
    square to `normal` (fixed in A) [m]."""

    radius: Value
    axis: Direction
    normal: Direction


@dataclass(frozen=True)
class NoSlip(ClosureEquation):
    """The lowest point of such a disc has no velocity relative to A along a direction fixed in A
    [m/s]."""

    disc: DiscOnPlane
    direction: Direction


Equation = (
    CoincidentComponent
    | ZeroOffsetAlong
    | Perpendicular
    | FixedDistance
    | NoVelocityAlong
    | DiscOnPlane
    | NoSlip
)

UNIT: tuple[Direction, Direction, Direction] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
COINCIDENT_POINTS = (CoincidentComponent(0), CoincidentComponent(1), CoincidentComponent(2))
