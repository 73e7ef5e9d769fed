"""The kinds of joints. A new one is a class here and one more name in AnyJoint beside this file."""

from typing import ClassVar

import numpy as np

from touchback.errors import ModelError
from touchback.model.closure_equations import (
    COINCIDENT_POINTS,
    UNIT,
    Direction,
    Equation,
    Perpendicular,
    ZeroOffsetAlong,
)
from touchback.model.frame import AXES
from touchback.model.joints.base import (
    Axis,
    JointKind,
    Step,
    about_axis,
    aligned,
    axis_vector,
    check_axis,
    direction,
    on_axis,
    parallel,
)
from touchback.model.joints.elementary_motions import (
    FreeMotion,
    Helix,
    QuaternionTurn,
    SlideAlong,
    TurnAbout,
)
from touchback.model.value_or_expression import Value
from touchback.numbers import is_one_of


class Revolute(JointKind, frozen=True, tag="revolute"):
    """The child turns by q [rad] about `axis`, right-handed; at q = 0 the two frames coincide."""

    axis: Axis = "z"

    def __post_init__(self) -> None:
        check_axis("Revolute", self.axis)

    def steps(self) -> list[Step]:
        return about_axis(self.axis, TurnAbout)

    def equations(self) -> tuple[Equation, ...]:
        return (*COINCIDENT_POINTS, *parallel(self.axis))

    def shared_axes(self) -> tuple[Direction, ...]:
        return (direction(self.axis),)


class Prismatic(JointKind, frozen=True, tag="prismatic"):
    """The child slides by q [m] along `axis` without turning; at q = 0 the two frames coincide."""

    axis: Axis = "x"

    def __post_init__(self) -> None:
        check_axis("Prismatic", self.axis)

    def steps(self) -> list[Step]:
        return about_axis(self.axis, SlideAlong)

    def position_units(self) -> tuple[str, ...]:
        return ("m",)

    def equations(self) -> tuple[Equation, ...]:
        return (*on_axis(self.axis), *aligned())

    def shared_axes(self) -> tuple[Direction, ...]:
        return UNIT


class Screw(JointKind, frozen=True, tag="screw"):
    """The child turns by q [rad] about `axis` and advances by pitch·q; pitch in metres *per
    radian*."""

    UNITS: ClassVar[dict[str, str]] = {"pitch": "m/rad"}
    axis: Axis = "z"
    pitch: Value = 0.0

    def __post_init__(self) -> None:
        check_axis("Screw", self.axis)

    def steps(self) -> list[Step]:
        return about_axis(self.axis, lambda index: Helix(index, self.pitch))


class Cylindrical(JointKind, frozen=True, tag="cylindrical"):
    """Coordinates: `slide` [m] along and `turn` [rad] about the same `axis`."""

    axis: Axis = "z"

    def __post_init__(self) -> None:
        check_axis("Cylindrical", self.axis)

    def steps(self) -> list[Step]:
        return about_axis(self.axis, SlideAlong) + about_axis(self.axis, TurnAbout)

    def position_names(self) -> tuple[str, ...]:
        return ("slide", "turn")

    def position_units(self) -> tuple[str, ...]:
        return ("m", "rad")

    def equations(self) -> tuple[Equation, ...]:
        return (*on_axis(self.axis), *parallel(self.axis))

    def shared_axes(self) -> tuple[Direction, ...]:
        return (direction(self.axis),)


_PARALLEL = 1e-6  # sine of the angle between them


_SQUARE = 1e-12  # cosine of an angle that counts as a right one


class Universal(JointKind, frozen=True, tag="universal"):
    """Turn `first` [rad] about an axis of the parent's frame, then `second` about an axis of the
    turned frame."""

    first: Axis = "x"
    second: Axis = "y"

    def __post_init__(self) -> None:
        check_axis("Universal", self.first)
        check_axis("Universal", self.second)
        if np.linalg.norm(np.cross(axis_vector(self.first), axis_vector(self.second))) < _PARALLEL:
            raise ModelError(
                f"Universal: its axes {self.first!r} and {self.second!r} are parallel, so that it "
                "would turn twice about one; give axes that cross, or use tb.Revolute."
            )

    def steps(self) -> list[Step]:
        return about_axis(self.first, TurnAbout) + about_axis(self.second, TurnAbout)

    def position_names(self) -> tuple[str, ...]:
        return ("first", "second")

    def position_units(self) -> tuple[str, ...]:
        return ("rad", "rad")

    def equations(self) -> tuple[Equation, ...]:
        first, second = direction(self.first), direction(self.second)
        if abs(np.dot(first, second)) > _SQUARE:
            raise ModelError(
                f"Universal: as a closure its axes must be square to each other, got "
                f"{self.first!r} and {self.second!r}."
            )
        return (*COINCIDENT_POINTS, Perpendicular(first, second))


class Planar(JointKind, frozen=True, tag="planar"):
    """Coordinates in this order: two [m] along the parent's axes, cyclic after the normal, then
    `turn` [rad] about it. Planar('z'): x, y, turn; Planar('x'): y, z, turn; Planar('y'): z, x,
    turn."""

    normal: str = "z"

    def __post_init__(self) -> None:
        if not is_one_of(self.normal, AXES):
            raise ModelError(f"Planar: its normal must be 'x', 'y' or 'z', got {self.normal!r}.")

    def steps(self) -> list[Step]:
        n = AXES[self.normal]
        return [SlideAlong((n + 1) % 3), SlideAlong((n + 2) % 3), TurnAbout(n)]

    def position_names(self) -> tuple[str, ...]:
        n = AXES[self.normal]
        return ("xyz"[(n + 1) % 3], "xyz"[(n + 2) % 3], "turn")

    def position_units(self) -> tuple[str, ...]:
        return ("m", "m", "rad")

    def equations(self) -> tuple[Equation, ...]:
        return (ZeroOffsetAlong(UNIT[AXES[self.normal]]), *parallel(self.normal))

    def shared_axes(self) -> tuple[Direction, ...]:
        return (UNIT[AXES[self.normal]],)


class Spherical(JointKind, frozen=True, tag="spherical"):
    """Coordinates qw, qx, qy, qz (any length but zero); velocities wx, wy, wz [rad/s] in the
    child's frame."""

    def steps(self) -> list[Step]:
        return [QuaternionTurn()]

    def position_names(self) -> tuple[str, ...]:
        return ("qw", "qx", "qy", "qz")

    def velocity_names(self) -> tuple[str, ...]:
        return ("wx", "wy", "wz")

    def position_units(self) -> tuple[str, ...]:
        return ("", "", "", "")

    def velocity_units(self) -> tuple[str, ...]:
        return ("rad/s",) * 3

    def equations(self) -> tuple[Equation, ...]:
        return COINCIDENT_POINTS


class Free(JointKind, frozen=True, tag="free"):
    """Coordinates: x, y, z [m] in the parent's frame and a quaternion qw, qx, qy, qz; velocities
    vx, vy, vz [m/s] and wx, wy, wz [rad/s], all in the child's frame."""

    def steps(self) -> list[Step]:
        return [FreeMotion()]

    def position_names(self) -> tuple[str, ...]:
        return ("x", "y", "z", "qw", "qx", "qy", "qz")

    def velocity_names(self) -> tuple[str, ...]:
        return ("vx", "vy", "vz", "wx", "wy", "wz")

    def position_units(self) -> tuple[str, ...]:
        return ("m", "m", "m", "", "", "", "")

    def velocity_units(self) -> tuple[str, ...]:
        return ("m/s",) * 3 + ("rad/s",) * 3


class Fixed(JointKind, frozen=True, tag="fixed"):
    """No freedom: the child's frame coincides with the parent's."""

    def steps(self) -> list[Step]:
        return []

    def position_names(self) -> tuple[str, ...]:
        return ()

    def position_units(self) -> tuple[str, ...]:
        return ()

    def equations(self) -> tuple[Equation, ...]:
        return (*COINCIDENT_POINTS, *aligned())

    def shared_axes(self) -> tuple[Direction, ...]:
        return UNIT
