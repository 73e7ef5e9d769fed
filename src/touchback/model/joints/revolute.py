"""The revolute joint: one rotation about an axis."""

from touchback.model.equations import TOGETHER, Direction, Equation
from touchback.model.joints.base import (
    Axis,
    JointKind,
    Step,
    about_axis,
    check_axis,
    direction,
    parallel,
)
from touchback.model.joints.motion import TurnAbout


class Revolute(JointKind, frozen=True, tag="revolute"):
    """The child turns by q [rad] about `axis`, right-handed; at q = 0 the two frames coincide."""

    axis: Axis = "z"

    def __post_init__(self) -> None:
        check_axis("Revolute", self.axis)

    def steps(self) -> list[Step]:
        return about_axis(self.axis, TurnAbout)

    def equations(self) -> tuple[Equation, ...]:
        return (*TOGETHER, *parallel(self.axis))

    def shared_axes(self) -> tuple[Direction, ...]:
        return (direction(self.axis),)
