"""Closures between points: coincident, in a plane, on a line, at a distance."""

from typing import ClassVar

from touchback.errors import ModelError
from touchback.model.closures.base import ClosureKind
from touchback.model.equations import UNIT, Along, Apart, Equation, Meet
from touchback.model.frame import AXES
from touchback.model.value import Value


class PointInPlane(ClosureKind, frozen=True, tag="point-in-plane"):
    """The two points coincide as seen in a plane of the closest common body, as "xz": the pin of a
    planar loop, two equations that leave out what a planar mechanism can't violate."""

    plane: str = "xy"

    def __post_init__(self) -> None:
        plane = self.plane
        if not isinstance(plane, str) or len(plane) != 2 or len(set(plane) & set(AXES)) != 2:
            raise ModelError(f"PointInPlane: a plane such as 'xz' is expected, got {self.plane!r}.")

    def equations(self) -> tuple[Equation, ...]:
        return tuple(Meet(AXES[axis]) for axis in self.plane)


class PointOnPlane(ClosureKind, frozen=True, tag="point-on-plane"):
    """The origin of B stays in the plane through A's origin that is square to A's axis `normal`."""

    normal: str = "z"

    def __post_init__(self) -> None:
        check_axis("PointOnPlane", self.normal)

    def equations(self) -> tuple[Equation, ...]:
        return (Along(UNIT[AXES[self.normal]]),)


class PointOnLine(ClosureKind, frozen=True, tag="point-on-line"):
    """The origin of B stays on the axis `line` of A."""

    line: str = "x"

    def __post_init__(self) -> None:
        check_axis("PointOnLine", self.line)

    def equations(self) -> tuple[Equation, ...]:
        axis = AXES[self.line]
        return Along(UNIT[(axis + 1) % 3]), Along(UNIT[(axis + 2) % 3])


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
        return (Apart(self.length),)


def check_axis(kind: str, axis: str) -> None:
    """Refuse what is no coordinate axis."""
    if axis not in AXES:
        raise ModelError(f"{kind}: 'x', 'y' or 'z' is expected, got {axis!r}.")
