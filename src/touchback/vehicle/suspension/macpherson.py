"""MacPherson struts: a lower arm, a knuckle that slides along its strut, a tie rod."""

import math

from touchback.model.closures import PointOnLine
from touchback.model.frame import BodyHandle, Frame, Turns
from touchback.model.joints import Cylindrical, Universal
from touchback.model.value import Triple
from touchback.symbolic.functions import atan2, sqrt
from touchback.vehicle.part import FromZero, Point
from touchback.vehicle.suspension.axle import Corner, Side, Site, distance
from touchback.vehicle.suspension.knuckle import KnuckleAxle

_RADIUS = 0.011  # m, of the strut's rod


class MacPherson(KnuckleAxle, frozen=True, kw_only=True, tag="macpherson"):
    """A lower arm, and a strut whose tube is one with the knuckle; its top, a point of the chassis,
    stays on the tube's line through `strut_foot`. Live: caster and kingpin (the top's place, with
    the tube turned on the knuckle, which leaves toe and camber at design), and the rest as of
    double wishbones. With a `rod_mass` [kg] the strut's rod is a body: slender, half as long as the
    strut at design, on a universal joint at the top, and sliding and turning in the tube."""

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
