"""A contact given by expressions: whatever has a gap and slips."""

from typing import ClassVar

from touchback.contact.rigid.base import ContactKind, check_coefficients, check_static
from touchback.model.mechanics import Mechanics
from touchback.model.value import Value, value
from touchback.spatial.vectors import Scalar
from touchback.symbolic.expression import Expr


class DescribedContact(ContactKind, frozen=True, tag="described"):
    """`gap_between` is an expression of positions, `slip_speed` one that is linear in the rates;
    without it there is no tangent, hence no friction."""

    UNITS: ClassVar[dict[str, str]] = {
        "gap_between": "m",
        "slip_speed": "m/s",
        "restitution": "1",
        "friction": "1",
        "static_friction": "1",
    }
    gap_between: Value
    slip_speed: Value = 0.0
    restitution: Value = 0.0
    friction: Value = 0.0
    static_friction: Value | None = None

    def __post_init__(self) -> None:
        value("DescribedContact: gap_between", self.gap_between)
        value("DescribedContact: slip_speed", self.slip_speed)
        check_coefficients("DescribedContact", self.restitution, self.friction)
        check_static("DescribedContact", self.friction, self.static_friction)

    def gap(self, mechanics: Mechanics) -> Scalar:
        return mechanics.value(self.gap_between)

    def slip(self, mechanics: Mechanics) -> list[Scalar]:
        return [mechanics.value(self.slip_speed)] if isinstance(self.slip_speed, Expr) else []
