"""A straight face."""

from touchback.model.forces.contact_laws.base import check_positive
from touchback.model.forces.profiles.base import Nearest, Profile, in_plane, with_walls
from touchback.model.frame import Frame
from touchback.model.mechanics import Mechanics
from touchback.model.value import Value
from touchback.spatial.vectors import Vector


class Line(Profile, frozen=True, tag="line"):
    """A straight face from the frame's origin along +x, `length` [m] long, with material below it
    (−z) and walls down from its ends. Without a length it goes on at both ends, and costs less."""

    frame: Frame
    length: Value | None = None

    def __post_init__(self) -> None:
        if self.length is not None:
            check_positive("Line", length=self.length)

    def plane(self) -> Frame:
        return self.frame

    def nearest(self, mechanics: Mechanics, point: Vector) -> Nearest:
        k, vectors = mechanics.k, mechanics.vectors
        if self.length is None:
            at = in_plane(mechanics, self.frame, point)
            return Nearest(at.z, at.e_z)
        half = k.mul(k.const(0.5), mechanics.value(self.length))
        at = in_plane(mechanics, self.frame, point, ahead=half)  # counted from its middle
        beyond = k.sub(k.abs(at.x), half)  # past the nearer end; negative between them
        above = k.maximum(at.z, 0)
        past_end = k.less(0, beyond)
        corner = k.sqrt(k.add(k.mul(beyond, beyond), k.mul(above, above)))
        wall = k.select(past_end, corner, beyond)
        inverse = k.div(1, k.select(past_end, corner, 1))
        outward = k.select(past_end, k.mul(beyond, inverse), 1)
        outward = k.select(k.less(at.x, 0), -outward, outward)
        over_wall = vectors.add(
            vectors.scale(outward, at.e_x), vectors.scale(k.mul(above, inverse), at.e_z)
        )
        return with_walls(mechanics, at.z, wall, at.e_z, over_wall)
