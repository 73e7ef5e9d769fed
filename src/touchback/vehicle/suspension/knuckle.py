"""Arms, knuckles and tie rods, which the steerable axles share."""

from math import atan2

import numpy as np

from touchback.errors import ModelError
from touchback.model.closures import Rod
from touchback.model.frame import BodyHandle
from touchback.model.joints import Revolute, Spherical
from touchback.model.value import Triple, Value, check_positive
from touchback.symbolic.functions import tan
from touchback.vehicle.suspension.axle import AxleKind, Point, Side, Site, distance, middle


class KnuckleAxle(AxleKind, frozen=True, kw_only=True):
    """An axle whose wheels are carried by knuckles on lower arms, with tie rods: the arms' pivots
    on the chassis, their balls, and the ends of the tie rods; masses [kg] and the moments of a
    knuckle [kg m²]."""

    lower_front: Point = (0.15, 0.33, 0.20)
    lower_rear: Point = (-0.15, 0.33, 0.20)
    lower_ball: Point = (0.010, 0.655, 0.185)
    tie_inner: Point = (-0.12, 0.345, 0.230)
    tie_outer: Point = (-0.12, 0.640, 0.224)
    lower_mass: float = 4.0
    knuckle_mass: float = 9.0
    knuckle_inertia: Point = (0.08, 0.06, 0.05)

    def __post_init__(self) -> None:
        super().__post_init__()
        label = type(self).__name__
        check_positive(label, lower_mass=self.lower_mass, knuckle_mass=self.knuckle_mass)
        check_pivots(label, "lower_front", self.lower_front, "lower_rear", self.lower_rear)
        if not distance(self.tie_inner, self.tie_outer) > 0.0:
            raise ModelError(f"{label}: tie_inner and tie_outer coincide; move one of them.")

    def steered(self) -> bool:
        return True

    def king_pin(self, site: Site, top: Point) -> tuple[Value, Value]:
        """Where the steering axis ends above the lower ball, x and y, by its live caster (top back)
        and inclination (top in)."""
        ball = self.lower_ball
        rise = top[2] - ball[2]
        if not rise > 0.0:
            raise ModelError(
                f"{type(self).__name__}: the top of the steering axis lies {-rise:g} m below the "
                "lower ball; it must be above it."
            )
        caster = site.angle("caster", atan2(ball[0] - top[0], rise))
        kingpin = site.angle("kingpin", atan2(ball[1] - top[1], rise))
        return ball[0] - rise * tan(caster), ball[1] - rise * tan(kingpin)

    def lower_arm(self, side: Side, raised: Value) -> tuple[BodyHandle, Triple]:
        """The lower arm and its origin, as `arm` gives them."""
        return arm(
            side, "lower arm", self.lower_front, self.lower_rear, self.lower_ball, self.lower_mass,
            raised,
        )  # fmt: skip

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
    side: Side, what: str, front: Point, rear: Point, end: Point, mass: float, raised: Value
) -> tuple[BodyHandle, Triple]:
    """An arm that turns about the line through two points of the chassis; gives its body, and the
    point of that line where its origin is, `raised` [m] above design."""
    low = middle(front, rear)
    pivot = (low[0], low[1], low[2] + raised)
    body = side.rod(what, mass, low, end)
    x, y, z = (a - b for a, b in zip(front, rear, strict=True))
    turning = Revolute((x, side.sign * y, z))
    side.site.model.joint(side.called(what), turning, side.on_chassis(pivot), body)
    return body, pivot


def check_pivots(label: str, first: str, front: Point, second: str, rear: Point) -> None:
    """Refuse pivots that give no line to turn about."""
    if not distance(front, rear) > 0.0:
        raise ModelError(
            f"{label}: {first} and {second} are both {front}; an arm turns about the line through "
            "them."
        )
