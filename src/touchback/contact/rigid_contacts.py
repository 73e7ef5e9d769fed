"""Rigid contacts of pairs of shapes. A new kind is a class here with its gap and its slip speeds,
and one more name in AnyRigid."""

from typing import ClassVar

from touchback.contact.compliant_contacts import SphereNearPlane, sphere_on_plane
from touchback.errors import ModelError
from touchback.model import (
    GROUND_FRAME,
    ContactKind,
    DiscShape,
    Expr,
    FrameField,
    Mechanics,
    PlaneShape,
    Shapes,
    Value,
    check_positive,
    is_number,
    sphere,
    transpose,
    value,
)
from touchback.numbers import Scalar, Vector, is_one_of

__all__ = ["ContactKind", "check_coefficients", "check_static"]


def check_coefficients(
    kind: str, restitution: Value, friction: Value, rolling: Value = 0.0
) -> None:
    """Refuse numbers that no contact has; expressions are taken as they come."""
    e = value(f"{kind}: restitution", restitution)
    if is_number(e) and not 0.0 <= e <= 1.0:
        raise ModelError(f"{kind}: its restitution is {restitution}; it lies between 0 and 1.")
    mu, arm = value(f"{kind}: friction", friction), value(f"{kind}: rolling", rolling)
    if is_number(mu) and not mu >= 0.0:
        raise ModelError(f"{kind}: its friction is {friction}; a coefficient is not negative.")
    if is_number(arm) and not arm >= 0.0:
        raise ModelError(f"{kind}: its rolling is {rolling} m; the arm is not negative.")


def check_static(kind: str, friction: Value, static: Value | None) -> None:
    """Refuse a static coefficient below that of slipping."""
    if static is None:
        return
    holds = value(f"{kind}: static_friction", static)
    if is_number(holds) and is_number(friction) and holds < friction:
        raise ModelError(
            f"{kind}: its static_friction {static} is below its friction {friction}; what sticks "
            "holds at least as much as what slips."
        )


class SpherePlaneContact(ContactKind, frozen=True, tag="sphere-plane"):
    """A sphere of `radius` [m] about the origin of `frame` (0: a point) on the x-y plane of
    `plane`, whose z axis points out of the wall.

    `tangents` are the axes of the plane along which friction acts: "xy", or "x" or "y" alone in a
    planar mechanism. Slip is the velocity of the sphere's lowest point relative to the plane.

    `rolling` is the arm ρ [m] of rolling friction: a moment up to ρ times the normal force resists
    rolling, about the axes across the tangents."""

    UNITS: ClassVar[dict[str, str]] = {
        "radius": "m",
        "restitution": "1",
        "friction": "1",
        "rolling": "m",
        "static_friction": "1",
    }
    frame: FrameField
    plane: FrameField = GROUND_FRAME
    radius: Value = 0.0
    restitution: Value = 0.0
    friction: Value = 0.0
    tangents: str = "xy"
    rolling: Value = 0.0
    static_friction: Value | None = None

    def __post_init__(self) -> None:
        check_coefficients("SpherePlaneContact", self.restitution, self.friction, self.rolling)
        check_static("SpherePlaneContact", self.friction, self.static_friction)
        check_positive("SpherePlaneContact", zero=True, radius=self.radius)
        if not is_one_of(self.tangents, ("", "x", "y", "xy")):
            raise ModelError(
                f"SpherePlaneContact: tangents are '', 'x', 'y' or 'xy', got {self.tangents!r}."
            )

    def shapes(self) -> Shapes:
        return [(self.plane, PlaneShape()), *sphere(self.frame, self.radius)]

    def gap(self, mechanics: Mechanics) -> Scalar:
        return self._touch(mechanics).gap

    def slip(self, mechanics: Mechanics) -> list[Scalar]:
        velocity = self._touch(mechanics).velocity
        return [velocity["xy".index(name)] for name in self.tangents]

    def roll(self, mechanics: Mechanics) -> list[Scalar]:
        if is_number(self.rolling) and self.rolling == 0.0:
            return []
        vectors = mechanics.vectors
        own, carried = (mechanics.angular_velocity(each) for each in (self.frame, self.plane))
        turn = vectors.apply_transposed(mechanics.rotation(self.plane), vectors.sub(own, carried))
        return [turn["yx".index(name)] for name in self.tangents]

    def _touch(self, mechanics: Mechanics) -> SphereNearPlane:
        return sphere_on_plane(mechanics, self.frame, self.plane, self.radius)


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
    a: FrameField
    b: FrameField
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


class DiscPlaneContact(ContactKind, frozen=True, tag="disc-plane"):
    """The rim of a disc of `radius` [m] about the z axis of `frame` on the x-y plane of `plane`,
    whose z axis n points out of the wall; two tangents.

    With the disc's axis a, its lowest point lies r d from the centre, d = ((a·n) a − n)/s with
    s = √(1 − (a·n)²), and the gap is the centre's height less r s. A disc that lies flat (s = 0)
    has no lowest point."""

    UNITS: ClassVar[dict[str, str]] = {"radius": "m", "restitution": "1", "friction": "1"}
    frame: FrameField
    plane: FrameField = GROUND_FRAME
    radius: Value = 1.0
    restitution: Value = 0.0
    friction: Value = 0.0

    def __post_init__(self) -> None:
        check_coefficients("DiscPlaneContact", self.restitution, self.friction)
        check_positive("DiscPlaneContact", radius=self.radius)

    def shapes(self) -> Shapes:
        return [(self.plane, PlaneShape()), (self.frame, DiscShape(self.radius))]

    def gap(self, mechanics: Mechanics) -> Scalar:
        k, vectors = mechanics.k, mechanics.vectors
        _, normal, centre, lowest = self._geometry(mechanics)
        return k.add(vectors.dot(normal, centre), vectors.dot(normal, lowest))

    def slip(self, mechanics: Mechanics) -> list[Scalar]:
        vectors = mechanics.vectors
        R, _, centre, lowest = self._geometry(mechanics)
        spin = vectors.cross(mechanics.angular_velocity(self.frame), lowest)
        own = vectors.add(mechanics.velocity(self.frame), spin)
        point = vectors.add(centre, lowest)
        turn = vectors.cross(mechanics.angular_velocity(self.plane), point)
        carried = vectors.add(mechanics.velocity(self.plane), turn)
        return vectors.apply_transposed(R, vectors.sub(own, carried))[:2]

    def _geometry(self, mechanics: Mechanics) -> tuple[list[list[Scalar]], Vector, Vector, Vector]:
        """R_WP and n of the plane, the centre from the plane's origin, the lowest point from the
        centre; along world axes."""
        k, vectors = mechanics.k, mechanics.vectors
        R = [list(row) for row in mechanics.rotation(self.plane)]
        normal, axis = transpose(R)[2], transpose(mechanics.rotation(self.frame))[2]
        centre = vectors.sub(mechanics.position(self.frame), mechanics.position(self.plane))
        cosine = vectors.dot(axis, normal)
        sine = k.sqrt(k.sub(1, k.mul(cosine, cosine)))
        down = vectors.sub(vectors.scale(cosine, axis), normal)
        lowest = vectors.scale(k.div(mechanics.value(self.radius), sine), down)
        return R, normal, centre, lowest


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


#: Every rigid contact that a model file can hold.
AnyRigid = SpherePlaneContact | SphereSphereContact | DiscPlaneContact | DescribedContact
__all__ = [
    "AnyRigid",
    "ContactKind",
    "DescribedContact",
    "DiscPlaneContact",
    "SpherePlaneContact",
    "SphereSphereContact",
]
