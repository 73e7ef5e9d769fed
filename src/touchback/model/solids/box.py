"""A cuboid, wet as its twelve triangles are."""

from itertools import product
from typing import ClassVar

from touchback.model.frame import Frame
from touchback.model.mechanics import ValueOf
from touchback.model.shapes import BoxShape, Shapes
from touchback.model.solids.base import SolidKind, Wet, check_lengths
from touchback.model.solids.facets import Pressed, Triangle
from touchback.model.value import Triple, triple
from touchback.spatial.vectors import Scalar, Vector
from touchback.symbolic.scalars import Scalars

CORNERS = list(product((-1, 1), repeat=3))


def _faces() -> list[Triangle]:
    """Two triangles a face, counter-clockwise as seen from outside."""
    found: list[Triangle] = []
    for axis in range(3):
        for side in (-1, 1):
            u, v = (axis + 1) % 3, (axis + 2) % 3
            ring = [(-1, -1), (1, -1), (1, 1), (-1, 1)][::side]
            corners = []
            for a, b in ring:
                place = [0, 0, 0]
                place[axis], place[u], place[v] = side, a, b
                corners.append(CORNERS.index((place[0], place[1], place[2])))
            found += [(corners[0], corners[1], corners[2]), (corners[0], corners[2], corners[3])]
    return found


FACES = _faces()


class Box(SolidKind, frozen=True, tag="box"):
    """A cuboid about the origin with these lengths along x, y, z [m]."""

    UNITS: ClassVar[dict[str, str]] = {"size": "m"}
    size: Triple

    def __post_init__(self) -> None:
        check_lengths("Box", *triple("Box: size", self.size))

    def shapes(self, frame: Frame) -> Shapes:
        x, y, z = (0.5 * length for length in self.size)
        return [(frame, BoxShape((x, y, z)))]

    def volume(self, k: Scalars, value: ValueOf) -> Scalar:
        x, y, z = map(value, self.size)
        return k.mul(x, k.mul(y, z))

    def wet(self, k: Scalars, value: ValueOf, up: Vector, depth: Scalar) -> Wet:
        """The pressure on its triangles: V = force · up, and the moment by what turns, r × up."""
        halves = [k.mul(k.const(0.5), value(length)) for length in self.size]
        corners = [
            [k.mul(sign, half) for sign, half in zip(signs, halves, strict=True)]
            for signs in CORNERS
        ]
        pressed = Pressed(k)
        dot = pressed.vectors.dot
        depths = [k.sub(depth, dot(up, corner)) for corner in corners]
        for face in FACES:
            pressed.add([corners[i] for i in face], [depths[i] for i in face], up)
        # ∫ r dV = up × (∫ r dV × up) + up ∫ r · up dV, and r · up is what the depth lacks
        volume, deep = dot(pressed.force, up), pressed.squares
        across = pressed.vectors.cross(up, pressed.torque)
        along = pressed.vectors.scale(k.sub(k.mul(depth, volume), deep), up)
        return Wet(volume, pressed.vectors.add(across, along), deep)
