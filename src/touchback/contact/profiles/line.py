"""A straight face."""

from typing import ClassVar

from touchback.contact.profiles.base import (
    InPlane,
    Nearest,
    Profile,
    in_plane,
    with_walls,
)
from touchback.model.frame import Frame
from touchback.model.mechanics import Mechanics
from touchback.model.shapes import FaceShape, PatchShape, Shapes
from touchback.model.value import Value, check_positive
from touchback.spatial.vectors import Scalar, Vector


class Line(Profile, frozen=True, tag="line"):
    """A straight face from the frame's origin along +x, `length` [m] long, with material below it
    (−z), `thickness` [m] deep, and walls down from its ends. Without a length it goes on at both
    ends, and costs less; without a thickness its material has no bottom."""

    UNITS: ClassVar[dict[str, str]] = {"length": "m", "thickness": "m"}
    frame: Frame
    length: Value | None = None
    thickness: Value | None = None

    def __post_init__(self) -> None:
        if self.length is not None:
            check_positive("Line", length=self.length)
        if self.thickness is not None:
            check_positive("Line", thickness=self.thickness)

    def plane(self) -> Frame:
        return self.frame

    def shapes(self) -> Shapes:
        shape = PatchShape() if self.length is None else FaceShape(self.length)
        return [(self.frame, shape)]

    def nearest(self, mechanics: Mechanics, point: Vector) -> Nearest:
        k, vectors = mechanics.k, mechanics.vectors
        half: Scalar = 0
        if self.length is not None:
            half = k.mul(k.const(0.5), mechanics.value(self.length))
        at = in_plane(mechanics, self.frame, point, ahead=half)  # counted from its middle
        face, up = self._face(mechanics, at)
        if self.length is None:
            return Nearest(face, up)
        beyond = k.sub(k.abs(at.x), half)  # past the nearer end; negative between them
        above = k.maximum(face, 0)
        past_end = k.less(0, beyond)
        corner = k.sqrt(k.add(k.mul(beyond, beyond), k.mul(above, above)))
        wall = k.select(past_end, corner, beyond)
        inverse = k.div(1, k.select(past_end, corner, 1))
        outward = k.select(past_end, k.mul(beyond, inverse), 1)
        outward = k.select(k.less(at.x, 0), -outward, outward)
        over_wall = vectors.add(
            vectors.scale(outward, at.e_x), vectors.scale(k.mul(above, inverse), up)
        )
        return with_walls(mechanics, face, wall, up, over_wall)

    def _face(self, mechanics: Mechanics, at: InPlane) -> tuple[Scalar, Vector]:
        """Distance over the nearer of the face and, with a thickness, the bottom; its normal."""
        k = mechanics.k
        if self.thickness is None:
            return at.z, at.e_z
        half = k.mul(k.const(0.5), mechanics.value(self.thickness))
        over_middle = k.add(at.z, half)
        below = k.less(over_middle, 0)
        return k.sub(k.abs(over_middle), half), [k.select(below, -x, x) for x in at.e_z]
