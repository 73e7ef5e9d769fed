"""The planar joint: two translations in a plane and a rotation about its normal."""

from touchback.errors import ModelError
from touchback.model.equations import UNIT, Along, Direction, Equation
from touchback.model.frame import AXES
from touchback.model.joints.base import JointKind, Step, parallel
from touchback.model.joints.motion import SlideAlong, TurnAbout
from touchback.numbers import is_one_of


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
        return (Along(UNIT[AXES[self.normal]]), *parallel(self.normal))

    def shared_axes(self) -> tuple[Direction, ...]:
        return (UNIT[AXES[self.normal]],)
