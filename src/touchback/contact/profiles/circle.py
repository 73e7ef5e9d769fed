"""A full circle: a roller, a pin, a knuckle."""

from typing import ClassVar

from touchback.contact.profiles.base import Nearest, Profile, unit
from touchback.model.frame import Frame
from touchback.model.mechanics import Mechanics
from touchback.model.shapes import ArcShape, Shapes
from touchback.model.value import Value, check_positive
from touchback.spatial import transpose
from touchback.spatial.vectors import Vector


class Circle(Profile, frozen=True, tag="circle"):
    """A circle of `radius` [m] about the frame's origin; material inside. Radius 0: a point."""

    UNITS: ClassVar[dict[str, str]] = {"radius": "m"}
    frame: Frame
    radius: Value

    def __post_init__(self) -> None:
        check_positive("Circle", zero=True, radius=self.radius)

    def plane(self) -> Frame:
        return self.frame

    def shapes(self) -> Shapes:
        return [(self.frame, ArcShape(self.radius))]

    def nearest(self, mechanics: Mechanics, point: Vector) -> Nearest:
        vectors = mechanics.vectors
        e_x, e_y, _ = transpose(mechanics.rotation(self.frame))
        own = vectors.sub(mechanics.position(self.frame), mechanics.position(self.body()))
        offset = vectors.sub(point, own)
        offset = vectors.sub(offset, vectors.scale(vectors.dot(e_y, offset), e_y))
        length, direction = unit(mechanics, offset, e_x)
        return Nearest(mechanics.k.sub(length, mechanics.value(self.radius)), direction)
