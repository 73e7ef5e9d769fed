"""The universal (Cardan, Hooke) joint: two rotations about crossing axes."""

from touchback.model.joints.base import Axis, JointKind, Step, about_axis, check_axis
from touchback.model.joints.motion import TurnAbout


class Universal(JointKind, frozen=True, tag="universal"):
    """Turn `first` [rad] about an axis of the parent's frame, then `second` about an axis of the
    turned frame."""

    first: Axis = "x"
    second: Axis = "y"

    def __post_init__(self) -> None:
        check_axis("Universal", self.first)
        check_axis("Universal", self.second)

    def steps(self) -> list[Step]:
        return about_axis(self.first, TurnAbout) + about_axis(self.second, TurnAbout)

    def position_names(self) -> tuple[str, ...]:
        return ("first", "second")

    def position_units(self) -> tuple[str, ...]:
        return ("rad", "rad")
