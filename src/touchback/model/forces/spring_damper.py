"""A spring and damper between two points, and any other law of their distance."""

from typing import ClassVar

from touchback.model.forces.base import ForceKind
from touchback.model.frame import Frame
from touchback.model.mechanics import Forces, Mechanics
from touchback.model.value import Value
from touchback.spatial.vectors import Scalar, Vector


class SpringDamper(ForceKind, frozen=True, tag="spring-damper"):
    """Tension k (l − l₀) + c l̇ [N] along the line between the origins of `a` and `b`, l their
    distance."""

    UNITS: ClassVar[dict[str, str]] = {"stiffness": "N/m", "damping": "N s/m", "length": "m"}
    a: Frame
    b: Frame
    stiffness: Value = 0.0
    damping: Value = 0.0
    length: Value = 0.0

    def apply(self, mechanics: Forces) -> None:
        k = mechanics.k
        distance, speed, direction = line_between(mechanics, self.a, self.b)
        stretch = k.sub(distance, mechanics.value(self.length))
        tension = k.add(
            k.mul(mechanics.value(self.stiffness), stretch),
            k.mul(mechanics.value(self.damping), speed),
        )
        pull_together(mechanics, self.a, self.b, tension, direction)

    def potential(self, mechanics: Mechanics) -> Scalar:
        k = mechanics.k
        distance, _, _ = line_between(mechanics, self.a, self.b)
        x = k.sub(distance, mechanics.value(self.length))
        return k.mul(k.mul(k.const(0.5), mechanics.value(self.stiffness)), k.mul(x, x))


class LinkForce(ForceKind, frozen=True, tag="link-force"):
    """Any tension [N] along the line between `a` and `b`: an expression, as of a Distance
    sensor."""

    UNITS: ClassVar[dict[str, str]] = {"tension": "N"}
    a: Frame
    b: Frame
    tension: Value

    def apply(self, mechanics: Forces) -> None:
        _, _, direction = line_between(mechanics, self.a, self.b)
        pull_together(mechanics, self.a, self.b, mechanics.value(self.tension), direction)


def line_between(mechanics: Mechanics, a: Frame, b: Frame) -> tuple[Scalar, Scalar, Vector]:
    """Distance l of b from a, its rate, and the unit vector from a to b (zero where the points
    coincide)."""
    k, vectors = mechanics.k, mechanics.vectors
    r = vectors.sub(mechanics.position(b), mechanics.position(a))
    v = vectors.sub(mechanics.velocity(b), mechanics.velocity(a))
    distance = vectors.norm(r)
    apart = k.less(0, distance)
    inverse = k.select(apart, k.div(1, k.select(apart, distance, 1)), 0)
    direction = vectors.scale(inverse, r)
    return distance, vectors.dot(direction, v), direction


def pull_together(
    mechanics: Forces, a: Frame, b: Frame, tension: Scalar, direction: Vector
) -> None:
    """Equal and opposite forces along the line."""
    pull = mechanics.vectors.scale(tension, direction)
    mechanics.push(a, pull)
    mechanics.push(b, mechanics.vectors.neg(pull))
