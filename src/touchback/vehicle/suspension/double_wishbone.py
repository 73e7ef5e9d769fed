"""Double wishbones: two arms, a knuckle between their balls, a tie rod."""

from touchback.model.joints import Spherical
from touchback.vehicle.part import Point, Positive
from touchback.vehicle.suspension.axle import Corner, Site, distance
from touchback.vehicle.suspension.knuckle import KnuckleAxle, arm


class DoubleWishbone(KnuckleAxle, frozen=True, kw_only=True, tag="double-wishbone"):
    """Upper and lower arms; the strut stands on the lower one. Live: caster and kingpin (the upper
    ball's place, which leaves toe and camber at design), camber, toe, how far the pivots are raised
    (which moves the roll centre), tables of the strut, and the anti-roll bar."""

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
