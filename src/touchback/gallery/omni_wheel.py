"""An omni wheel, its contact with the floor, and its test bench.

The shape: radius R, n rollers whose centres lie R₁ from the wheel's and whose axes are turned by ψ
out of its plane. A roller carries the wheel while the wheel turns by −α … α, α = π/n (Kosenko 2015,
§ 4–5).

The contact: which roller it is follows from the wheel's angle alone, in each evaluation anew: there
are no modes. In the axes of a sector, t forwards, k along the axle and r from the roller's centre
to the wheel's, all rollers look alike. Three trackers give the same point P:

`explicit`  Kosenko 2015, § 5.2, without his assumption that the wheel is upright: the gradient of
            the roller's support. With sin q = n·i/cos ψ, P = O_B − (R₁ tan q/cos ψ) i −
            (R − R₁/cos q) n and the gap is n·O_B − R + R₁ cos q.
`section`   his § 5.1, for an upright wheel: P lies R below the wheel's centre and as far along the
            axle as puts it into the vertical section through the roller's axis.
`implicit`  his system (5) for the roller's surface and the floor, by Newton's method. A pointed
            roller has no normal at its very tip, hence (5) no solution, and next to it Newton's
            method goes astray: there the explicit point stands in.

The bench: one wheel on the floor, kept upright by a servo-constraint. After Kosenko 2015, § 4: k·n
= 0 for the axle k and the floor's normal n, kept by the torque λ k × n; the rest of the vehicle is
a wrench on the wheel's centre.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral

import numpy as np

import touchback as tb
from touchback.gallery.catalogue import Entry, Experiment
from touchback.model import (
    GROUND_FRAME,
    XYZ,
    BodyHandle,
    Data,
    Forces,
    FrameField,
    Mechanics,
    Value,
    check_positive,
    number,
    regularised_coulomb,
    transpose as columns_of,
)
from touchback.names import suggestion
from touchback.numbers import Matrix, Scalar, Vector

# ---- shape ---------------------------------------------------------------------------------------


class WheelShape(Data, frozen=True):
    """`radius` R and `off` R₁ [m], `inclination` ψ [rad], the number of `rollers`.

    Rollers are pointed where R₁ = R cos α, else truncated at the half length L/2, where the next
    one takes over at the same height."""

    radius: float = 0.05
    rollers: int = 6
    off: float = 0.04
    inclination: float = 0.0

    def __post_init__(self) -> None:
        n, R, R1, psi = self.rollers, self.radius, self.off, self.inclination
        _check_rollers(n)
        check_positive("Omni wheel", radius=R, off=R1)
        if not abs(number("Omni wheel: inclination", psi)) < math.pi / 2 - 1e-6:
            raise tb.ModelError(
                f"Omni wheel: its inclination is {psi} rad; it lies within ±π/2, where a roller's "
                "axis would be the wheel's own."
            )
        most = R * math.cos(self.half_sector)
        if most * (1 + 1e-14) < R1:
            raise tb.ModelError(
                f"Omni wheel: its rollers' centres lie {R1} m from the wheel's; with {n} rollers "
                f"and the radius {R} m they reach the floor all the way round from above 0 to "
                f"R cos(π/n) = {most:.6g} m, where rollers are pointed."
            )

    @classmethod
    def pointed(cls, radius: float, rollers: int, inclination: float = 0.0) -> "WheelShape":
        """Rollers that end in a point: R₁ = R cos α."""
        _check_rollers(rollers)
        return cls(radius, rollers, radius * math.cos(math.pi / rollers), inclination)

    @property
    def half_sector(self) -> float:
        """α [rad]."""
        return math.pi / self.rollers

    @property
    def length(self) -> float:
        """L [m] = 2 (R cos ψ sin α + R₁ tan α sin²ψ/cos ψ); for pointed rollers this is Kosenko's
        2 R sin α/cos ψ."""
        return 2 * float(self.profile(self.half_sector)[0])

    def profile(self, q: float | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Place along the roller's axis and distance from it [m] of the point that touches where
        the wheel has turned by q [rad] from the middle of the roller."""
        sine, cosine = math.sin(self.inclination), math.cos(self.inclination)
        height = self.radius - self.off / np.cos(q)
        along = self.off * np.tan(q) * sine**2 / cosine + self.radius * cosine * np.sin(q)
        return along, height * np.sqrt(1 - (np.sin(q) * cosine) ** 2)

    def turned(self, angle: Value) -> Value:
        """q [rad]: how far a wheel at an angle has turned on the roller in contact, −α … α; a
        number, an array or an expression."""
        sector = 2 * self.half_sector
        return angle - sector * tb.floor(angle / sector + 0.5)

    def track(self, q: float | np.ndarray) -> np.ndarray:
        """How far the point of contact lies out of the wheel's plane [m], along its axle:
        R₁ tan q tan ψ where the wheel has turned by q on it."""
        return self.off * np.tan(q) * math.tan(self.inclination)

    def roller_inertia(self, density: float) -> tuple[float, float, float]:
        """Mass [kg] of a solid roller, and its moments about its axis and across [kg m²]."""
        q, weights = np.polynomial.legendre.leggauss(80)
        q, weights = q * self.half_sector, weights * self.half_sector
        step = 1e-6
        slope = (self.profile(q + step)[0] - self.profile(q - step)[0]) / (2 * step)
        along, rho = self.profile(q)
        slices = weights * slope * density * math.pi * rho**2
        across = float(np.sum(slices * (rho**2 / 4 + along**2)))
        return float(np.sum(slices)), float(np.sum(slices * rho**2 / 2)), across


def _check_rollers(count: object) -> None:
    """At least three, in whole numbers."""
    if isinstance(count, bool) or not isinstance(count, Integral):
        raise tb.ModelError(f"Omni wheel: {count!r} rollers; give a whole number, 3 or more.")
    if count < 3:
        raise tb.ModelError(
            f"Omni wheel: {count} roller(s) can't go round a wheel; take 3 or more."
        )


# ---- where the wheel stands ----------------------------------------------------------------------

# Steps of Newton's method from the guess nearly to rounding (one more follows): most wheels, and
# those whose contact wanders far, tan α tan ψ > 1: few rollers, much inclined.
NEWTON_STEPS, FAR_STEPS = 4, 8
THIN = 0.01  # the part of a roller's thickness below which it counts as its tip


@dataclass(frozen=True)
class Floor:
    """The floor's axes and origin, along world axes."""

    R: Matrix
    p: Vector

    @property
    def normal(self) -> Vector:
        return columns_of(self.R)[2]


@dataclass(frozen=True)
class Sector:
    """The roller over the floor: its number; t, k and r; its axis i and its centre O_B; the
    wheel's centre O_A. Along world axes."""

    index: Scalar
    t: Vector
    k: Vector
    r: Vector
    axis: Vector
    centre: Vector
    wheel: Vector


@dataclass(frozen=True)
class Footing:
    """The sector, the point P of its roller that is nearest to the floor, and the gap [m]."""

    sector: Sector
    point: Vector
    gap: Scalar


def sector_over(
    mechanics: Mechanics, shape: WheelShape, R: Matrix, wheel: Vector, floor: Floor
) -> Sector:
    """The sector that the floor's normal points into. A wheel's axle is the y axis of R_WD."""
    k, vectors = mechanics.k, mechanics.vectors
    X, Y, Z = columns_of(R)
    n = floor.normal
    angle = k.atan2(vectors.dot(n, X), vectors.dot(n, Z))
    share = k.mul(k.const(0.5 / shape.half_sector), angle)
    number = k.floor(k.add(share, k.const(0.5)))
    sine, cosine = k.sincos(k.mul(k.const(2 * shape.half_sector), number))
    t = vectors.sub(vectors.scale(cosine, X), vectors.scale(sine, Z))
    r = vectors.add(vectors.scale(sine, X), vectors.scale(cosine, Z))
    index = k.select(k.less(number, 0), k.add(number, k.const(float(shape.rollers))), number)
    psi = shape.inclination
    axis = vectors.add(
        vectors.scale(k.const(math.cos(psi)), t), vectors.scale(k.const(math.sin(psi)), Y)
    )
    centre = vectors.sub(wheel, vectors.scale(k.const(shape.off), r))
    return Sector(index, t, Y, r, axis, centre, wheel)


def explicit(mechanics: Mechanics, shape: WheelShape, at: Sector, floor: Floor) -> Footing:
    """The support's gradient, in closed form."""
    k, vectors = mechanics.k, mechanics.vectors
    n, R, R1 = floor.normal, k.const(shape.radius), k.const(shape.off)
    over_cosine = k.const(1 / math.cos(shape.inclination))
    sine = k.mul(over_cosine, vectors.dot(n, at.axis))
    cosine = k.sqrt(k.sub(1, k.mul(sine, sine)))
    inverse = k.div(R1, cosine)
    along = k.mul(k.mul(over_cosine, sine), inverse)
    sunk = vectors.scale(k.sub(R, inverse), n)
    point = vectors.sub(vectors.sub(at.centre, vectors.scale(along, at.axis)), sunk)
    height = vectors.dot(n, vectors.sub(at.centre, floor.p))
    return Footing(at, point, k.add(k.sub(height, R), k.mul(R1, cosine)))


def section(mechanics: Mechanics, shape: WheelShape, at: Sector, floor: Floor) -> Footing:
    """P = O_A − R n + μ k with (P − O_B)·(i × n) = 0, for an upright wheel."""
    k, vectors = mechanics.k, mechanics.vectors
    n, R, R1 = floor.normal, k.const(shape.radius), k.const(shape.off)
    across = vectors.cross(at.axis, n)
    aside = -k.div(k.mul(R1, vectors.dot(at.r, across)), vectors.dot(at.k, across))
    below = vectors.sub(at.wheel, vectors.scale(R, n))
    gap = vectors.dot(n, vectors.sub(below, floor.p))
    return Footing(at, vectors.add(below, vectors.scale(aside, at.k)), gap)


def implicit(mechanics: Mechanics, shape: WheelShape, at: Sector, floor: Floor) -> Footing:
    """System (5), from the point of the floor under the roller's axis where the wheel's lowest
    point projects onto it."""
    k, vectors, n = mechanics.k, mechanics.vectors, floor.normal
    sine, cosine = math.sin(shape.inclination), math.cos(shape.inclination)
    other = vectors.sub(vectors.scale(k.const(cosine), at.k), vectors.scale(k.const(sine), at.t))
    surface = tb.contact.surfaces.Roller(shape.radius, shape.off, shape.inclination)
    # from the wheel's centre: numbers of the size of the wheel, however far it has gone
    seat, p = vectors.sub(at.centre, at.wheel), vectors.sub(floor.p, at.wheel)
    roller = tb.contact.Side(surface, columns_of([at.axis, other, at.r]), seat)
    tracking = tb.contact.Tracking(
        k, mechanics.value, tb.contact.Side(tb.contact.surfaces.Plane(), floor.R, p), roller
    )
    lean = vectors.dot(n, at.axis)
    along = -k.mul(k.const(shape.radius), lean)
    above = vectors.add(seat, vectors.scale(along, at.axis))
    down = vectors.sub(n, vectors.scale(lean, at.axis))
    fall = k.div(vectors.dot(n, vectors.sub(above, p)), k.sub(1, k.mul(lean, lean)))
    foot = vectors.sub(above, vectors.scale(fall, down))
    reach = shape.off * sine**2 / cosine + shape.radius * cosine
    found = tracking.guess(foot, foot, 0, k.mul(k.const(1 / reach), along))
    far = math.tan(shape.half_sector) * abs(math.tan(shape.inclination)) > 1.0
    for _ in range(FAR_STEPS if far else NEWTON_STEPS):
        found = tracking.newton(found)
    point = tracking.differentiable_root(found).on_b
    footing = Footing(at, vectors.add(at.wheel, point), vectors.dot(n, vectors.sub(point, p)))
    thick = THIN * (shape.radius - shape.off)
    if shape.radius - shape.off / math.cos(shape.half_sector) > thick:
        return footing  # cut off before it is thin
    sine = k.mul(k.const(1 / cosine), lean)
    thinnest = k.const((shape.off / (shape.radius - thick)) ** 2)  # cos²q where it is so thick
    thin = k.less(k.sub(1, k.mul(sine, sine)), thinnest)
    tip = explicit(mechanics, shape, at, floor)
    both = zip(tip.point, footing.point, strict=True)
    point = [k.select(thin, closed, searched) for closed, searched in both]
    return Footing(at, point, k.select(thin, tip.gap, footing.gap))


TRACKERS: dict[str, Callable[[Mechanics, WheelShape, Sector, Floor], Footing]] = {
    "explicit": explicit,
    "section": section,
    "implicit": implicit,
}
# ---- floor ---------------------------------------------------------------------------------------

NO_GAP = 1e-7  # m: a gap that is less is none


class RollerPlace(Data, frozen=True):
    """The joint on which a roller spins, and the frame in its centre."""

    joint: str
    frame: FrameField


class WheelOnFloor(Data, frozen=True):
    """A disc whose axle is the y axis of `disc`, its rollers in the order of their angles (the
    first at −z), and the x-y plane of `floor`. `tracker`: "explicit", "section" or "implicit"."""

    disc: FrameField
    rollers: tuple[RollerPlace, ...]
    shape: WheelShape
    floor: FrameField = GROUND_FRAME
    tracker: str = "explicit"

    def __post_init__(self) -> None:
        if self.tracker not in TRACKERS:
            hint = suggestion(str(self.tracker), TRACKERS)
            raise tb.ModelError(f"WheelOnFloor: there is no tracker {self.tracker!r}; {hint}")
        if len(self.rollers) != self.shape.rollers:
            raise tb.ModelError(
                f"WheelOnFloor: its shape has {self.shape.rollers} rollers, but "
                f"{len(self.rollers)} are given."
            )

    def plane(self, mechanics: Mechanics) -> Floor:
        """The floor."""
        return Floor(mechanics.rotation(self.floor), mechanics.position(self.floor))

    def footing(self, mechanics: Mechanics) -> Footing:
        """Where it stands."""
        floor = self.plane(mechanics)
        R, wheel = mechanics.rotation(self.disc), mechanics.position(self.disc)
        sector = sector_over(mechanics, self.shape, R, wheel, floor)
        return TRACKERS[self.tracker](mechanics, self.shape, sector, floor)

    def masks(self, mechanics: Mechanics, footing: Footing) -> list[Scalar]:
        """1 for the roller in contact, 0 for the others."""
        k = mechanics.k
        return [k.equal(footing.sector.index, k.const(float(i))) for i in range(len(self.rollers))]

    def velocity(self, mechanics: Mechanics, footing: Footing) -> Vector:
        """Velocity of the roller's point P relative to the floor, along the floor's axes [m/s]."""
        k, vectors, at = mechanics.k, mechanics.vectors, footing.sector
        spin: Scalar = 0
        for place, mask in zip(self.rollers, self.masks(mechanics, footing), strict=True):
            spin = k.add(spin, k.mul(mask, mechanics.rate(place.joint)))
        lever = vectors.sub(footing.point, at.wheel)
        own = vectors.cross(mechanics.angular_velocity(self.disc), lever)
        own = vectors.add(mechanics.velocity(self.disc), own)
        arm = vectors.sub(footing.point, at.centre)
        own = vectors.add(own, vectors.scale(spin, vectors.cross(at.axis, arm)))
        from_floor = vectors.sub(footing.point, mechanics.position(self.floor))
        turn = vectors.cross(mechanics.angular_velocity(self.floor), from_floor)
        carried = vectors.add(mechanics.velocity(self.floor), turn)
        return vectors.apply_transposed(mechanics.rotation(self.floor), vectors.sub(own, carried))

    def push(self, mechanics: Forces, footing: Footing, force: Vector) -> None:
        """Apply a force, along the floor's axes, to the roller in contact at P, and its opposite
        to the floor."""
        vectors = mechanics.vectors
        F = vectors.apply(mechanics.rotation(self.floor), force)
        arm = vectors.sub(footing.point, footing.sector.centre)
        moment = vectors.cross(arm, F)
        for place, mask in zip(self.rollers, self.masks(mechanics, footing), strict=True):
            mechanics.push(place.frame, vectors.scale(mask, F), vectors.scale(mask, moment))
        lever = vectors.sub(footing.point, mechanics.position(self.floor))
        back = vectors.neg(F)
        mechanics.push(self.floor, back, vectors.cross(lever, back))


class RollerFriction(tb.ForceKind, frozen=True, tag="roller-friction"):
    """Friction of the roller in contact under a known `load` [N]: −μ N u/√(u² + u₀²); none where
    the load is less than 0, or the roller is off the floor."""

    wheel: WheelOnFloor
    load: Value
    friction: Value = 0.3
    slip_speed: Value = 1e-2

    def __post_init__(self) -> None:
        check_positive("RollerFriction", slip_speed=self.slip_speed)
        check_positive("RollerFriction", zero=True, friction=self.friction, load=self.load)

    def apply(self, mechanics: Forces) -> None:
        footing = self.wheel.footing(mechanics)
        self.wheel.push(mechanics, footing, self.force(mechanics, footing))

    def shown_at(self, mechanics: Mechanics) -> Vector:
        return self.wheel.footing(mechanics).point

    def force(self, mechanics: Mechanics, footing: Footing) -> Vector:
        """On the roller, along the floor's axes [N]."""
        slip = self.wheel.velocity(mechanics, footing)[:2]
        k = mechanics.k
        touches = k.less(footing.gap, k.const(NO_GAP))
        load = k.mul(touches, k.maximum(0, mechanics.value(self.load)))
        return [
            *regularised_coulomb(mechanics, self.friction, self.slip_speed, load, slip),
            0,
        ]


class RollerContact(tb.contact.CompliantContact, frozen=True, tag="roller-contact"):
    """A compliant floor under the roller in contact, by Hunt and Crossley's law, with friction
    −μ N u/√(u² + u₀²)."""

    wheel: WheelOnFloor
    law: tb.contact.HuntCrossley
    friction: Value = 0.6
    slip_speed: Value = 1e-2

    def __post_init__(self) -> None:
        check_positive("RollerContact", slip_speed=self.slip_speed)
        check_positive("RollerContact", zero=True, friction=self.friction)

    def apply(self, mechanics: Forces) -> None:
        footing = self.wheel.footing(mechanics)
        self.wheel.push(mechanics, footing, self.force(mechanics, footing))

    def shown_at(self, mechanics: Mechanics) -> Vector:
        return self.wheel.footing(mechanics).point

    def force(self, mechanics: Mechanics, footing: Footing) -> Vector:
        """On the roller, along the floor's axes [N]."""
        u_x, u_y, u_z = self.wheel.velocity(mechanics, footing)
        N = self.law.force(mechanics, -footing.gap, -u_z, {})
        drag = regularised_coulomb(mechanics, self.friction, self.slip_speed, N, [u_x, u_y])
        return [*drag, N]

    def normal_law(self) -> tb.contact.HuntCrossley:
        return self.law

    def gap(self, mechanics: Mechanics) -> Scalar:
        return self.wheel.footing(mechanics).gap

    def normal_force(self, mechanics: Mechanics) -> Scalar:
        return self.force(mechanics, self.wheel.footing(mechanics))[2]


class RollerInContact(tb.SensorKind, frozen=True, tag="omni-roller"):
    """The number of the roller over the floor, from 0."""

    wheel: WheelOnFloor

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        return [self.wheel.footing(mechanics).sector.index]


class ContactPoint(tb.SensorKind, frozen=True, tag="omni-contact"):
    """P from the floor's origin along its axes, and the gap under it [m]."""

    wheel: WheelOnFloor

    def components(self) -> tuple[str, ...]:
        return ("x", "y", "z", "gap")

    def unit(self) -> str:
        return "m"

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        vectors, floor = mechanics.vectors, self.wheel.floor
        footing = self.wheel.footing(mechanics)
        away = vectors.sub(footing.point, mechanics.position(floor))
        return [*vectors.apply_transposed(mechanics.rotation(floor), away), footing.gap]


class ContactSlip(tb.SensorKind, frozen=True, tag="omni-slip"):
    """Velocity of the roller's point P relative to the floor, along its axes [m/s]."""

    wheel: WheelOnFloor

    def components(self) -> tuple[str, ...]:
        return XYZ

    def unit(self) -> str:
        return "m/s"

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        return list(self.wheel.velocity(mechanics, self.wheel.footing(mechanics)))


# ---- disc and rollers ----------------------------------------------------------------------------

DENSITY = 1100.0  # of rollers, rubber [kg/m³]


def add_rollers(
    m: tb.Model,
    disc: BodyHandle,
    shape: WheelShape,
    tracker: str = "explicit",
    damping: float = 0.0,
) -> WheelOnFloor:
    """Rollers on a disc whose axle is its y axis, the first at −z; each spins freely about its own
    axis, but for `damping` [N m s] in its bearing."""
    mass, along, across = shape.roller_inertia(DENSITY)
    places = []
    for i in range(shape.rollers):
        angle = 2 * i * shape.half_sector
        name = f"{disc.name} roller {i + 1}"
        roller = m.body(name, mass, inertia=(along, across, across))
        seat = disc.at(
            -shape.off * math.sin(angle), 0, -shape.off * math.cos(angle),
            turn=[("y", angle), ("z", shape.inclination)],
        )  # fmt: skip
        m.joint(name, tb.Revolute("x"), seat, roller, damping=damping)
        places.append(RollerPlace(name, roller.at(0, 0, 0)))
    return WheelOnFloor(disc.at(0, 0, 0), tuple(places), shape, tracker=tracker)


def total_mass(disc: float, shape: WheelShape) -> float:
    """Of a disc with its rollers [kg]."""
    return disc + shape.rollers * shape.roller_inertia(DENSITY)[0]


# ---- test bench ----------------------------------------------------------------------------------

MASS, MOMENTS = 0.5, (3.5e-4, 6.0e-4, 3.5e-4)  # of the disc [kg, kg m²]
G = 9.81
SHAPE = WheelShape(radius=0.05, rollers=6, off=0.04, inclination=0.3)


def make(
    shape: WheelShape = SHAPE,
    tracker: str = "explicit",
    friction: float = 0.3,
    slip_speed: float = 0.02,
) -> tb.Model:
    """The disc is free, its rollers turn on it. Two constraints: "upright", whose multiplier is the
    servo's torque, and "floor", by which the roller in contact doesn't sink into the floor; its
    multiplier is the load. The floor only pushes: where the vehicle lifts more than the weight
    ("pressing" < 0) it lets go, mode "off the floor", until the wheel lands, without a bounce.
    On the floor the centre keeps its height, so that the load is the weight and what the vehicle
    presses, which is what friction uses."""
    m = tb.Model("omni wheel", gravity=(0, 0, -G))
    disc = m.body("disc", MASS, inertia=MOMENTS)
    m.joint("wheel", tb.Free(), m.ground, disc, position=(0, 0, shape.radius, 1, 0, 0, 0))
    wheel = add_rollers(m, disc, shape, tracker)
    pressing = m.parameter("pressing", 0.0, unit="N")
    torque = m.input("axle torque", unit="N m")
    pushed = m.input("force x", unit="N"), m.input("force y", unit="N")
    m.force("vehicle", tb.Wrench(disc.at(0, 0, 0), force=(*pushed, 0)))
    m.force("weight of the vehicle", tb.Wrench(disc.at(0, 0, 0), force=(0, 0, -pressing)))
    m.force("motor", tb.Wrench(disc.at(0, 0, 0), torque=(0, torque, 0), axes="body"))
    m.sensor("roller", RollerInContact(wheel))
    contact = m.sensor("contact", ContactPoint(wheel))
    slip = m.sensor("slip", ContactSlip(wheel))
    axle = m.sensor("axle", tb.Direction(disc.at(0, 0, 0), "y"))
    m.constrain("upright", position=axle[2])
    m.constrain("floor", velocity=slip[2], unit="m/s")
    mu = m.parameter("friction", friction, min=0.0)
    load = total_mass(MASS, shape) * G + pressing
    m.force("friction", RollerFriction(wheel, load, mu, slip_speed))
    m.sensor("centre", tb.Position(disc.at(0, 0, 0)))
    m.sensor("energy", tb.Energy())
    m.sensor("servo torque", tb.Multiplier("upright"))
    held = m.sensor("load", tb.Multiplier("floor"))
    m.mode("on the floor", active=["upright", "floor"])
    m.mode("off the floor", active=["upright"])
    m.transition("lets go", "on the floor", "off the floor", when=held)
    m.transition("lands", "off the floor", "on the floor", when=contact[3])
    return m


ENTRY = Entry(
    "omni-wheel",
    "an omni wheel kept upright on the floor: rollers take over from each other",
    make,
    Experiment(
        1.0,
        rates={"wheel.vx": 0.3, "wheel.vy": 0.2, "wheel.wy": 12.0},
        signals=("centre.x", "centre.y", "contact.y", "servo torque"),
    ),
    sentences=(
        "An omni wheel, with rollers along its rim, is kept upright on the floor and pushed.",
        "It rolls ahead as a wheel and aside on its rollers, which take over from each other "
        "at every step of its turn.",
        'Set "force y" and see it drift sideways almost without friction.',
    ),
)
