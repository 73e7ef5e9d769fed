"""Closures on velocities: a skate, and a disc that rolls without slip."""

from typing import ClassVar

from touchback.errors import ModelError
from touchback.model.closures.base import ClosureKind
from touchback.model.equations import UNIT, DiscOnPlane, Equation, Grip, Still
from touchback.model.frame import AXES
from touchback.model.joints.base import Axis, axis_vector
from touchback.model.joints.base import check_axis as check_direction
from touchback.model.value import Value, is_number


class Skate(ClosureKind, frozen=True, tag="skate"):
    """The origin of B has no velocity relative to A along B's `axis`: a blade, a knife edge, the
    sideways grip of a wheel. One equation, on velocities only."""

    axis: Axis = "y"

    def __post_init__(self) -> None:
        check_direction("Skate", self.axis)

    def equations(self) -> tuple[Equation, ...]:
        x, y, z = map(float, axis_vector(self.axis))
        return (Still((x, y, z)),)


class Rolling(ClosureKind, frozen=True, tag="rolling"):
    """A disc of `radius` [m] about B's origin, square to B's `axis`, rolls without slip on the
    plane through A's origin square to A's axis `normal`, on the side to which that points ('-z':
    from below). Three equations: it touches (a position), and its lowest point is still along A's
    two other axes (velocities). Not for a disc that lies flat, whose lowest point is not one."""

    UNITS: ClassVar[dict[str, str]] = {"radius": "m"}
    radius: Value
    axis: Axis = "y"
    normal: str = "z"

    def __post_init__(self) -> None:
        check_direction("Rolling", self.axis)
        if not isinstance(self.normal, str) or self.normal.removeprefix("-") not in AXES:
            raise ModelError(
                "Rolling: its normal must be 'x', 'y', 'z', '-x', '-y' or '-z', got "
                f"{self.normal!r}."
            )
        given = self.radius
        if isinstance(given, int | float) and is_number(given) and not given > 0.0:
            raise ModelError(f"Rolling: its radius is {given} m; it must be positive.")

    def equations(self) -> tuple[Equation, ...]:
        x, y, z = map(float, axis_vector(self.axis))
        index = AXES[self.normal[-1]]
        nx, ny, nz = map(float, axis_vector(self.normal))
        disc = DiscOnPlane(self.radius, (x, y, z), (nx, ny, nz))
        return disc, Grip(disc, UNIT[(index + 1) % 3]), Grip(disc, UNIT[(index + 2) % 3])
