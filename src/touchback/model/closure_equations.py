"""The elementary equations that closures, and joints as closures, put between a frame A and a frame
B."""

from dataclasses import dataclass

from touchback.model.described_values import Value

Direction = tuple[float, float, float]


@dataclass(frozen=True)
class CoincidentComponent:
    """The component `axis` of p_AB vanishes, along the axes of the closest common body [m]."""

    axis: int


@dataclass(frozen=True)
class ZeroOffsetAlong:
    """The component of p_AB along a direction fixed in A vanishes [m]."""

    direction: Direction


@dataclass(frozen=True)
class Perpendicular:
    """A direction fixed in A stays square to a direction fixed in B [-]."""

    of_a: Direction
    of_b: Direction


@dataclass(frozen=True)
class FixedDistance:
    """The origins of A and B keep a distance: (|p_AB|² − L²)/(2 L) vanishes [m]."""

    length: Value


@dataclass(frozen=True)
class NoVelocityAlong:
    """The velocity of B's origin relative to A along a direction fixed in B vanishes [m/s]."""

    direction: Direction


@dataclass(frozen=True)
class DiscOnPlane:
    """A disc about B's origin, square to `axis` (fixed in B), touches the plane through A's origin
    square to `normal` (fixed in A) [m]."""

    radius: Value
    axis: Direction
    normal: Direction


@dataclass(frozen=True)
class NoSlip:
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
