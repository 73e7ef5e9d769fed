"""A whole car: chassis, two axles, steering, tyres on a road, engine and brakes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from msgspec import Meta

import touchback as tb
from touchback import (
    Acceleration,
    AngularVelocity,
    Box,
    Direction,
    Expr,
    Eye,
    Frame,
    Free,
    Model,
    Position,
    Signal,
    Velocity,
)
from touchback.errors import ModelError
from touchback.model import BodyHandle, Value, check_values
from touchback.vehicle.car_body import Body, BodyAtWalls
from touchback.vehicle.car_part import Moments, Part, Point, Positive, Size
from touchback.vehicle.driveline import (
    BAR,
    DiscBrake,
    Driveline,
    Engine,
    Gearbox,
    add_driveline,
)
from touchback.vehicle.roads import AnyRoad, PlaneRoad
from touchback.vehicle.steering import Steering, SteeringParts, add_steering
from touchback.vehicle.suspension import AnyAxle, Corner, DoubleWishbone, add_axle
from touchback.vehicle.tyre_on_road import TyreForces, TyreOnRoad
from touchback.vehicle.tyres import BUGGY_TYRE, AnyTyre, MagicFormula

_WEIGHT = 2500.0  # N on a tyre, for the first spin of its wheel
_RIM = tb.contact.Crush(5e4)  # N/m: links bend and leave the impact to the body; assumed
_PRESSURE = 100.0 * BAR
_MOST_SHARE = 1.5
_WHEELS, _SHEET, _POST, _SCREEN = 0.35, 0.1, 0.05, 0.58  # m of the bodywork: room for wheels; thick
_EVEN = 1.0  # g: all wheels lock at once at this deceleration
Share = Annotated[float, Meta(ge=0.0, le=_MOST_SHARE)]
Gear = Annotated[int, Meta(ge=0, le=20)]


class Chassis(Part, frozen=True, kw_only=True):
    """The sprung mass [kg], its centre from the middle of the front axle on the road [m], and its
    moments about that [kg m²]."""

    UNITS: ClassVar[dict[str, str]] = {"mass": "kg", "com": "m", "inertia": "kg m²"}

    mass: Positive = 897.0
    com: Point = (-1.2, 0.0, 0.50)
    inertia: Moments = (330.0, 1050.0, 1200.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_moments("inertia", self.inertia)


class Brakes(Part, frozen=True, kw_only=True):
    """Discs of both axles: area of the pistons on a side [m²], friction and mean radius of the pads
    [m], and the share of the line pressure that the rear ones get; None: as `Car.rear_share`."""

    UNITS: ClassVar[dict[str, str]] = {
        "front_area": "m²",
        "rear_area": "m²",
        "pad_friction": "1",
        "radius": "m",
        "rear_share": "1",
    }

    front_area: Positive = 22.9e-4
    rear_area: Positive = 14.0e-4
    pad_friction: Positive = 0.38
    radius: Size = 0.115
    rear_share: Share | None = None


class Car(Part, frozen=True, kw_only=True):
    """What a car is made of. Its origin is the middle of the front axle on the road at design; the
    rear axle stands `wheelbase` [m] behind. The engine drives the "rear" or the "front" wheels, or
    "all"; it stays in a `gear`, or shifts by the gearbox's map (0). Tyres are the shipped ones
    where none are given."""

    UNITS: ClassVar[dict[str, str]] = {"wheelbase": "m"}

    name: str = "car"
    wheelbase: Size = 2.4
    chassis: Chassis = Chassis()
    body: Body = Body()
    front: AnyAxle = DoubleWishbone(bar=12e3)
    rear: AnyAxle = DoubleWishbone(bar=6e3)
    steering: Steering = Steering()
    brakes: Brakes = Brakes()
    engine: Engine = Engine()
    gearbox: Gearbox = Gearbox()
    gear: Gear = 2
    front_tyre: AnyTyre | None = None
    rear_tyre: AnyTyre | None = None
    driven: Literal["rear", "front", "all"] = "rear"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.front.steered():
            raise self.wrong(
                "front",
                f"its front axle, a {type(self.front).__name__}, has no tie rods; take a "
                "DoubleWishbone or a MacPherson.",
            )
        if self.gear > len(self.gearbox.ratios):
            raise self.wrong(
                "gear",
                f"its gear is {self.gear}, its gearbox has 1 to {len(self.gearbox.ratios)}; 0 "
                "shifts by the map.",
            )

    def balance(self) -> tuple[float, float, float]:
        """Mass [kg], how far behind the front axle its centre is and its height [m], with unsprung
        masses at the axles, as high as the wheels' centres, and the rack where it is built."""
        parts = (
            (self.chassis.mass, -self.chassis.com[0], self.chassis.com[2]),
            (self.steering.rack_mass, 0.0, 0.0),
            (self.front.unsprung(), -self.front.wheel_centre[0], self.front.wheel_centre[2]),
            (
                self.rear.unsprung(), self.wheelbase - self.rear.wheel_centre[0],
                self.rear.wheel_centre[2],
            ),
        )  # fmt: skip
        mass = sum(m for m, _, _ in parts)
        behind, height = (sum(each[0] * each[i] for each in parts) / mass for i in (1, 2))
        return mass, behind, height

    def rear_share(self) -> float:
        """The share of the line pressure at the rear: that of `brakes`, or else the one with which
        all wheels would lock together at a deceleration of 1 g, so that the front ones lock first
        at any lesser (UN regulation 13-H, annex 5: from 0.15 to 0.8 g). Of braking forces the rear
        axle then has what it has of the load, (a − h)/l with the centre of mass a behind the front
        axle and h high."""
        brakes = self.brakes
        if brakes.rear_share is not None:
            return brakes.rear_share
        _, behind, height = self.balance()
        at_rear = max(behind - _EVEN * height, 0.0) / self.wheelbase
        forces = at_rear / (1.0 - at_rear)
        radii = self.rear.wheel_centre[2] / self.front.wheel_centre[2]
        return min(forces * radii * brakes.front_area / brakes.rear_area, _MOST_SHARE)


@dataclass(frozen=True)
class Post:
    """How the road below a wheel moves: `raised` [m], `rising` [m/s]."""

    raised: Value = 0.0
    rising: Value = 0.0

    def __post_init__(self) -> None:
        check_values("Post", raised=self.raised, rising=self.rising)


@dataclass(frozen=True)
class RunningGear:
    """Corners by name ("front left", …), and the steering."""

    corners: dict[str, Corner]
    steering: SteeringParts


@dataclass(frozen=True)
class CarParts(RunningGear):
    """The same with the driveline."""

    driveline: Driveline


def add_car(
    model: Model,
    car: Car | None = None,
    road: AnyRoad | None = None,
    speed: float = 0.0,
    hands: Literal["angle", "torque"] = "angle",
    feet: tuple[Expr, Expr, Value] | None = None,
) -> CarParts:
    """Put a car on the road of a model, at its design height and ahead with `speed` [m/s].

    Inputs: "throttle" (0 to 1) and "brake" (line pressure [Pa]), or what `feet` give for these two
    and the clutch (0 to 1), and the steering's (`add_steering`).
    Sensors: the chassis's position, velocity, direction ahead, turning and acceleration at its
    centre of mass, the engine's speed, and the forces of each tyre."""
    made = car or Car()
    gear = add_running_gear(model, made, road or PlaneRoad(), speed, hands)
    throttle, pressure, clutch = feet or (
        model.input("throttle", min=0.0, max=1.0),
        model.input("brake", unit="Pa", min=0.0, max=_PRESSURE),
        0.0,
    )
    _add_brakes(model, made, gear.corners, pressure)
    driven = [
        corner.spin for name, corner in gear.corners.items()
        if made.driven == "all" or name.startswith(made.driven)
    ]  # fmt: skip
    line = add_driveline(
        model, tuple(driven), throttle, made.engine, made.gearbox, made.gear or None, clutch=clutch
    )
    _add_sensors(model, made, gear.corners, line)
    _add_bodywork(model, made)
    return CarParts(gear.corners, gear.steering, line)


def add_running_gear(
    model: Model,
    car: Car,
    ground: AnyRoad,
    speed: float = 0.0,
    hands: Literal["angle", "torque"] = "angle",
    posts: Mapping[str, Post] | None = None,
) -> RunningGear:
    """A car without its engine and brakes: chassis, steering, axles and tyres on a road. Below the
    wheels that `posts` name ("front left", …) the road rises and sinks."""
    tyres = {"front": car.front_tyre or _shipped(), "rear": car.rear_tyre or _shipped()}
    chassis = model.body("chassis", car.chassis.mass, car.chassis.com, car.chassis.inertia)
    height = float(ground.at(0.0, 0.0).height)
    model.joint(
        "chassis", Free(), model.ground, chassis, position=[0.0, 0.0, height, 1.0, 0.0, 0.0, 0.0],
        velocity=[speed, 0.0, 0.0, 0.0, 0.0, 0.0],
    )  # fmt: skip
    _add_eyes(model, car, chassis)
    steering = add_steering(model, car.steering, chassis, hands=hands)
    corners: dict[str, Corner] = {}
    for end, axle, at in (("front", car.front, 0.0), ("rear", car.rear, -car.wheelbase)):
        rack, tyre = steering.rack if end == "front" else None, tyres[end]
        spin = speed / float(tyre.rolling_radius(_WEIGHT, 0.0, tyre.inflation()))
        pair = add_axle(model, axle, chassis, end, at=at, rack=rack, spin=spin)
        corners |= {f"{end} left": pair[0], f"{end} right": pair[1]}
    for name, post in (posts or {}).items():
        if name not in corners or not isinstance(post, Post):
            raise ModelError(
                f"add_running_gear: its posts have {name!r}: {post!r}; give a Post by the name of "
                f"a wheel ({', '.join(corners)})."
            )
    grip = model.parameter("grip", 1.0, min=0.02, max=2.0)
    for name, corner in corners.items():
        post = (posts or {}).get(name, Post())
        model.force(f"{name} tyre", TyreOnRoad(
            wheel=corner.wheel.at(0, 0, 0), tyre=tyres[name.split()[0]], road=ground, grip=grip,
            mirrored=name.endswith("right"), raised=post.raised, rising=post.rising,
            rim=_RIM,
        ))  # fmt: skip
    walls = tuple(each for each in ground.kerbs if each.top > car.body.low)
    if walls:
        at_walls = BodyAtWalls(
            chassis=chassis.at(0, 0, 0), wheelbase=car.wheelbase, walls=walls, body=car.body
        )
        model.force("body", at_walls)
    return RunningGear(corners, steering)


def _add_eyes(model: Model, car: Car, chassis: BodyHandle) -> None:
    """The driver's, before the middle of the wheelbase at the height of a sitting person, and that
    of a camera over the rear axle, which sees the car's own front wheels."""
    back, high = car.wheelbase, car.chassis.com[2] + 0.6
    model.shape("driver", chassis.at(-0.45 * back, 0.0, high, turn=("y", 0.15)), Eye())
    above = chassis.at(-1.3 * back, 0.0, high + 0.4, turn=("y", 0.25))
    model.shape("on board", above, Eye())


def _add_bodywork(model: Model, car: Car) -> None:
    """What is seen of the car's box: open above the seats, with a bonnet over the front wheels, a
    dash and the frame of a windscreen before the driver."""
    body, back = car.body, car.wheelbase
    front, rear, side = body.overhang, -back - body.overhang, body.width / 2.0
    low, high, room = body.low, body.high, car.front.wheel_centre[2] + 0.08
    inner, top = max(side - _WHEELS, 0.2), body.high + _SCREEN
    screen = -0.27 * back
    boxes: dict[str, tuple[tuple[float, float], tuple[float, float], tuple[float, float]]] = {
        "nose": ((room, front), (-side, side), (low, high - _SHEET)),
        "tail": ((rear, -back - room), (-side, side), (low, high - _SHEET)),
        "tub": ((-back - room, room), (-inner, inner), (low, 0.7 * high)),
        "floor": ((room - back, -room), (-side, side), (low, 0.6 * high)),
        "bonnet": ((screen, front), (-side, side), (high - _SHEET, high)),
        "boot": ((rear, 0.3 * back - back), (-side, side), (high - _SHEET, high)),
        "dash": ((screen - 0.1, screen), (-side, side), (high - _SHEET, high + 0.08)),
        "screen top": ((screen - _POST, screen), (-side, side), (top - _POST, top)),
    }
    for name, sign in (("left", 1.0), ("right", -1.0)):
        edge = sorted((sign * side, sign * (side - _POST)))
        wide = edge[0], edge[1]
        boxes[f"{name} door"] = (0.3 * back - back, screen), wide, (0.6 * high, high)
        boxes[f"{name} post"] = (screen - _POST, screen), wide, (high, top)
    for name, ends in boxes.items():
        size, middle = ([f(pair) for pair in ends] for f in (_length, _middle))
        if min(size) > 0.0:
            solid = Box((size[0], size[1], size[2]))
            place = Frame("chassis", (middle[0], middle[1], middle[2]))
            model.shape(f"body {name}", place, solid)


def _length(ends: tuple[float, float]) -> float:
    return ends[1] - ends[0]


def _middle(ends: tuple[float, float]) -> float:
    return (ends[0] + ends[1]) / 2.0


def _shipped() -> AnyTyre:
    return MagicFormula.read(BUGGY_TYRE)


def _add_brakes(model: Model, car: Car, corners: dict[str, Corner], pressure: Expr) -> None:
    brakes = car.brakes
    share = model.parameter("rear brake share", car.rear_share(), min=0.0, max=_MOST_SHARE)
    for name, corner in corners.items():
        front = name.startswith("front")
        model.force(f"{name} brake", DiscBrake(
            joint=corner.spin, pressure=pressure if front else pressure * share,
            piston_area=brakes.front_area if front else brakes.rear_area,
            pad_friction=brakes.pad_friction, radius=brakes.radius,
        ))  # fmt: skip


def _add_sensors(model: Model, car: Car, corners: dict[str, Corner], line: Driveline) -> None:
    centre = Frame("chassis", car.chassis.com)
    for word, kind in (
        ("position", Position), ("velocity", Velocity), ("acceleration", Acceleration),
        ("turning", AngularVelocity),
    ):  # fmt: skip
        model.sensor(f"car {word}", kind(centre))
    model.sensor("car ahead", Direction(centre, "x"))
    model.sensor("engine", Signal(line.speed, "rpm"))
    for name in corners:
        model.sensor(name, TyreForces(f"{name} tyre"))
