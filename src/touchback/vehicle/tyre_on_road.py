"""A tyre on a road as a force: it carries, drives, brakes and steers, and holds at a standstill. At
a kerb or a wall its carcass gives way, then its rim and what holds it."""

from dataclasses import dataclass, replace
from math import pi
from typing import ClassVar

from msgspec.structs import replace as replace_frame

import touchback as tb
from touchback import (
    ForceKind,
    InternalState,
    SensorKind,
    asin,
    atan,
    cos,
    maximum,
    minimum,
    select,
    sign,
    sqrt,
)
from touchback.model import (
    CylinderShape,
    Forces,
    FrameField,
    Mechanics,
    Operators,
    Several,
    Shapes,
    Triple,
    Value,
    Vectors,
    check_positive,
    is_zero,
)
from touchback.numbers import Scalar, Vector
from touchback.vehicle.roads import AnyRoad, Ground, Kerb, PlaneRoad
from touchback.vehicle.roads.base import rubbing
from touchback.vehicle.scalar_operators import as_numbers, as_scalars
from touchback.vehicle.tyres import AnyTyre, Contact, ContactPatchWrench
from touchback.vehicle.tyres.base import between

_VECTORS = Vectors(Operators())  # of numbers with operators
HALF_WIDTH = 0.27  # of a tyre, in free radii
_CARCASS = 0.3  # of the free radius, as of usual tyres
_STEEPEST = 4e3  # N s/m: a third of a wheel's mass in 1 ms
_STANDING = 0.2  # damping ratio of a standing wheel on its carcass, with its load's mass
_GRAVITY = 9.81  # m/s², of that mass
_LEAST_LENGTH = 0.15  # of a relaxation length, in free radii: a tyre that hardly touches
_FORGETTING = 20.0  # 1/s: how fast a tyre off the road comes to rest
#: A lone wheel at 56 km/h with a quarter of a small car on it is pressed in by 0.4 m; assumed.
RIM = tb.contact.Crush(stiffness=3e5, length=0.5, core=1.5e6)
_FLATTEST = 0.1  # cosine of a wheel's camber: one that lies flat has no contact here


def carcass(tyre: AnyTyre) -> float:
    """How far a tyre gives way before its rim does [m]."""
    return _CARCASS * tyre.free_radius()


def carried(kerb: Kerb, centre: Vector, tyre: AnyTyre) -> Scalar:
    """1 where a wheel rolls on the kerb's top as on a road, else 0: then the kerb pushes it, also
    from below while it is deeper than its carcass, on its way up."""
    return kerb.carries(centre, tyre.free_radius() - carcass(tyre))


@dataclass(frozen=True)
class WheelAtKerb:
    """A `tyre` under `pressure` [Pa] on a wheel at an instant, as numbers with operators: its
    centre, velocity, turning and axle; the law of its `rim` and of what holds it, and how deep
    that was ever pressed in, `dent` [m]."""

    mechanics: Mechanics
    tyre: AnyTyre
    pressure: Scalar
    wheel: list[Vector]
    rim: tb.contact.Crush
    dent: Scalar

    def push(self, kerb: Kerb) -> tuple[Vector, Vector]:
        """Force and torque about its centre with which a kerb's face or edge pushes the wheel."""
        dot, scale, add = _VECTORS.dot, _VECTORS.scale, _VECTORS.add
        centre, velocity, turning, axle = self.wheel
        spin, half = dot(turning, axle), HALF_WIDTH * self.tyre.free_radius()
        radius = self.tyre.radius(spin)
        depth, out = self._depth(kerb)
        inside = dot(out, axle)
        flat = _VECTORS.sub(out, scale(inside, axle))
        length = sqrt(maximum(dot(flat, flat), 1e-12))
        arm = add(scale(-radius / length, flat), scale(-half * sign(inside), axle))
        rim = add(velocity, _VECTORS.cross(turning, arm))
        closing = -dot(out, add(velocity, _VECTORS.cross(self._carried(), arm)))
        normal = maximum(self._normal(depth, closing, spin), 0.0)
        normal = select(depth > 0.0, select(carried(kerb, centre, self.tyre), 0.0, normal), 0.0)
        slip = _VECTORS.sub(rim, scale(dot(out, rim), out))
        force = add(scale(normal, out), rubbing(kerb.friction, normal, slip, _STEEPEST))
        return force, _VECTORS.cross(arm, force)

    def denting(self, kerbs: tuple[Kerb, ...]) -> Scalar:
        """How fast the dent deepens [m/s]."""
        k, rate = self.mechanics.k, 0.0
        for kerb in kerbs:
            beyond = self._depth(kerb)[0] - carcass(self.tyre)
            (depth,) = as_scalars(k, [select(carried(kerb, self.wheel[0], self.tyre), 0.0, beyond)])
            (found,) = as_numbers(k, [self.rim.deepening(self.mechanics, depth, self._own())])
            rate = maximum(rate, found)
        return rate

    def _depth(self, kerb: Kerb) -> tuple[Scalar, Vector]:
        """How far a drum as large as the wheel is in the kerb [m], and the way out."""
        centre, _, turning, axle = self.wheel
        radius = self.tyre.radius(_VECTORS.dot(turning, axle))
        gap, out = kerb.gap(centre, axle, radius, HALF_WIDTH * self.tyre.free_radius())
        return -gap, out

    def _normal(self, depth: Scalar, closing: Scalar, spin: Scalar) -> Scalar:
        """Carcass and rim, one behind the other: the tyre is pressed against what is left of the
        rim, and that only by a tyre which is flat."""
        k, tyre = self.mechanics.k, self.tyre
        (left,) = as_numbers(k, [self.rim.remaining(self.mechanics, self._own())])
        pressed = minimum(depth - left, carcass(self.tyre))
        soft = tyre.load(pressed, spin, 0.0, self.pressure) + tyre.damping() * closing
        (beyond,) = as_scalars(k, [depth - carcass(self.tyre)])
        (rim,) = as_numbers(k, [self.rim.force(self.mechanics, beyond, 0, self._own())])
        return select(pressed > 0.0, maximum(soft, 0.0), 0.0) + rim

    def _own(self) -> dict[str, Scalar]:
        return {"deepest": as_scalars(self.mechanics.k, [self.dent])[0]}

    def _carried(self) -> Vector:
        """The turning of what carries the wheel: without its spin."""
        _, _, turning, axle = self.wheel
        return _VECTORS.sub(turning, _VECTORS.scale(_VECTORS.dot(turning, axle), axle))


@dataclass(frozen=True)
class WheelRoadContact:
    """Where a wheel meets a road, as numbers with operators: unit vectors along, across and out of
    the road; from the wheel's centre to the point of contact; the deflection ρ [m] and its rate;
    spin Ω [rad/s]; camber γ; speed of the contact V_x, V_y, yaw rate ψ̇; load; slip speeds."""

    along: Vector
    across: Vector
    normal: Vector
    arm: Vector
    deflection: Scalar
    camber: Scalar
    load: Scalar
    slip_x: Scalar
    slip_y: Scalar
    contact: Contact


class TyreOnRoad(ForceKind, frozen=True, kw_only=True, tag="tyre-on-road"):
    """A `tyre` on a wheel, at whose centre the origin of `wheel` is, with y along its axle to the
    left; on a `road` of the world. `grip` and `pressure` [Pa] (None: the tyre's own) may be live.
    `mirrored`: mounted on the other side of the car than it was measured on (TYRESIDE). The road
    below this wheel may stand `raised` [m] and rise at `rising` [m/s], as a rig's post does; its
    surface may be `moving` along itself [m/s along world axes], as a belt's does.

    The road is asked below the centre, then where that normal says that the wheel is lowest. The
    carcass is pressed by the distance to the plane there, and carries F_z + c ρ̇. Slips follow with
    the tyre's relaxation lengths: deflections u̇ = −V_sx − max(|V_x|, |V_sx|) u/σ_x, κ′ = u/σ_x,
    and across likewise (Pacejka 2012, 7.2, bounded at a slip of 1): rolling, κ′ tends to κ;
    standing, the carcass is a spring that friction limits, so a parked car stays. Below the
    tyre's slow speed slip speeds damp besides (7.25).

    The faces and edges of the road's kerbs press the carcass as the road does, and then the rim,
    which bends and stays so; they rub along the tread and the side."""

    UNITS: ClassVar[dict[str, str]] = {
        "grip": "1",
        "pressure": "Pa",
        "raised": "m",
        "rising": "m/s",
        "moving": "m/s",
    }
    TOUCHES: ClassVar[bool] = True

    wheel: FrameField
    tyre: AnyTyre
    road: AnyRoad = PlaneRoad()
    grip: Value = 1.0
    pressure: Value | None = None
    mirrored: bool = False
    raised: Value = 0.0
    rising: Value = 0.0
    moving: Triple = (0.0, 0.0, 0.0)
    rim: tb.contact.Crush = RIM

    def __post_init__(self) -> None:
        check_positive("TyreOnRoad", grip=self.grip)
        if self.pressure is not None:
            check_positive("TyreOnRoad", pressure=self.pressure)

    def states(self) -> dict[str, InternalState]:
        """Deflections of the carcass along and across [m]; where there are kerbs, how deep they
        ever pressed the rim in."""
        found = {
            "along": InternalState(0.0, lambda mechanics: self._rate(mechanics, 0), "m"),
            "across": InternalState(0.0, lambda mechanics: self._rate(mechanics, 1), "m"),
        }
        if self.road.kerbs:
            found["dent"] = InternalState(0.0, self._denting, "m")
        return found

    def shapes(self) -> Shapes:
        """A drum about the axle, as wide as it is of the usual tyres; and the road."""
        across = replace_frame(self.wheel, turn=(*self.wheel.turn, ("x", 0.5 * pi)))
        radius = self.tyre.free_radius()
        still = all(is_zero(component) for component in self.moving)
        ground = self.road.shapes() if still else self.road.belt()
        return [(across, CylinderShape(radius, HALF_WIDTH * radius)), *ground]

    def apply(self, mechanics: Forces) -> None:
        at = self.road_contact(mechanics)
        grip = self._grip(self.lagging(mechanics, at))
        axes, add = (at.along, at.across, at.normal), _VECTORS.add
        force: Vector = [0.0, 0.0, 0.0]
        torque: Vector = [0.0, 0.0, 0.0]
        for axis, f, m in zip(axes, (grip.fx, grip.fy, at.load), (grip.mx, grip.my, grip.mz)):
            force = add(force, _VECTORS.scale(f, axis))
            torque = add(torque, _VECTORS.scale(m, axis))
        torque = add(torque, _VECTORS.cross(at.arm, force))
        for kerb in self.road.kerbs:
            pushed, turned = self._at_kerbs(mechanics).push(kerb)
            force, torque = add(force, pushed), add(torque, turned)
        k = mechanics.k
        mechanics.push(self.wheel, as_scalars(k, force), as_scalars(k, torque))

    def gap(self, mechanics: Mechanics) -> Scalar:
        """Distance of the tyre from the road [m]; negative: its deflection."""
        return as_scalars(mechanics.k, [-self.road_contact(mechanics).deflection])[0]

    def normal_force(self, mechanics: Mechanics) -> Scalar:
        """The load [N]."""
        return as_scalars(mechanics.k, [self.road_contact(mechanics).load])[0]

    def shown_at(self, mechanics: Mechanics) -> Vector:
        arm = as_scalars(mechanics.k, self.road_contact(mechanics).arm)
        return mechanics.vectors.add(mechanics.position(self.wheel), arm)

    def measured(self, mechanics: Mechanics) -> tuple[Contact, ContactPatchWrench]:
        """The contact with lagging slips, and what the tyre does of them."""
        contact = self.lagging(mechanics, self.road_contact(mechanics))
        return contact, self._grip(contact)

    def _grip(self, contact: Contact) -> ContactPatchWrench:
        """What the tyre does, as it is mounted: seen in a mirror, left is right."""
        if not self.mirrored:
            return self.tyre.grip(contact)
        alpha, gamma, spin = -contact.slip_angle, -contact.camber, -contact.turn_slip
        seen = self.tyre.grip(replace(contact, slip_angle=alpha, camber=gamma, turn_slip=spin))
        return replace(seen, fy=-seen.fy, mx=-seen.mx, mz=-seen.mz)

    # ---- where the wheel meets the road

    def road_contact(self, mechanics: Mechanics) -> WheelRoadContact:
        """Geometry, load and slip speeds at this instant."""
        k, dot, cross = mechanics.k, _VECTORS.dot, _VECTORS.cross
        centre, velocity, turning, axle = self._wheel(mechanics)
        spin = dot(turning, axle)
        reach = self.tyre.radius(spin)
        below, _, _ = _towards(self._ground(centre, centre), axle)
        place = _VECTORS.add(centre, _VECTORS.scale(reach, below))
        ground = self._ground(place, centre)
        raised, rising = as_numbers(k, map(mechanics.value, (self.raised, self.rising)))
        down, normal, upright = _towards(ground, axle)
        height = dot(normal, _VECTORS.sub(centre, [place[0], place[1], ground.height + raised]))
        distance = height / upright
        arm = _VECTORS.scale(distance, down)
        along = _VECTORS.scale(1.0 / upright, cross(axle, normal))
        across = cross(normal, along)
        carried = _VECTORS.sub(turning, _VECTORS.scale(spin, axle))  # without the spin
        v = _VECTORS.add(velocity, cross(carried, arm))
        depth, camber = reach - distance, asin(between(dot(axle, normal), -1.0, 1.0))
        pressure = self._value(mechanics, self.pressure, self.tyre.inflation())
        spring = self.tyre.load(depth, spin, camber, pressure)
        damper = self.tyre.damping() * (rising * normal[2] - dot(v, normal)) / upright
        load = select(depth > 0.0, maximum(spring + damper, 0.0), 0.0)
        over = _VECTORS.sub(v, as_numbers(k, map(mechanics.value, self.moving)))
        vx, vy = dot(over, along), dot(over, across)
        rolling = self.tyre.rolling_radius(load, spin, pressure) * spin
        contact = Contact(
            load, camber=camber, speed=vx, rolling=rolling, pressure=pressure,
            turn_slip=dot(carried, normal) / maximum(abs(vx), self.tyre.slow()),
            grip=ground.grip * self._value(mechanics, self.grip, 1.0),
        )  # fmt: skip
        return WheelRoadContact(
            along, across, normal, arm, depth, camber, load, vx - rolling, vy, contact
        )

    def _wheel(self, mechanics: Mechanics) -> list[Vector]:
        """Its centre, velocity, turning, and axle."""
        asked = mechanics.position, mechanics.velocity, mechanics.angular_velocity
        axle = [row[1] for row in mechanics.rotation(self.wheel)]
        return [as_numbers(mechanics.k, v) for v in (*(ask(self.wheel) for ask in asked), axle)]

    def _ground(self, place: Vector, centre: Vector) -> Ground:
        """The road at a place of a wheel, or the top of a kerb that it stands on."""
        ground = self.road.at(place[0], place[1])
        for kerb in self.road.kerbs:
            on = carried(kerb, centre, self.tyre)
            height = select(on, kerb.top, ground.height)
            slope_x, slope_y = (select(on, 0.0, each) for each in (ground.slope_x, ground.slope_y))
            ground = Ground(height, slope_x, slope_y, ground.grip)
        return ground

    def _at_kerbs(self, mechanics: Mechanics) -> WheelAtKerb:
        pressure = self._value(mechanics, self.pressure, self.tyre.inflation())
        (dent,) = as_numbers(mechanics.k, [mechanics.state(self, "dent")])
        return WheelAtKerb(mechanics, self.tyre, pressure, self._wheel(mechanics), self.rim, dent)

    def _denting(self, mechanics: Mechanics) -> Scalar:
        rate = self._at_kerbs(mechanics).denting(self.road.kerbs)
        return as_scalars(mechanics.k, [rate])[0]

    def _value(self, mechanics: Mechanics, given: Value | None, default: float) -> Scalar:
        if given is None:
            return default
        return as_numbers(mechanics.k, [mechanics.value(given)])[0]

    # ---- slips that lag behind

    def lagging(self, mechanics: Mechanics, at: WheelRoadContact) -> Contact:
        """The contact with the slips that the tyre's deflections mean."""
        u, w = self._deflections(mechanics)
        length_x, length_y = self._lengths(at)
        stiff = [maximum(K, 1.0) for K in self.tyre.stiffness(at.contact)]
        slow = minimum(abs(at.contact.speed) / self.tyre.slow(), 1.0)
        standing = 0.5 + 0.5 * cos(pi * slow)
        damped = [
            2.0 * _STANDING * standing * sqrt(at.load / (_GRAVITY * length * K) + 1e-300)
            for length, K in zip((length_x, length_y), stiff, strict=True)
        ]
        slip = u / length_x - damped[0] * at.slip_x
        sideways = w / length_y + damped[1] * at.slip_y
        return replace(at.contact, slip=slip, slip_angle=atan(sideways))

    def _deflections(self, mechanics: Mechanics) -> list[Scalar]:
        states = [mechanics.state(self, name) for name in ("along", "across")]
        return as_numbers(mechanics.k, states)

    def _lengths(self, at: WheelRoadContact) -> tuple[Scalar, Scalar]:
        least = _LEAST_LENGTH * self.tyre.free_radius()
        x, y = self.tyre.relaxation(at.contact)
        return maximum(x, least), maximum(y, least)

    def _rate(self, mechanics: Mechanics, index: int) -> Scalar:
        at = self.road_contact(mechanics)
        own, length = self._deflections(mechanics)[index], self._lengths(at)[index]
        slip = (-at.slip_x, at.slip_y)[index]
        pace = maximum(abs(at.contact.speed), abs(slip))
        rate = select(at.load > 0.0, slip - pace * own / length, -_FORGETTING * own)
        return as_scalars(mechanics.k, [rate])[0]


def _towards(ground: Ground, axle: Vector) -> tuple[Vector, Vector, Scalar]:
    """From a wheel's centre to where it is nearest to a plane: the unit vector in the wheel's
    plane, the plane's normal, and the cosine between it and the former."""
    slope_x, slope_y = ground.slope_x, ground.slope_y
    steep = sqrt(1.0 + slope_x * slope_x + slope_y * slope_y)
    normal = [-slope_x / steep, -slope_y / steep, 1.0 / steep]
    lean = _VECTORS.dot(axle, normal)
    upright = sqrt(maximum(1.0 - lean * lean, _FLATTEST * _FLATTEST))
    inside = _VECTORS.sub(normal, _VECTORS.scale(lean, axle))
    return _VECTORS.scale(-1.0 / upright, inside), normal, upright


class TyreForces(SensorKind[Several], frozen=True, tag="tyre-forces"):
    """Of the force `contact`, a `TyreOnRoad`: slip κ′, slip angle α′ [rad], load [N], forces along
    and across [N], aligning moment [N m], in the tyre's axes W."""

    NAMES: ClassVar[tuple[str, ...]] = ("contact",)
    contact: str

    def components(self) -> tuple[str, ...]:
        return ("slip", "slip angle", "load", "fx", "fy", "mz")

    def units(self) -> tuple[str, ...]:
        return ("", "rad", "N", "N", "N", "N m")

    def measure(self, mechanics: Mechanics) -> list[Scalar]:
        contact, grip = mechanics.force(self.contact).measured(mechanics)
        found = [contact.slip, contact.slip_angle, contact.load, grip.fx, grip.fy, grip.mz]
        return as_scalars(mechanics.k, found)
