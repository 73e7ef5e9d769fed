"""The cylindrical joint: rotation about and translation along one axis."""

from touchback.model.equations import Direction, Equation
from touchback.model.joints.base import (
    Axis,
    JointKind,
    Step,
    about_axis,
    check_axis,
    direction,
    on_axis,
    parallel,
)
from touchback.model.joints.motion import SlideAlong, TurnAbout


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
