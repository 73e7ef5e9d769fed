"""A spring and a damper that push only while something touches."""

from touchback.contact.laws.base import (
    ContactLaw,
    Own,
    elastic_energy,
    where_touching,
)
from touchback.model.mechanics import Mechanics
from touchback.model.value import Value, check_positive, is_zero, power_law_units
from touchback.spatial.vectors import Scalar


class UnilateralSpring(ContactLaw, frozen=True, tag="unilateral-spring"):
    """max(0, K dⁿ + c ḋ) for depths d > 0: `stiffness` K [N/mⁿ], `damping` c [N s/m], `exponent` n.

    The damper acts at once on touch, so that an impact begins with a jump of the force;
    `HuntCrossley` has none."""

    stiffness: Value
    damping: Value = 0.0
    exponent: Value = 1.0

    def __post_init__(self) -> None:
        check_positive("UnilateralSpring", stiffness=self.stiffness, exponent=self.exponent)
        check_positive("UnilateralSpring", zero=True, damping=self.damping)

    def field_units(self) -> dict[str, str]:
        return {**power_law_units(self.exponent), "damping": "N s/m", "exponent": "1"}

    def force(self, mechanics: Mechanics, depth: Scalar, rate: Scalar, own: Own) -> Scalar:
        k, value = mechanics.k, mechanics.value
        push = k.mul(value(self.stiffness), k.pow(depth, value(self.exponent)))
        if not is_zero(self.damping):
            push = k.maximum(k.add(push, k.mul(value(self.damping), rate)), 0)
        return where_touching(mechanics, depth, push)

    def energy(self, mechanics: Mechanics, depth: Scalar, own: Own) -> Scalar:
        value = mechanics.value
        return elastic_energy(mechanics, depth, value(self.stiffness), value(self.exponent))
