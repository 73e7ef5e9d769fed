"""What the axles of a car have in common: where they are built, and what is left of it."""

from dataclasses import dataclass
from math import sqrt
from typing import ClassVar, NamedTuple

import numpy as np

from touchback import Frame, Model, Revolute, sqrt as root
from touchback.errors import ModelError
from touchback.model import BodyHandle, Place, Triple, Turns, Value, as_frame, triple
from touchback.vehicle.car_part import STEEPEST, Angle, FromZero, LeftPoint, Part, Point, Positive
from touchback.vehicle.suspension.suspension_parts import (
    AntiRollBar,
    Mounts,
    Pivots,
    Strut,
    StrutTables,
)


class Wheel(Part, frozen=True, kw_only=True):
    """Mass of rim, tyre and hub [kg], moments about the axle and across it [kg m²]."""

    UNITS: ClassVar[dict[str, str]] = {
        "mass": "kg",
        "spin_inertia": "kg m²",
        "cross_inertia": "kg m²",
    }

    mass: Positive = 15.0
    spin_inertia: Positive = 0.8
    cross_inertia: Positive = 0.45

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_moments("spin_inertia", self.moments)

    @property
    def moments(self) -> tuple[float, float, float]:
        """About x, y (its axle) and z [kg m²]."""
        return self.cross_inertia, self.spin_inertia, self.cross_inertia


class Corner(NamedTuple):
    """A wheel on its suspension: the frame of its centre on what carries it (y along the axle to
    the left, x ahead), the wheel's body, the joint by which it spins, and the ends of its strut."""

    carrier: Frame
    wheel: BodyHandle
    spin: str
    strut: tuple[Frame, Frame]


@dataclass(frozen=True)
class Site:
    """Where an axle is built: the `chassis` at its middle on the road, `at` [m] ahead of the
    chassis's origin. Names begin with `name`; tie rods end on `rack`, or on the chassis;
    wheels begin with `spin` [rad/s]."""

    model: Model
    chassis: BodyHandle
    at: float
    name: str
    rack: BodyHandle | None = None
    spin: float = 0.0

    def place(self, point: Triple, turn: Turns = None) -> Frame:
        """A point of the axle on the chassis."""
        return self.chassis.at(point[0] + self.at, point[1], point[2], turn=turn)

    def live(self, what: str, default: float, unit: str, low: float, high: float) -> Value:
        """A live parameter of the axle."""
        return self.model.parameter(f"{self.name} {what}", default, unit=unit, min=low, max=high)

    def angle(self, what: str, default: float) -> Value:
        """A live angle of alignment [rad]."""
        return self.live(what, default, "rad", -STEEPEST, STEEPEST)

    def sides(self) -> tuple["Side", "Side"]:
        """Left and right."""
        return Side(self, "left", 1.0), Side(self, "right", -1.0)


@dataclass(frozen=True)
class Side:
    """One side of an axle; points are given for the left and mirrored for the right."""

    site: Site
    word: str
    sign: float

    def called(self, what: str) -> str:
        """The name of a part of this side."""
        return f"{self.site.name} {self.word} {what}"

    def point(self, left: Triple) -> Triple:
        """The point of this side that corresponds to one of the left."""
        return left[0], left[1] * self.sign, left[2]

    def on_chassis(self, left: Triple, turn: Turns = None) -> Frame:
        """A point of the chassis."""
        return self.site.place(self.point(left), turn)

    def add_slender_arm(
        self, what: str, mass: float, feet: tuple[Point, Point], end: Point
    ) -> BodyHandle:
        """Adds a body of two slender rods from the `feet` to `end`. Its origin is half way between
        the feet; its axes are the chassis's at design."""
        origin = middle(*feet)
        com = np.array(along(self, origin, end), dtype=float) / 2
        inertia = np.zeros((3, 3))
        for foot in feet:
            reach = np.array(along(self, foot, end), dtype=float)
            off = np.array(along(self, origin, middle(foot, end)), dtype=float) - com
            for way, share in ((reach, mass / 24.0), (off, mass / 2.0)):
                inertia += share * (way @ way * np.eye(3) - np.outer(way, way))
        return self.site.model.body(self.called(what), mass, com, inertia)

    def on(self, body: BodyHandle, origin: Triple, left: Triple, turn: Turns = None) -> Frame:
        """A point of a body of this side whose origin is at `origin`, both as of the left."""
        return body.at(*along(self, origin, left), turn=turn)

    def tie_end(self, left: Triple) -> Frame:
        """Where the tie rod begins: on the rack, whose axes and origin are the axle's, or on the
        chassis."""
        if self.site.rack is None:
            return self.on_chassis(left)
        return self.site.rack.at(*self.point(left))

    def corner(
        self,
        axle: "AxleKind",
        carrier: BodyHandle,
        origin: Triple,
        alignment: tuple[Value, Value],
        strut: tuple[Frame, Frame],
    ) -> Corner:
        """The wheel on its carrier: toe-in and camber, positive when its top leans out."""
        toe, camber = alignment
        hub = self.on(
            carrier, origin, axle.wheel_centre,
            turn=[("z", toe * -self.sign), ("x", camber * -self.sign)],
        )  # fmt: skip
        w = axle.wheel
        body = self.site.model.body(self.called("wheel"), w.mass, inertia=w.moments)
        spin = self.site.model.joint(
            self.called("spin"), Revolute("y"), hub, body, velocity=[self.site.spin]
        )
        return Corner(hub, body, spin, strut)


class AxleKind(Part, frozen=True, tag_field="kind", kw_only=True):
    """A kind of axle. Points [m] are of its left side at design, x ahead and y to the left of the
    middle of the axle, z above the road. `camber` (top out) and toe-in `toe` [rad] are the wheel's
    on its carrier; `bar` [N/m] is the stiffness of the anti-roll bar at the struts. Arms and links
    turn on the chassis in bearings, or in the rubber of their `mounts`."""

    UNITS: ClassVar[dict[str, str]] = {
        "wheel_centre": "m",
        "strut_top": "m",
        "strut_foot": "m",
        "camber": "rad",
        "toe": "rad",
        "bar": "N/m",
    }

    wheel_centre: LeftPoint = (0.0, 0.70, 0.273)
    wheel: Wheel = Wheel()
    strut: StrutTables = StrutTables()
    strut_top: Point = (0.0, 0.50, 0.62)
    strut_foot: Point = (0.0, 0.56, 0.21)
    camber: Angle = 0.0
    toe: Angle = 0.0
    bar: FromZero = 0.0
    mounts: Mounts | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_apart("strut_top", "strut_foot")

    def steered(self) -> bool:
        """Whether it has tie rods."""
        return False

    def unsprung(self) -> float:
        """Mass of both wheels and of what carries them [kg]."""
        return 2.0 * self.wheel.mass

    def build(self, site: Site) -> tuple[Corner, Corner]:
        """Bodies, joints, loops and forces of both sides."""
        raise NotImplementedError(type(self).__name__)

    def alignment(self, site: Site) -> tuple[Value, Value]:
        """Toe and camber, live."""
        return site.angle("toe", self.toe), site.angle("camber", self.camber)

    def pivots(self, site: Site, raised: Value = 0.0) -> Pivots:
        """How arms and links are held; the stiffness of rubber is live."""
        if self.mounts is None:
            return Pivots(raised, None)
        return Pivots(raised, self.mounts, site.live("mount stiffness", 1.0, "", 0.02, 50.0))

    def struts(self, site: Site, corners: tuple[Corner, Corner], length: Value) -> None:
        """Springs, dampers and the bar on both sides, `length` [m] at design; their tables are
        live."""
        tables, model = self.strut, site.model
        force = tuple(
            site.live(f"spring at {1e3 * x:g} mm", y, "N", min(0.0, 3 * y), max(3 * y, 2e3))
            for x, y in zip(tables.compression, tables.force, strict=True)
        )
        damping = tuple(
            site.live(f"damper at {1e3 * x:g} mm per s", y, "N", min(0.0, 5 * y), max(0.0, 5 * y))
            if y else 0.0
            for x, y in zip(tables.speed, tables.damping, strict=True)
        )  # fmt: skip
        for side, corner in zip(site.sides(), corners, strict=True):
            strut = Strut(
                a=corner.strut[0], b=corner.strut[1], length=length, force=force, damping=damping,
                compression=tables.compression, speed=tables.speed,
            )  # fmt: skip
            model.force(side.called("strut"), strut)
        bar = site.live("anti-roll bar", self.bar, "N/m", 0.0, max(4 * self.bar, 1e5))
        (left_a, left_b), (right_a, right_b) = (corner.strut for corner in corners)
        between = AntiRollBar(
            left_a=left_a, left_b=left_b, right_a=right_a, right_b=right_b, stiffness=bar
        )
        model.force(f"{site.name} anti-roll bar", between)


def add_axle(
    model: Model,
    axle: AxleKind,
    chassis: Place,
    name: str,
    at: float = 0.0,
    rack: BodyHandle | None = None,
    spin: float = 0.0,
) -> tuple[Corner, Corner]:
    """Build an axle on a chassis: its left and right corner. A `rack` has the chassis's axes at
    design, and its origin in the middle of the axle on the road. Wheels begin with `spin`
    [rad/s]."""
    if rack is not None and not axle.steered():
        raise ModelError(
            f"Axle '{name}': a {type(axle).__name__} has no tie rods for a rack to push; steer a "
            "DoubleWishbone or a MacPherson, or leave the rack out."
        )
    frame = as_frame(f"Axle '{name}': chassis", chassis)
    return axle.build(Site(model, BodyHandle(frame.body, frame.owner), at, name, rack, spin))


def along(side: Side, origin: Triple, end: Triple) -> Triple:
    """From one point of a side to another, both given as of the left."""
    return end[0] - origin[0], (end[1] - origin[1]) * side.sign, end[2] - origin[2]


def distance(a: Triple, b: Triple) -> Value:
    """Between two points [m]."""
    x, y, z = (q - p for p, q in zip(triple("point", a), triple("point", b), strict=True))
    square = x * x + y * y + z * z
    return sqrt(square) if isinstance(square, float) else root(square)


def middle(a: Point, b: Point) -> Point:
    """Half way."""
    return (a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2
