"""Compliant contacts, which are forces. A new kind is a class here and one more name in
AnyCompliant."""

from dataclasses import astuple, dataclass
from functools import partial
from typing import ClassVar

from touchback.contact.contact_laws import (
    AnyLaw,
    ContactLaw,
    HuntCrossley,
    LawState,
    UnilateralSpring,
    rolling_friction,
)
from touchback.contact.nearest_point_search import find_nearest, numbers
from touchback.contact.planar_profiles import AnyProfile, Circle, Profile
from touchback.contact.surface_tracking import Nearest, Side, Tracking, Twist
from touchback.contact.surfaces import AnySurface, Surface, has_hidden
from touchback.errors import ModelError
from touchback.model import (
    GROUND_FRAME,
    ForceKind,
    Forces,
    Frame,
    FrameField,
    InternalState,
    Mechanics,
    PlaneShape,
    Shapes,
    Value,
    check_positive,
    is_number,
    is_zero,
    power_law_units,
    regularised_coulomb,
    sphere,
    transpose,
    triple,
    value,
)
from touchback.names import suggestion
from touchback.numbers import Matrix, Scalar, Vector, is_one_of


class CompliantContact(ForceKind, frozen=True):
    """A force between two surfaces that gives way: it is zero while they are apart."""

    TOUCHES: ClassVar[bool] = True

    def normal_law(self) -> ContactLaw:
        """The law of its normal force."""
        raise NotImplementedError(type(self).__name__)

    def gap(self, mechanics: Mechanics) -> Scalar:
        """Distance of the surfaces [m]; negative where they press into each other."""
        raise NotImplementedError(type(self).__name__)

    def normal_force(self, mechanics: Mechanics) -> Scalar:
        """Force that presses the surfaces apart [N], never negative."""
        raise NotImplementedError(type(self).__name__)

    def friction_force(self, mechanics: Mechanics) -> Scalar:
        """Force along the surfaces [N]."""
        raise ModelError(
            f"{type(self).__name__} is not planar, so its friction has no one direction; measure "
            "that of a tb.contact.ProfileContact."
        )

    def potential(self, mechanics: Mechanics) -> Scalar:
        return self.normal_law().energy(mechanics, -self.gap(mechanics), self._own(mechanics))

    def states(self) -> dict[str, InternalState]:
        return {name: self._internal(state) for name, state in self.normal_law().states().items()}

    def _internal(self, state: LawState) -> InternalState:
        def rate(mechanics: Mechanics) -> Scalar:
            return state.rate(mechanics, -self.gap(mechanics), self._own(mechanics))

        return InternalState(state.initial, rate, state.unit)

    def _own(self, mechanics: Mechanics) -> dict[str, Scalar]:
        """The law's states at this instant."""
        return {name: mechanics.state(self, name) for name in self.normal_law().states()}


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

    frame: FrameField
    plane: FrameField = GROUND_FRAME
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


_NAMES = ("ax", "ay", "az", "bx", "by", "bz", "ratio", "reach", "hidden a", "hidden b")
_UNITS = ("m",) * 6 + ("",) * 4


class SurfaceContact(CompliantContact, frozen=True, tag="surface-contact"):
    """`surface_a` in the axes of frame `a` against `surface_b` in those of `b`.

    The nearest points are tracked by Kosenko's differential system (7–8): they are states, found by
    `find_nearest` wherever a state is assembled, from `guess`, a point [m] in the axes of `b` near
    to where they touch (None: half-way between the frames), or given as `start`, the ten `numbers`
    of a `Nearest` along world axes. `correction` [1/s] draws them towards the algebraic system (5),
    by which they don't drift; 0 leaves (7–8) alone. The normal force is that of `law`, friction is
    −μ N u/√(u² + u₀²)."""

    UNITS: ClassVar[dict[str, str]] = {"friction": "1", "slip_speed": "m/s", "correction": "1/s"}
    a: FrameField
    surface_a: AnySurface
    b: FrameField
    surface_b: AnySurface
    start: tuple[float, ...] = ()
    law: AnyLaw = HuntCrossley(1e6)
    friction: Value = 0.0
    slip_speed: Value = 1e-3
    correction: Value = 100.0
    guess: tuple[float, float, float] | None = None

    def __post_init__(self) -> None:
        for word, given in (("surface_a", self.surface_a), ("surface_b", self.surface_b)):
            if not isinstance(given, Surface):
                raise ModelError(
                    f"SurfaceContact: its {word} is {given!r}; a surface such as Ball(0.1) is "
                    "expected."
                )
        if not isinstance(self.law, ContactLaw):
            raise ModelError(
                f"SurfaceContact: its law is {self.law!r}; one such as "
                "tb.contact.HuntCrossley(1e6) is expected."
            )
        check_positive("SurfaceContact", slip_speed=self.slip_speed)
        check_positive(
            "SurfaceContact", zero=True, friction=self.friction, correction=self.correction
        )
        if len(self.start) not in (0, len(_NAMES)):
            raise ModelError(
                f"SurfaceContact: its start has {len(self.start)} numbers, {len(_NAMES)} are "
                "expected: `start=numbers(find_nearest(side_a, side_b, guess))`. Leave it out to "
                "have them found."
            )
        if self.guess is not None:
            triple("SurfaceContact: guess", self.guess)

    def shapes(self) -> Shapes:
        pairs = ((self.a, self.surface_a.shape()), (self.b, self.surface_b.shape()))
        return [(frame, shape) for frame, shape in pairs if shape is not None]

    def normal_law(self) -> ContactLaw:
        return self.law

    def states(self) -> dict[str, InternalState]:
        own = {
            name: InternalState(
                float(self.start[i]) if self.start else 0.0, partial(self._rate, i), _UNITS[i]
            )
            for i, name in self._tracked().items()
        }
        return {**own, **super().states()}

    def begin(self, mechanics: Mechanics) -> dict[str, float]:
        if self.start:
            return {}
        found = numbers(find_nearest(*self._sides(mechanics), self._guess(mechanics),
                                     value=mechanics.value))  # fmt: skip
        return {name: float(found[i]) for i, name in self._tracked().items()}

    def _guess(self, mechanics: Mechanics) -> Vector:
        """The guess along world axes."""
        vectors = mechanics.vectors
        p_a, p_b = mechanics.position(self.a), mechanics.position(self.b)
        if self.guess is None:
            return [0.5 * (x + y) for x, y in zip(p_a, p_b, strict=True)]
        return vectors.add(p_b, vectors.apply(mechanics.rotation(self.b), list(self.guess)))

    def gap(self, mechanics: Mechanics) -> Scalar:
        return self._tracking(mechanics).normal(self._nearest(mechanics))[1]

    def normal_force(self, mechanics: Mechanics) -> Scalar:
        return self._force(mechanics)[1]

    def apply(self, mechanics: Forces) -> None:
        """The force acts on both bodies at the nearest point of B."""
        vectors = mechanics.vectors
        force, _ = self._force(mechanics)
        point = self._nearest(mechanics).on_b
        for frame, push in ((self.a, force), (self.b, vectors.neg(force))):
            lever = vectors.sub(point, mechanics.position(frame))
            mechanics.push(frame, push, vectors.cross(lever, push))

    def shown_at(self, mechanics: Mechanics) -> Vector:
        return self._nearest(mechanics).on_b

    def _force(self, mechanics: Mechanics) -> tuple[Vector, Scalar]:
        """On A along world axes, and its normal part."""
        vectors = mechanics.vectors
        at = self._nearest(mechanics)
        normal, gap = self._tracking(mechanics).normal(at)
        velocity = vectors.sub(
            self._carried(mechanics, self.a, at.on_b), self._carried(mechanics, self.b, at.on_b)
        )
        speed = vectors.dot(normal, velocity)
        N = self.law.force(mechanics, -gap, -speed, self._own(mechanics))
        slip = vectors.sub(velocity, vectors.scale(speed, normal))
        drag = regularised_coulomb(mechanics, self.friction, self.slip_speed, N, slip)
        return vectors.add(vectors.scale(N, normal), drag), N

    def _rate(self, index: int, mechanics: Mechanics) -> Scalar:
        k = mechanics.k
        tracking, at = self._tracking(mechanics), self._nearest(mechanics)
        rates = tracking.rates(at, self._twist(mechanics, self.a), self._twist(mechanics, self.b))
        rate = _flat(rates)[index]
        if is_zero(self.correction):
            return rate
        off = k.sub(_flat(tracking.newton(at))[index], _flat(at)[index])
        return k.add(rate, k.mul(mechanics.value(self.correction), off))

    def _tracked(self) -> dict[int, str]:
        """The states by their place; hidden coordinates only where there are any."""
        hidden = (has_hidden(self.surface_a), has_hidden(self.surface_b))
        return {i: name for i, name in enumerate(_NAMES) if i < 8 or hidden[i - 8]}

    def _nearest(self, mechanics: Mechanics) -> Nearest:
        known = self._tracked()
        x = [mechanics.state(self, known[i]) if i in known else 0 for i in range(len(_NAMES))]
        return Nearest(x[0:3], x[3:6], *x[6:])

    def _tracking(self, mechanics: Mechanics) -> Tracking:
        return Tracking(mechanics.k, mechanics.value, *self._sides(mechanics))

    def _sides(self, mechanics: Mechanics) -> tuple[Side, Side]:
        a, b = (
            Side(surface, mechanics.rotation(frame), mechanics.position(frame))
            for surface, frame in ((self.surface_a, self.a), (self.surface_b, self.b))
        )
        return a, b

    def _twist(self, mechanics: Mechanics, frame: Frame) -> Twist:
        return Twist(mechanics.angular_velocity(frame), mechanics.velocity(frame))

    def _carried(self, mechanics: Mechanics, frame: Frame, point: Vector) -> Vector:
        vectors = mechanics.vectors
        lever = vectors.sub(point, mechanics.position(frame))
        spin = vectors.cross(mechanics.angular_velocity(frame), lever)
        return vectors.add(mechanics.velocity(frame), spin)


def _flat(at: Nearest) -> list[Scalar]:
    on_a, on_b, *others = astuple(at)
    return [*on_a, *on_b, *others]


#: Every contact that gives way and that a model file can hold.
AnyCompliant = SphereOnPlane | ProfileContact | SurfaceContact
__all__ = ["AnyCompliant", "CompliantContact", "ProfileContact", "SphereOnPlane", "SurfaceContact"]
