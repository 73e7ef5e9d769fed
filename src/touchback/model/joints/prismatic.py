"""The prismatic joint: one translation along an axis."""

from touchback.model.equations import UNIT, Direction, Equation
from touchback.model.joints.base import (
    Axis,
    JointKind,
    Step,
    about_axis,
    aligned,
    check_axis,
    on_axis,
)
from touchback.model.joints.motion import SlideAlong


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
