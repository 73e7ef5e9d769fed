"""Rigid axles: a beam with both wheels, guided by rods."""

from touchback.model.joints import Free
from touchback.model.value import Triple
from touchback.vehicle.part import Moments, Part, Point, Positive
from touchback.vehicle.suspension.axle import AxleKind, Corner, Site, distance


class AxleLink(Part, frozen=True, kw_only=True):
    """A rod with balls at its ends, from a point of the chassis to a point of the axle [m]."""

    chassis: Point
    axle: Point

    def __post_init__(self) -> None:
        super().__post_init__()
        self.check_apart("chassis", "axle")


class RigidAxle(AxleKind, frozen=True, kw_only=True, tag="rigid-axle"):
    """A beam that can rise and roll: four rods, none of them mirrored, hold the rest. By default
    two lower links, an upper one in the middle, and a Panhard rod. `mass` and `inertia` are those
    of the beam about its middle, between the wheels."""

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
