"""The elementary equations that closures are made of, between a frame A and a frame B."""

from dataclasses import dataclass
from typing import Any

Direction = tuple[float, float, float]


@dataclass(frozen=True)
class Meet:
    """The component `axis` of p_AB vanishes, along the axes of the closest common body [m]."""

    axis: int


@dataclass(frozen=True)
class Along:
    """The component of p_AB along a direction fixed in A vanishes [m]."""

    direction: Direction


@dataclass(frozen=True)
class Square:
    """A direction fixed in A stays square to a direction fixed in B [-]."""

    of_a: Direction
    of_b: Direction


@dataclass(frozen=True)
class Apart:
    """The origins of A and B keep a distance: (|p_AB|² − L²)/(2 L) vanishes [m]."""

    length: Any


Equation = Meet | Along | Square | Apart
