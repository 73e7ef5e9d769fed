"""Attraction by the inverse square of the distance, as of masses or opposite charges."""

from touchback.model import (
    ForceKind,
    Forces,
    FrameField,
    Mechanics,
    Value,
    line_between,
    pull_together,
)
from touchback.numbers import Scalar


class Attraction(ForceKind, frozen=True, tag="attraction"):
    """Force `strength`/r² [N] between the origins of `a` and `b`, r their distance; `strength`
    [N m²]. Stored energy −strength/r [J]."""

    a: FrameField
    b: FrameField
    strength: Value

    def apply(self, mechanics: Forces) -> None:
        k = mechanics.k
        r, _, direction = line_between(mechanics, self.a, self.b)
        tension = k.div(mechanics.value(self.strength), k.mul(r, r))
        pull_together(mechanics, self.a, self.b, tension, direction)

    def potential(self, mechanics: Mechanics) -> Scalar:
        r, _, _ = line_between(mechanics, self.a, self.b)
        return mechanics.k.neg(mechanics.k.div(mechanics.value(self.strength), r))
