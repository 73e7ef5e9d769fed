"""Where a frame is along an axis of another, or how far it has turned about it."""

from touchback.model.axis_between import about, along
from touchback.model.frame import Frame
from touchback.model.joints.base import Axis, check_axis
from touchback.model.mechanics import Mechanics
from touchback.model.sensors.base import SensorKind, Several
from touchback.spatial.vectors import Scalar


class AxisMotion(SensorKind[Several], frozen=True, tag="axis-motion"):
    """Position [m] of a frame's origin along an `axis` of `reference`, from its origin, and its
    rate [m/s], as seen from there; or, `turning`, the angle about it [rad], from −π to π, and its
    rate [rad/s]. An `AxisEffort` of the same fields works on just this rate.

    The angle is the twist that remains when the axis is swung to where it has gone by the shortest
    way, so that springs on it give back what they take; where the axis has swung by 180° there is
    none."""

    frame: Frame
    reference: Frame
    axis: Axis = "z"
    turning: bool = False

    def __post_init__(self) -> None:
        check_axis("AxisMotion", self.axis)

    def components(self) -> tuple[str, ...]:
        return ("position", "rate")

    def units(self) -> tuple[str, ...]:
        return ("rad", "rad/s") if self.turning else ("m", "m/s")

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        read = about if self.turning else along
        return list(read(mechanics, self.frame, self.reference, self.axis))
