"""A capsule: what a point that moves along a line reaches with a radius."""

from typing import ClassVar

from touchback.model.frame import Frame
from touchback.model.shapes import CapsuleShape, Shapes
from touchback.model.solids.base import SeenKind
from touchback.model.value import Value


class Capsule(SeenKind, frozen=True, tag="capsule"):
    """A cylinder about the z axis, the origin halfway up, with half spheres on its ends: radius,
    and length between their centres [m]. It is looked at; fluids don't know it."""

    UNITS: ClassVar[dict[str, str]] = {"radius": "m", "length": "m"}
    radius: Value
    length: Value

    def shapes(self, frame: Frame) -> Shapes:
        return [(frame, CapsuleShape(self.radius, 0.5 * self.length))]
