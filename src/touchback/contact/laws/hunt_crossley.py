"""Hunt and Crossley's law: damping that grows with the depth, so that forces begin and end at zero.

Source: K. H. Hunt and F. R. E. Crossley, Coefficient of restitution interpreted as damping in
vibroimpact, J. Applied Mechanics 42 (1975) 440–445.
"""

from touchback.contact.laws.base import (
    ContactLaw,
    Own,
    elastic_energy,
    where_touching,
)
from touchback.model.mechanics import Mechanics
from touchback.model.value import Value, check_positive, is_zero, power_law_units
from touchback.spatial.vectors import Scalar


class HuntCrossley(ContactLaw, frozen=True, tag="hunt-crossley"):
    """K dⁿ max(0, 1 + 3/2 c ḋ): `stiffness` K [N/mⁿ], `damping` c [s/m], `exponent` n (3/2: Hertz).

    An impact at the speed v on a body that stands still has the restitution e ≈ 1 − c v for small
    c v, whatever the mass, K and n."""

    stiffness: Value
    damping: Value = 0.0
    exponent: Value = 1.5

    def __post_init__(self) -> None:
        check_positive("HuntCrossley", stiffness=self.stiffness, exponent=self.exponent)
        check_positive("HuntCrossley", zero=True, damping=self.damping)

    def field_units(self) -> dict[str, str]:
        return {**power_law_units(self.exponent), "damping": "s/m", "exponent": "1"}

    def force(self, mechanics: Mechanics, depth: Scalar, rate: Scalar, own: Own) -> Scalar:
        k, value = mechanics.k, mechanics.value
        push = k.mul(value(self.stiffness), k.pow(depth, value(self.exponent)))
        if not is_zero(self.damping):
            slope = k.mul(k.const(1.5), value(self.damping))
            push = k.mul(push, k.maximum(k.add(1, k.mul(slope, rate)), 0))
        return where_touching(mechanics, depth, push)

    def energy(self, mechanics: Mechanics, depth: Scalar, own: Own) -> Scalar:
        value = mechanics.value
        return elastic_energy(mechanics, depth, value(self.stiffness), value(self.exponent))
