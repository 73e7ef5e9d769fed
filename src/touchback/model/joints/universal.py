"""The universal (Cardan, Hooke) joint: two rotations about crossing axes."""

import numpy as np

from touchback.errors import ModelError
from touchback.model.equations import TOGETHER, Equation, Square
from touchback.model.joints.base import (
    Axis,
    JointKind,
    Step,
    about_axis,
    axis_vector,
    check_axis,
    direction,
)
from touchback.model.joints.motion import TurnAbout

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
        return (*TOGETHER, Square(first, second))
