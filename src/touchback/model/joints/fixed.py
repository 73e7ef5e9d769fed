"""The fixed joint: two bodies move as one."""

from touchback.model.equations import TOGETHER, UNIT, Direction, Equation
from touchback.model.joints.base import JointKind, Step, aligned


class Fixed(JointKind, frozen=True, tag="fixed"):
    """No freedom: the child's frame coincides with the parent's."""

    def steps(self) -> list[Step]:
        return []

    def position_names(self) -> tuple[str, ...]:
        return ()

    def position_units(self) -> tuple[str, ...]:
        return ()

    def equations(self) -> tuple[Equation, ...]:
        return (*TOGETHER, *aligned())

    def shared_axes(self) -> tuple[Direction, ...]:
        return UNIT
