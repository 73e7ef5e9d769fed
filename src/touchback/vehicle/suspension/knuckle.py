"""Arms, knuckles and tie rods, which the steerable axles share."""

from math import atan2, degrees

import numpy as np

from touchback.model.closures import Rod
from touchback.model.frame import BodyHandle
from touchback.model.joints import Free, Revolute, Spherical
from touchback.model.value import Triple, Value
from touchback.symbolic.functions import tan
from touchback.vehicle.part import STEEPEST, Moments, Point, Positive
from touchback.vehicle.suspension.axle import AxleKind, Side, Site, distance, middle
from touchback.vehicle.suspension.mounts import Pivots, along_x


class KnuckleAxle(AxleKind, frozen=True, kw_only=True):
    """An axle whose wheels are carried by knuckles on lower arms, with tie rods: the arms' pivots
    on the chassis, their balls, and the ends of the tie rods; masses [kg] and the moments of a
    knuckle [kg m²]."""

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
        lean = max(abs(atan2(ball[0] - end[0], rise)), abs(atan2(ball[1] - end[1], rise)))
        if not lean < STEEPEST:
            raise self.wrong(
                top,
                f"its {top}, {end}, must be above its lower_ball, {ball}, with less than 45° of "
                f"caster and kingpin inclination; it leans by {degrees(lean):.0f}°.",
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
        caster = site.angle("caster", atan2(ball[0] - top[0], rise))
        kingpin = site.angle("kingpin", atan2(ball[1] - top[1], rise))
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
    body = side.legs(what, mass, feet, end)
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
