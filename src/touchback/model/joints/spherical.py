"""The spherical joint: any rotation about a point, by a quaternion."""

from touchback.model.equations import TOGETHER, Equation
from touchback.model.joints.base import JointKind, Step
from touchback.model.joints.motion import QuaternionTurn


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
        return TOGETHER
