"""A part of a circle, bulging or hollow."""

import math
from typing import ClassVar

from touchback.contact.profiles.base import (
    InPlane,
    Nearest,
    Profile,
    in_plane,
    turned,
    unit,
    with_walls,
)
from touchback.errors import ModelError
from touchback.model.frame import Frame
from touchback.model.mechanics import Mechanics
from touchback.model.shapes import ArcShape, Shapes
from touchback.model.value import Value, check_positive, is_number, value
from touchback.spatial.vectors import Scalar, Vector


class Arc(Profile, frozen=True, tag="arc"):
    """An arc of `radius` [m] about the frame's origin from the angle `start` to the larger angle
    `end` [rad], counted from +x towards +z, with straight walls along the radii at its ends.

    Material is on the side of the centre: a slice of a pie. A `hollow` arc has it on the other
    side: a trough."""

    UNITS: ClassVar[dict[str, str]] = {"radius": "m", "start": "rad", "end": "rad"}
    frame: Frame
    radius: Value
    start: Value
    end: Value
    hollow: bool = False

    def __post_init__(self) -> None:
        check_positive("Arc", radius=self.radius)
        start, end = value("Arc: start", self.start), value("Arc: end", self.end)
        if is_number(start) and is_number(end) and not 0.0 < end - start < 2 * math.pi:
            raise ModelError(
                f"Arc: it goes from {start:.6g} to {end:.6g} rad; its end must be above its start, "
                "by less than a turn (a whole one is tb.contact.Circle)."
            )

    def plane(self) -> Frame:
        return self.frame

    def shapes(self) -> Shapes:
        return [(self.frame, ArcShape(self.radius, self.start, self.end))]

    def nearest(self, mechanics: Mechanics, point: Vector) -> Nearest:
        k, vectors = mechanics.k, mechanics.vectors
        radius, half = mechanics.value(self.radius), k.const(0.5)
        start, end = mechanics.value(self.start), mechanics.value(self.end)
        at = turned(
            mechanics, in_plane(mechanics, self.frame, point), k.mul(half, k.add(start, end))
        )
        distance, (n_x, n_z) = unit(mechanics, (at.x, at.z), (1, 0))
        over_face = vectors.add(vectors.scale(n_x, at.e_x), vectors.scale(n_z, at.e_z))
        face = k.sub(distance, radius)
        if self.hollow:
            face, over_face = -face, vectors.neg(over_face)
        wall, over_wall = self._wall(mechanics, at, radius, k.mul(half, k.sub(end, start)))
        return with_walls(mechanics, face, wall, over_face, over_wall)

    def _wall(
        self, mechanics: Mechanics, at: InPlane, radius: Scalar, half: Scalar
    ) -> tuple[Scalar, Vector]:
        """Distance from the nearer wall, negative between the two, and its normal. `at` counts from
        the middle of the arc, the walls stand `half` an opening to either side."""
        k, vectors = mechanics.k, mechanics.vectors
        s, c = k.sincos(half)
        aside = k.abs(at.z)  # both walls look alike from here
        foot = k.add(k.mul(at.x, c), k.mul(aside, s))  # how far out on the wall
        foot = k.maximum(foot, radius) if self.hollow else k.minimum(k.maximum(foot, 0), radius)
        from_foot = k.sub(at.x, k.mul(foot, c)), k.sub(aside, k.mul(foot, s))
        away, (n_x, n_z) = unit(mechanics, from_foot, (-s, c))
        between = k.less(k.mul(aside, c), k.mul(at.x, s))
        n_x = k.select(between, -n_x, n_x)
        n_z = k.select(k.equal(between, k.less(at.z, 0)), n_z, -n_z)
        normal = vectors.add(vectors.scale(n_x, at.e_x), vectors.scale(n_z, at.e_z))
        return k.select(between, -away, away), normal
