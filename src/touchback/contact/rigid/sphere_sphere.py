"""A sphere on another sphere."""

from typing import ClassVar

from touchback.contact.rigid.base import ContactKind, check_coefficients, check_static
from touchback.model.frame import Frame
from touchback.model.mechanics import Mechanics
from touchback.model.shapes import Shapes, sphere
from touchback.model.value import Value, check_positive
from touchback.spatial.vectors import Scalar, Vector

_BELOW = -0.999  # cosine of the angle from world z from which on tangents are counted otherwise


class SphereSphereContact(ContactKind, frozen=True, tag="sphere-sphere"):
    """A sphere of `radius_a` [m] about the origin of `a` against one of `radius_b` about that of
    `b`; two tangents.

    The normal n points from `a` to `b`. Tangents are the world's x and y axes carried along as z
    turns into n the shortest way, which has no answer where `b` lies right below `a`: there they
    are counted otherwise, so let `a` be the lower one of a pile."""

    UNITS: ClassVar[dict[str, str]] = {
        "radius_a": "m",
        "radius_b": "m",
        "restitution": "1",
        "friction": "1",
        "static_friction": "1",
    }
    a: Frame
    b: Frame
    radius_a: Value
    radius_b: Value
    restitution: Value = 0.0
    friction: Value = 0.0
    static_friction: Value | None = None

    def __post_init__(self) -> None:
        check_coefficients("SphereSphereContact", self.restitution, self.friction)
        check_static("SphereSphereContact", self.friction, self.static_friction)
        check_positive("SphereSphereContact", radius_a=self.radius_a)
        check_positive("SphereSphereContact", zero=True, radius_b=self.radius_b)

    def shapes(self) -> Shapes:
        return sphere(self.a, self.radius_a) + sphere(self.b, self.radius_b)

    def gap(self, mechanics: Mechanics) -> Scalar:
        k, value = mechanics.k, mechanics.value
        distance = mechanics.vectors.norm(self._between(mechanics))
        return k.sub(distance, k.add(value(self.radius_a), value(self.radius_b)))

    def slip(self, mechanics: Mechanics) -> list[Scalar]:
        k, vectors, value = mechanics.k, mechanics.vectors, mechanics.value
        between = self._between(mechanics)
        n = vectors.scale(k.div(1, vectors.norm(between)), between)
        surfaces = []
        for frame, arm in ((self.a, value(self.radius_a)), (self.b, -value(self.radius_b))):
            spin = vectors.cross(mechanics.angular_velocity(frame), vectors.scale(arm, n))
            surfaces.append(vectors.add(mechanics.velocity(frame), spin))
        relative = vectors.sub(surfaces[1], surfaces[0])
        return [vectors.dot(tangent, relative) for tangent in self._tangents(mechanics, n)]

    def _between(self, mechanics: Mechanics) -> Vector:
        return mechanics.vectors.sub(mechanics.position(self.b), mechanics.position(self.a))

    def _tangents(self, mechanics: Mechanics, n: Vector) -> list[Vector]:
        """(1 − x²/(1+z), −xy/(1+z), −x) and its like, with z and the first tangent turned over
        right below."""
        k = mechanics.k
        x, y, z = n
        sign = k.select(k.less(z, k.const(_BELOW)), k.neg(1), 1)
        share = k.div(1, k.add(1, k.mul(sign, z)))
        xy = k.neg(k.mul(k.mul(x, y), share))
        first = [k.sub(1, k.mul(k.mul(x, x), share)), xy, k.neg(k.mul(sign, x))]
        return [first, [xy, k.sub(1, k.mul(k.mul(y, y), share)), k.neg(k.mul(sign, y))]]
