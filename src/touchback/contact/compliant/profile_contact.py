"""A circle of one body against a profile of another: planar mechanisms make and break contact."""

from dataclasses import dataclass
from typing import ClassVar

from touchback.contact.compliant.base import CompliantContact
from touchback.contact.laws import (
    AnyLaw,
    ContactLaw,
    regularised_coulomb,
    rolling_friction,
)
from touchback.contact.profiles import AnyProfile, Circle, Profile
from touchback.errors import ModelError
from touchback.model.mechanics import Forces, Mechanics
from touchback.model.shapes import Shapes
from touchback.model.value import Value, check_positive
from touchback.spatial.vectors import Scalar, Vector


class ProfileContact(CompliantContact, frozen=True, tag="profile-contact"):
    """Contact of two profiles, one of which is a `Circle`, in the x-z plane of the other's frame.

    The `law` gives the normal force N. Friction is regularised, −μ N u/√(u² + u₀²) for the slip
    speed u, with `friction` μ and `slip_speed` u₀ [m/s]; `rolling_friction` c adds the moment
    −c N r ω/√(ω² + ω₀²) on a circle of radius r that rolls with ω, ω₀ = u₀/r."""

    UNITS: ClassVar[dict[str, str]] = {
        "friction": "1",
        "slip_speed": "m/s",
        "rolling_friction": "1",
    }
    first: AnyProfile
    second: AnyProfile
    law: AnyLaw
    friction: Value = 0.0
    slip_speed: Value = 1e-3
    rolling_friction: Value = 0.0

    def __post_init__(self) -> None:
        for word, given, kind, example in (
            ("first", self.first, Profile, "tb.contact.Circle(body, radius)"),
            ("second", self.second, Profile, "tb.contact.Line(body.at(x, y, z), length)"),
            ("law", self.law, ContactLaw, "tb.contact.Felt(stiffness)"),
        ):
            _check(word, given, kind, example)
        self._circle_and_other()
        check_positive("ProfileContact", slip_speed=self.slip_speed)
        check_positive(
            "ProfileContact", zero=True,
            friction=self.friction, rolling_friction=self.rolling_friction,
        )  # fmt: skip

    def shapes(self) -> Shapes:
        return self.first.shapes() + self.second.shapes()

    def normal_law(self) -> ContactLaw:
        return self.law

    def apply(self, mechanics: Forces) -> None:
        vectors = mechanics.vectors
        touch = self._touch(mechanics)
        N = self._normal(mechanics, touch)
        along = self._friction(mechanics, touch, N)
        rolling = rolling_friction(
            mechanics, self.rolling_friction, self.slip_speed, N, touch.radius, touch.spin
        )
        force = vectors.add(vectors.scale(N, touch.normal), vectors.scale(along, touch.tangent))
        # the normal force goes through the centre: about it only friction turns
        turning = mechanics.k.sub(rolling, mechanics.k.mul(touch.radius, along))
        torque = vectors.scale(turning, touch.axis)
        mechanics.push(touch.circle.frame, force, torque)
        moment = vectors.add(vectors.cross(touch.centre, force), torque)
        mechanics.push(touch.other.body(), vectors.neg(force), vectors.neg(moment))

    def shown_at(self, mechanics: Mechanics) -> Vector:
        vectors, touch = mechanics.vectors, self._touch(mechanics)
        inwards = vectors.scale(mechanics.k.neg(touch.radius), touch.normal)
        return vectors.add(mechanics.position(touch.circle.frame), inwards)

    def gap(self, mechanics: Mechanics) -> Scalar:
        return self._touch(mechanics).gap

    def normal_force(self, mechanics: Mechanics) -> Scalar:
        return self._normal(mechanics, self._touch(mechanics))

    def friction_force(self, mechanics: Mechanics) -> Scalar:
        """Along the tangent y × n on the circle, n the normal out of the other profile [N]."""
        touch = self._touch(mechanics)
        return self._friction(mechanics, touch, self._normal(mechanics, touch))

    def _normal(self, mechanics: Mechanics, touch: "CircleNearProfile") -> Scalar:
        return self.law.force(mechanics, -touch.gap, -touch.gap_rate, self._own(mechanics))

    def _friction(self, mechanics: Mechanics, touch: "CircleNearProfile", normal: Scalar) -> Scalar:
        slip = [touch.slip]
        return regularised_coulomb(mechanics, self.friction, self.slip_speed, normal, slip)[0]

    def _touch(self, mechanics: Mechanics) -> "CircleNearProfile":
        return circle_on_profile(mechanics, *self._circle_and_other())

    def _circle_and_other(self) -> tuple[Circle, AnyProfile]:
        if isinstance(self.first, Circle):
            return self.first, self.second
        if isinstance(self.second, Circle):
            return self.second, self.first
        kinds = " and ".join(f"tb.contact.{type(x).__name__}" for x in (self.first, self.second))
        raise ModelError(
            f"ProfileContact: it is between {kinds}; one of the two must be a tb.contact.Circle. "
            "Round a corner that touches by a circle of small radius."
        )


@dataclass(frozen=True)
class CircleNearProfile:
    """Where a circle is nearest to another profile. Vectors are along world axes."""

    circle: Circle
    other: Profile
    radius: Scalar
    gap: Scalar  # [m]
    gap_rate: Scalar  # [m/s]
    normal: Vector  # out of the other profile, towards the circle
    tangent: Vector  # axis × normal
    axis: Vector  # y of the other's frame, about which everything turns
    centre: Vector  # of the circle, from the origin of the other's body [m]
    slip: Scalar  # of the circle's surface over the other's, along the tangent [m/s]
    spin: Scalar  # of the circle relative to the other [rad/s]


def circle_on_profile(mechanics: Mechanics, circle: Circle, other: Profile) -> CircleNearProfile:
    """The nearest points of a circle and another profile, and how they move."""
    k, vectors = mechanics.k, mechanics.vectors
    home, radius = other.body(), mechanics.value(circle.radius)
    centre = vectors.sub(mechanics.position(circle.frame), mechanics.position(home))
    found = other.nearest(mechanics, centre)
    axis = [row[1] for row in mechanics.rotation(other.plane())]
    tangent = vectors.cross(axis, found.normal)
    carried = vectors.cross(mechanics.angular_velocity(home), centre)
    velocity = vectors.sub(mechanics.velocity(circle.frame), mechanics.velocity(home))
    velocity = vectors.sub(velocity, carried)
    turning = vectors.sub(
        mechanics.angular_velocity(circle.frame), mechanics.angular_velocity(home)
    )
    spin = vectors.dot(axis, turning)
    return CircleNearProfile(
        circle, other, radius,
        gap=k.sub(found.distance, radius),
        gap_rate=vectors.dot(found.normal, velocity),
        normal=found.normal, tangent=tangent, axis=axis, centre=centre,
        slip=k.sub(vectors.dot(tangent, velocity), k.mul(radius, spin)),
        spin=spin,
    )  # fmt: skip


def _check(word: str, given: object, kind: type, example: str) -> None:
    if not isinstance(given, kind):
        raise ModelError(
            f"ProfileContact: its {word} is {given!r}; something such as {example} is expected."
        )
