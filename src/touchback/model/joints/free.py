"""The free joint: no constraint at all."""

from touchback.model.joints.base import JointKind, Step
from touchback.model.joints.motion import FreeMotion


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
