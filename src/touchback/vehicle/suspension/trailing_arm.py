"""Trailing and semi-trailing arms: a wheel on an arm about a slanted line."""

from touchback.vehicle.part import Point, Positive
from touchback.vehicle.suspension.axle import AxleKind, Corner, Site, distance
from touchback.vehicle.suspension.knuckle import arm


class TrailingArm(AxleKind, frozen=True, kw_only=True, tag="trailing-arm"):
    """An arm about the line through two points of the chassis, square to the car or slanted; the
    strut stands on it. Live: camber, toe, how far the pivots are raised, tables of the strut, and
    the anti-roll bar."""

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
