"""A soft sphere on a plane, with friction."""

from dataclasses import dataclass

from touchback.contact.compliant.base import CompliantContact
from touchback.contact.laws import (
    ContactLaw,
    HuntCrossley,
    UnilateralSpring,
    regularised_coulomb,
)
from touchback.errors import ModelError
from touchback.model.frame import Frame
from touchback.model.mechanics import Forces, Mechanics
from touchback.model.names import suggestion
from touchback.model.shapes import PlaneShape, Shapes, sphere
from touchback.model.value import Value, check_positive, is_number, power_law_units, value
from touchback.numbers import is_one_of
from touchback.spatial import transpose
from touchback.spatial.vectors import Matrix, Scalar, Vector

_LAWS: dict[str, type[HuntCrossley] | type[UnilateralSpring]] = {
    "hunt-crossley": HuntCrossley,
    "spring-damper": UnilateralSpring,
}


class SphereOnPlane(CompliantContact, frozen=True, tag="sphere-on-plane"):
    """A sphere of `radius` [m] about the origin of `frame` pressed into the x-y plane of `plane`,
    whose z axis points out of the wall.

    The normal force of the depth d is by `law`: "hunt-crossley", K dⁿ (1 + 3/2 c ḋ) with the
    `damping` c in s/m, or "spring-damper", K dⁿ + c ḋ with c in N s/m; n is the `exponent` (3/2:
    Hertz). Friction is regularised: −μ N u/√(u² + u₀²) for the slip velocity u, with `friction` μ
    and `slip_speed` u₀ [m/s]; it creeps at u ≪ u₀ instead of sticking."""

    frame: Frame
    plane: Frame = Frame("ground")
    radius: Value = 0.0
    stiffness: Value = 1e5
    exponent: Value = 1.5
    damping: Value = 0.0
    friction: Value = 0.0
    slip_speed: Value = 1e-3
    law: str = "hunt-crossley"

    def __post_init__(self) -> None:
        if not is_one_of(self.law, _LAWS):
            hint = suggestion(str(self.law), _LAWS)
            raise ModelError(f"SphereOnPlane: there is no law {self.law!r}; {hint}")
        check_positive("SphereOnPlane", stiffness=self.stiffness, exponent=self.exponent)
        check_positive(
            "SphereOnPlane", zero=True,
            radius=self.radius, damping=self.damping, friction=self.friction,
        )  # fmt: skip
        slip_speed = value("SphereOnPlane: slip_speed", self.slip_speed)
        if is_number(slip_speed) and not slip_speed > 0.0:
            raise ModelError(
                f"SphereOnPlane: its slip_speed is {self.slip_speed} m/s; give a small positive "
                "speed, below which friction gives way."
            )

    def field_units(self) -> dict[str, str]:
        damping = "s/m" if self.law == "hunt-crossley" else "N s/m"
        own = {"radius": "m", "friction": "1", "slip_speed": "m/s", "exponent": "1"}
        return {**power_law_units(self.exponent), **own, "damping": damping}

    def shapes(self) -> Shapes:
        return [(self.plane, PlaneShape()), *sphere(self.frame, self.radius)]

    def normal_law(self) -> ContactLaw:
        return _LAWS[self.law](self.stiffness, self.damping, self.exponent)

    def apply(self, mechanics: Forces) -> None:
        vectors = mechanics.vectors
        touch = self._touch(mechanics)
        N, slip = self._normal(mechanics, touch), touch.velocity[:2]
        friction = regularised_coulomb(mechanics, self.friction, self.slip_speed, N, slip)
        force = vectors.apply(touch.R, [*friction, N])
        mechanics.push(self.frame, force, vectors.cross(touch.from_centre, force))
        reaction = vectors.neg(force)
        mechanics.push(self.plane, reaction, vectors.cross(touch.from_plane, reaction))

    def shown_at(self, mechanics: Mechanics) -> Vector:
        from_centre = self._touch(mechanics).from_centre
        return mechanics.vectors.add(mechanics.position(self.frame), from_centre)

    def gap(self, mechanics: Mechanics) -> Scalar:
        return self._touch(mechanics).gap

    def normal_force(self, mechanics: Mechanics) -> Scalar:
        return self._normal(mechanics, self._touch(mechanics))

    def _touch(self, mechanics: Mechanics) -> "SphereNearPlane":
        return sphere_on_plane(mechanics, self.frame, self.plane, self.radius)

    def _normal(self, mechanics: Mechanics, touch: "SphereNearPlane") -> Scalar:
        depth, rate = -touch.gap, -touch.velocity[2]
        return self.normal_law().force(mechanics, depth, rate, self._own(mechanics))


@dataclass(frozen=True)
class SphereNearPlane:
    """Where a sphere is nearest to a plane: the gap [m]; R_WP of the plane; the nearest point from
    the sphere's centre and from the plane's origin, along world axes; and its velocity relative to
    the plane, along the plane's axes [m/s]."""

    gap: Scalar
    R: Matrix
    from_centre: Vector
    from_plane: Vector
    velocity: Vector


def sphere_on_plane(
    mechanics: Mechanics, frame: Frame, plane: Frame, radius: Value
) -> SphereNearPlane:
    """The nearest points of a sphere about the origin of `frame` and the x-y plane of `plane`."""
    k, vectors = mechanics.k, mechanics.vectors
    R = mechanics.rotation(plane)
    normal, r_ball = transpose(R)[2], mechanics.value(radius)
    centre = vectors.sub(mechanics.position(frame), mechanics.position(plane))
    from_centre = vectors.scale(-r_ball, normal)
    from_plane = vectors.add(centre, from_centre)
    spin = vectors.cross(mechanics.angular_velocity(frame), from_centre)
    turn = vectors.cross(mechanics.angular_velocity(plane), from_plane)
    own = vectors.add(mechanics.velocity(frame), spin)
    carried = vectors.add(mechanics.velocity(plane), turn)
    velocity = vectors.apply_transposed(R, vectors.sub(own, carried))
    gap = k.sub(vectors.dot(normal, centre), r_ball)
    return SphereNearPlane(gap, R, from_centre, from_plane, velocity)
