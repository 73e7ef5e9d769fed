"""Kinds of axles: double wishbones, MacPherson struts, trailing and semi-trailing arms, rigid axles
guided by rods; and the knuckles and tie rods that steerable ones share."""

import math
from typing import ClassVar

import numpy as np

from touchback import (
    Cylindrical,
    Frame,
    Free,
    PointOnLine,
    Revolute,
    Rod,
    Spherical,
    Universal,
    atan2,
    sqrt,
    tan,
)
from touchback.model import BodyHandle, Triple, Turns, Value
from touchback.vehicle.car_part import STEEPEST, FromZero, Moments, Part, Point, Positive
from touchback.vehicle.suspension.axle import AxleKind, Corner, Side, Site, distance, middle
from touchback.vehicle.suspension.suspension_parts import Pivots, along_x

_RADIUS = 0.011  # m, of the strut's rod


class KnuckleAxle(AxleKind, frozen=True, kw_only=True):
    """An axle whose wheels are carried by knuckles on lower arms, with tie rods: the arms' pivots
    on the chassis, their balls, and the ends of the tie rods; masses [kg] and the moments of a
    knuckle [kg m²]."""

    UNITS: ClassVar[dict[str, str]] = {
        **AxleKind.UNITS,
        "lower_front": "m",
        "lower_rear": "m",
        "lower_ball": "m",
        "tie_inner": "m",
        "tie_outer": "m",
        "lower_mass": "kg",
        "knuckle_mass": "kg",
        "knuckle_inertia": "kg m²",
    }

    lower_front: Point = (0.15, 0.33, 0.20)
    lower_rear: Point = (-0.15, 0.33, 0.20)
    lower_ball: Point = (0.010, 0.655, 0.185)
    tie_inner: Point = (-0.12, 0.345, 0.230)
    tie_outer: Point = (-0.12, 0.640, 0.224)
    lower_mass: Positive = 4.0
    knuckle_mass: Positive = 9.0
    knuckle_inertia: Moments = (0.08, 0.06, 0.05)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_moments("knuckle_inertia", self.knuckle_inertia)
        self.check_off_line("lower_ball", "lower_front", "lower_rear")
        self.check_apart("tie_inner", "tie_outer")

    def check_king_pin(self, top: str) -> None:
        """Refuse a steering axis, from the lower ball to a point `top`, that lies rather than
        stands, or on which the tie rod has no lever."""
        ball, end = self.lower_ball, getattr(self, top)
        rise = end[2] - ball[2]
        lean = max(abs(math.atan2(ball[0] - end[0], rise)), abs(math.atan2(ball[1] - end[1], rise)))
        if not lean < STEEPEST:
            raise self.wrong(
                top,
                f"its {top}, {end}, must be above its lower_ball, {ball}, with less than 45° of "
                f"caster and kingpin inclination; it leans by {math.degrees(lean):.0f}°.",
            )
        self.check_off_line("tie_outer", "lower_ball", top)

    def steered(self) -> bool:
        return True

    def unsprung(self) -> float:
        return super().unsprung() + 2.0 * (self.lower_mass + self.knuckle_mass)

    def king_pin(self, site: Site, top: Point) -> tuple[Value, Value]:
        """Where the steering axis ends above the lower ball, x and y, by its live caster (top back)
        and inclination (top in)."""
        ball = self.lower_ball
        rise = top[2] - ball[2]
        caster = site.angle("caster", math.atan2(ball[0] - top[0], rise))
        kingpin = site.angle("kingpin", math.atan2(ball[1] - top[1], rise))
        return ball[0] - rise * tan(caster), ball[1] - rise * tan(kingpin)

    def lower_arm(self, side: Side, pivots: Pivots) -> tuple[BodyHandle, Triple]:
        """The lower arm and its origin, as `arm` gives them."""
        feet = self.lower_front, self.lower_rear
        return arm(side, "lower arm", feet, self.lower_ball, self.lower_mass, pivots)

    def knuckle(self, side: Side, lower: BodyHandle, pivot: Triple) -> BodyHandle:
        """The knuckle on the lower arm's ball, with its tie rod."""
        com = np.array(middle(self.lower_ball, self.wheel_centre)) - self.lower_ball
        centre = side.point((com[0], com[1], com[2]))
        name, model = side.called("knuckle"), side.site.model
        body = model.body(name, self.knuckle_mass, centre, self.knuckle_inertia)
        model.joint(name, Spherical(), side.on(lower, pivot, self.lower_ball), body)
        length = distance(self.tie_inner, self.tie_outer)
        ends = side.tie_end(self.tie_inner), side.on(body, self.lower_ball, self.tie_outer)
        model.close(side.called("tie rod"), Rod(length), *ends)
        return body


def arm(
    side: Side, what: str, feet: tuple[Point, Point], end: Point, mass: float, pivots: Pivots
) -> tuple[BodyHandle, Triple]:
    """An arm that turns about the line through two points of the chassis, its `feet`; gives its
    body, and the point of that line where its origin is. On rubber it floats on both feet, which
    is strained by nothing at design."""
    low, model = middle(*feet), side.site.model
    pivot = (low[0], low[1], low[2] + pivots.raised)
    body = side.add_slender_arm(what, mass, feet, end)
    x, y, z = (front - rear for front, rear in zip(*feet, strict=True))
    way = (x, side.sign * y, z)
    held = Revolute(way) if pivots.mounts is None else Free()
    model.joint(side.called(what), held, side.on_chassis(pivot), body)
    if pivots.mounts is None:
        return body, pivot
    turn = along_x(way)
    for word, at in zip(("front", "rear"), feet, strict=True):
        foot = (at[0], at[1], at[2] + pivots.raised)
        frames = side.on_chassis(foot, turn), side.on(body, pivot, foot, turn)
        model.force(side.called(f"{what} {word} mount"), pivots.mounts.rubber(*frames, pivots.gain))
    return body, pivot


class DoubleWishbone(KnuckleAxle, frozen=True, kw_only=True, tag="double-wishbone"):
    """Upper and lower arms; the strut stands on the lower one. Live: caster and kingpin (the upper
    ball's place, which leaves toe and camber at design), camber, toe, how far the pivots are raised
    (which moves the roll centre), tables of the strut, and the anti-roll bar."""

    UNITS: ClassVar[dict[str, str]] = {
        **KnuckleAxle.UNITS,
        "upper_front": "m",
        "upper_rear": "m",
        "upper_ball": "m",
        "upper_mass": "kg",
    }

    upper_front: Point = (0.12, 0.40, 0.425)
    upper_rear: Point = (-0.14, 0.40, 0.415)
    upper_ball: Point = (-0.015, 0.620, 0.440)
    upper_mass: Positive = 2.5

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_off_line("upper_ball", "upper_front", "upper_rear")
        self.check_king_pin("upper_ball")

    def unsprung(self) -> float:
        return super().unsprung() + 2.0 * self.upper_mass

    def build(self, site: Site) -> tuple[Corner, Corner]:
        x, y = self.king_pin(site, self.upper_ball)
        ball = (x, y, self.upper_ball[2])
        alignment = self.alignment(site)
        pivots = self.pivots(site, site.live("pivots raised", 0.0, "m", -0.1, 0.1))
        feet = self.upper_front, self.upper_rear
        corners = []
        for side in site.sides():
            lower, low = self.lower_arm(side, pivots)
            upper, high = arm(side, "upper arm", feet, self.upper_ball, self.upper_mass, pivots)
            knuckle = self.knuckle(side, lower, low)
            ends = side.on(upper, high, ball), side.on(knuckle, self.lower_ball, ball)
            site.model.close(side.called("upper ball"), Spherical(), *ends)
            strut = side.on_chassis(self.strut_top), side.on(lower, low, self.strut_foot)
            corners.append(side.corner(self, knuckle, self.lower_ball, alignment, strut))
        left, right = corners
        self.struts(site, (left, right), distance(self.strut_top, self.strut_foot))
        return left, right


class MacPherson(KnuckleAxle, frozen=True, kw_only=True, tag="macpherson"):
    """A lower arm, and a strut whose tube is one with the knuckle; its top, a point of the chassis,
    stays on the tube's line through `strut_foot`. Live: caster and kingpin (the top's place, with
    the tube turned on the knuckle, which leaves toe and camber at design), and the rest as of
    double wishbones. With a `rod_mass` [kg] the strut's rod is a body: slender, half as long as the
    strut at design, on a universal joint at the top, and sliding and turning in the tube."""

    UNITS: ClassVar[dict[str, str]] = {**KnuckleAxle.UNITS, "rod_mass": "kg"}

    strut_top: Point = (-0.030, 0.550, 0.780)
    strut_foot: Point = (-0.005, 0.590, 0.380)
    rod_mass: FromZero = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_king_pin("strut_top")

    def unsprung(self) -> float:
        return super().unsprung() + 2.0 * self.rod_mass

    def build(self, site: Site) -> tuple[Corner, Corner]:
        x, y = self.king_pin(site, self.strut_top)
        top = (x, y, self.strut_top[2])
        alignment = self.alignment(site)
        pivots = self.pivots(site, site.live("pivots raised", 0.0, "m", -0.1, 0.1))
        corners = []
        for side in site.sides():
            lower, low = self.lower_arm(side, pivots)
            knuckle = self.knuckle(side, lower, low)
            turn = _upright(side, self.strut_foot, top)
            tube = side.on(knuckle, self.lower_ball, self.strut_foot, turn=turn)
            mount = side.on_chassis(top)
            if self.rod_mass:
                rod = self._rod(side, side.on_chassis(top, turn))
                site.model.close(side.called("strut"), Cylindrical("z"), tube, rod)
            else:
                site.model.close(side.called("strut"), PointOnLine("z"), tube, mount)
            corners.append(side.corner(self, knuckle, self.lower_ball, alignment, (mount, tube)))
        left, right = corners
        self.struts(site, (left, right), distance(top, self.strut_foot))
        return left, right

    def _rod(self, side: Side, top: Frame) -> BodyHandle:
        """The strut's rod below its top, whose z axis it is along."""
        length = math.dist(self.strut_top, self.strut_foot) / 2.0
        across, about = self.rod_mass * length**2 / 12.0, self.rod_mass * _RADIUS**2 / 2.0
        name, model = side.called("strut rod"), side.site.model
        com = (0.0, 0.0, -length / 2.0)
        rod = model.body(name, self.rod_mass, com, (across, across, about))
        model.joint(name, Universal("x", "y"), top, rod)
        return rod


def _upright(side: Side, foot: Triple, top: Triple) -> Turns:
    """Turns that point z from the foot to the top."""
    x, y, z = (high - low for low, high in zip(side.point(foot), side.point(top), strict=True))
    return [("x", atan2(-y, z)), ("y", atan2(x, sqrt(y * y + z * z)))]


class TrailingArm(AxleKind, frozen=True, kw_only=True, tag="trailing-arm"):
    """An arm about the line through two points of the chassis, square to the car or slanted; the
    strut stands on it. Live: camber, toe, how far the pivots are raised, tables of the strut, and
    the anti-roll bar."""

    UNITS: ClassVar[dict[str, str]] = {
        **AxleKind.UNITS,
        "pivot_inner": "m",
        "pivot_outer": "m",
        "arm_mass": "kg",
    }

    pivot_inner: Point = (0.38, 0.30, 0.25)
    pivot_outer: Point = (0.42, 0.58, 0.25)
    strut_top: Point = (0.06, 0.52, 0.60)
    strut_foot: Point = (0.04, 0.56, 0.25)
    arm_mass: Positive = 12.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_off_line("wheel_centre", "pivot_inner", "pivot_outer")

    def unsprung(self) -> float:
        return super().unsprung() + 2.0 * self.arm_mass

    def build(self, site: Site) -> tuple[Corner, Corner]:
        alignment = self.alignment(site)
        pivots = self.pivots(site, site.live("pivots raised", 0.0, "m", -0.1, 0.1))
        feet = self.pivot_outer, self.pivot_inner
        corners = []
        for side in site.sides():
            body, pivot = arm(side, "arm", feet, self.wheel_centre, self.arm_mass, pivots)
            strut = side.on_chassis(self.strut_top), side.on(body, pivot, self.strut_foot)
            corners.append(side.corner(self, body, pivot, alignment, strut))
        left, right = corners
        self.struts(site, (left, right), distance(self.strut_top, self.strut_foot))
        return left, right


class AxleLink(Part, frozen=True, kw_only=True):
    """A rod with balls at its ends, from a point of the chassis to a point of the axle [m]."""

    UNITS: ClassVar[dict[str, str]] = {"chassis": "m", "axle": "m"}

    chassis: Point
    axle: Point

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_apart("chassis", "axle")


class RigidAxle(AxleKind, frozen=True, kw_only=True, tag="rigid-axle"):
    """A beam that can rise and roll: four rods, none of them mirrored, hold the rest. By default
    two lower links, an upper one in the middle, and a Panhard rod. `mass` and `inertia` are those
    of the beam about its middle, between the wheels."""

    UNITS: ClassVar[dict[str, str]] = {**AxleKind.UNITS, "mass": "kg", "inertia": "kg m²"}

    links: tuple[AxleLink, ...] = (
        AxleLink(chassis=(0.55, 0.42, 0.24), axle=(0.0, 0.42, 0.20)),
        AxleLink(chassis=(0.55, -0.42, 0.24), axle=(0.0, -0.42, 0.20)),
        AxleLink(chassis=(0.42, 0.0, 0.40), axle=(0.0, 0.0, 0.40)),
        AxleLink(chassis=(-0.10, 0.50, 0.29), axle=(-0.10, -0.50, 0.27)),
    )
    strut_top: Point = (0.05, 0.45, 0.62)
    strut_foot: Point = (0.03, 0.50, 0.24)
    mass: Positive = 45.0
    inertia: Moments = (8.0, 0.6, 8.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_moments("inertia", self.inertia)
        if len(self.links) != 4:
            raise self.wrong(
                "links",
                f"it has {len(self.links)} links; four leave it to rise and to roll. Fewer let it "
                "go astray, more would lock it without bushings.",
            )

    def unsprung(self) -> float:
        return super().unsprung() + self.mass

    def build(self, site: Site) -> tuple[Corner, Corner]:
        alignment, pivots, model = self.alignment(site), self.pivots(site), site.model
        origin: Triple = (self.wheel_centre[0], 0.0, self.wheel_centre[2])
        beam = model.body(f"{site.name} beam", self.mass, inertia=self.inertia)
        model.joint(f"{site.name} beam", Free(), site.place(origin), beam)
        for number, link in enumerate(self.links, 1):
            x, y, z = (end - own for end, own in zip(link.axle, origin, strict=True))
            ends = site.place(link.chassis), beam.at(x, y, z)
            length = distance(link.chassis, link.axle)
            pivots.link(model, f"{site.name} link {number}", ends, length)
        left, right = (
            side.corner(
                self, beam, origin, alignment,
                (side.on_chassis(self.strut_top), side.on(beam, origin, self.strut_foot)),
            )
            for side in site.sides()
        )  # fmt: skip
        self.struts(site, (left, right), distance(self.strut_top, self.strut_foot))
        return left, right
