"""Closures of loops: points on planes and lines, rods, rolling and skates, and joints.

A new kind is a class here and one more name in AnyClosure.
"""

from typing import ClassVar, get_args

from touchback.errors import ModelError
from touchback.model.closure_equations import (
    UNIT,
    CoincidentComponent,
    Direction,
    DiscOnPlane,
    Equation,
    FixedDistance,
    NoSlip,
    NoVelocityAlong,
    ZeroOffsetAlong,
)
from touchback.model.frame import AXES, Frame
from touchback.model.joints import AnyJoint, JointKind
from touchback.model.joints.base import Axis, axis_vector, check_axis as check_direction
from touchback.model.value_or_expression import Data, Value, is_number


class ClosureKind(Data, frozen=True, tag_field="kind"):
    """A kind of closure: the equations it puts between two frames A and B."""

    def equations(self) -> tuple[Equation, ...]:
        """In order; each has a multiplier."""
        raise NotImplementedError(type(self).__name__)

    def shared_axes(self) -> tuple[Direction, ...]:
        """Axes that the two frames share in the branch that is meant, not the wrong way round."""
        return ()


class PointInPlane(ClosureKind, frozen=True, tag="point-in-plane"):
    """The two points coincide as seen in a plane of the closest common body, as "xz": the pin of a
    planar loop, two equations that leave out what a planar mechanism can't violate."""

    plane: str = "xy"

    def __post_init__(self) -> None:
        plane = self.plane
        if not isinstance(plane, str) or len(plane) != 2 or len(set(plane) & set(AXES)) != 2:
            raise ModelError(f"PointInPlane: a plane such as 'xz' is expected, got {self.plane!r}.")

    def equations(self) -> tuple[Equation, ...]:
        return tuple(CoincidentComponent(AXES[axis]) for axis in self.plane)


class PointOnPlane(ClosureKind, frozen=True, tag="point-on-plane"):
    """The origin of B stays in the plane through A's origin that is square to A's axis `normal`."""

    normal: str = "z"

    def __post_init__(self) -> None:
        check_axis("PointOnPlane", self.normal)

    def equations(self) -> tuple[Equation, ...]:
        return (ZeroOffsetAlong(UNIT[AXES[self.normal]]),)


class PointOnLine(ClosureKind, frozen=True, tag="point-on-line"):
    """The origin of B stays on the axis `line` of A."""

    line: str = "x"

    def __post_init__(self) -> None:
        check_axis("PointOnLine", self.line)

    def equations(self) -> tuple[Equation, ...]:
        axis = AXES[self.line]
        return ZeroOffsetAlong(UNIT[(axis + 1) % 3]), ZeroOffsetAlong(UNIT[(axis + 2) % 3])


class Rod(ClosureKind, frozen=True, tag="rod"):
    """The two points keep the distance `length` [m]: a massless rod with a ball at either end."""

    UNITS: ClassVar[dict[str, str]] = {"length": "m"}
    length: Value

    def __post_init__(self) -> None:
        if isinstance(self.length, int | float) and not self.length > 0.0:
            raise ModelError(
                f"Rod: its length is {self.length} m; it must be positive. Points that coincide "
                "are tied by tb.Spherical()."
            )

    def equations(self) -> tuple[Equation, ...]:
        return (FixedDistance(self.length),)


def check_axis(kind: str, axis: str) -> None:
    """Refuse what is no coordinate axis."""
    if axis not in AXES:
        raise ModelError(f"{kind}: 'x', 'y' or 'z' is expected, got {axis!r}.")


class Skate(ClosureKind, frozen=True, tag="skate"):
    """The origin of B has no velocity relative to A along B's `axis`: a blade, a knife edge, the
    sideways grip of a wheel. One equation, on velocities only."""

    axis: Axis = "y"

    def __post_init__(self) -> None:
        check_direction("Skate", self.axis)

    def equations(self) -> tuple[Equation, ...]:
        x, y, z = map(float, axis_vector(self.axis))
        return (NoVelocityAlong((x, y, z)),)


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
        return disc, NoSlip(disc, UNIT[(index + 1) % 3]), NoSlip(disc, UNIT[(index + 2) % 3])


AnyClosure = PointInPlane | PointOnPlane | PointOnLine | Rod | Skate | Rolling | AnyJoint


def closing_kinds() -> list[str]:
    """Names of the kinds that close loops: those that write equations."""
    return [kind.__name__ for kind in get_args(AnyClosure) if _has_equations(kind)]


def _has_equations(kind: type[ClosureKind | JointKind]) -> bool:
    return kind.equations is not JointKind.equations


def check_closes_loops(label: str, kind: ClosureKind | JointKind) -> None:
    """Refuses a joint that leaves no equations between its two frames."""
    if not _has_equations(type(kind)):
        *kinds, last = closing_kinds()
        raise ModelError(
            f"{label}: {type(kind).__name__} can't close a loop. Closures are {', '.join(kinds)} "
            f"and {last}."
        )


class Closure(Data, frozen=True):
    """Ties frame `b` to frame `a`; its multipliers are the force (and torque) on b's body. While it
    isn't `active` it ties nothing."""

    kind: ClosureKind | JointKind
    a: Frame
    b: Frame
    active: bool = True
