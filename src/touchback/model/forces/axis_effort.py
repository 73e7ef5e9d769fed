"""A force along, or a torque about, an axis of a frame that may move."""

from touchback.model.axis_between import push_about, push_along
from touchback.model.forces.base import ForceKind
from touchback.model.frame import Frame
from touchback.model.joints.base import Axis, check_axis
from touchback.model.mechanics import Forces
from touchback.model.value import Value


class AxisEffort(ForceKind, frozen=True, tag="axis-effort"):
    """`effort` [N] on the body of `frame`, at its origin, along an `axis` of `reference`, and its
    reaction on the reference's body; or, `turning`, a torque [N m] about it. Its power is the
    effort times the rate that `AxisMotion` reads there, however both move."""

    frame: Frame
    reference: Frame
    effort: Value
    axis: Axis = "z"
    turning: bool = False

    def __post_init__(self) -> None:
        check_axis("AxisEffort", self.axis)

    def field_units(self) -> dict[str, str]:
        return {"effort": "N m" if self.turning else "N"}

    def apply(self, mechanics: Forces) -> None:
        push = push_about if self.turning else push_along
        push(mechanics, self.frame, self.reference, self.axis, mechanics.value(self.effort))
