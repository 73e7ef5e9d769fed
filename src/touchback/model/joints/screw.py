"""The screw joint: rotation and translation tied by a pitch."""

from typing import ClassVar

from touchback.model.joints.base import Axis, JointKind, Step, about_axis, check_axis
from touchback.model.joints.motion import Helix
from touchback.model.value import Value


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
