"""What every planar profile says of itself."""

from collections.abc import Sequence
from dataclasses import dataclass

from touchback.model.frame import AXES, Frame
from touchback.model.mechanics import Mechanics
from touchback.model.shapes import Shapes
from touchback.model.value import Data
from touchback.spatial import Rotation, Turn, transpose
from touchback.spatial.vectors import Scalar, Vector

_SHORTEST = 1e-140  # [m]


@dataclass(frozen=True)
class Nearest:
    """How far a point is from the surface of a profile [m], negative inside its material, and the
    unit vector out of the material at the nearest point, along world axes."""

    distance: Scalar
    normal: Vector


class Profile(Data, frozen=True, tag_field="kind"):
    """A shape in the x-z plane of a frame, the same all along its y axis."""

    def plane(self) -> Frame:
        """The frame in whose x-z plane it lies."""
        raise NotImplementedError(type(self).__name__)

    def body(self) -> Frame:
        """The frame of its body. Points are given from there, since the profile's own place in the
        body is constant: this saves the way to it and back."""
        return Frame(self.plane().body)

    def shapes(self) -> Shapes:
        """What pictures show of it."""
        return []

    def nearest(self, mechanics: Mechanics, point: Vector) -> Nearest:
        """The nearest point of its surface to a point, given from the body's origin along world
        axes."""
        raise NotImplementedError(type(self).__name__)


@dataclass(frozen=True)
class InPlane:
    """A point as a profile sees it: coordinates along its x and z axes, which are world vectors."""

    x: Scalar
    z: Scalar
    e_x: Vector
    e_z: Vector


def in_plane(mechanics: Mechanics, frame: Frame, point: Vector, ahead: Scalar = 0) -> InPlane:
    """A point, given from the body's origin, in the x-z plane of a frame, counted from `ahead` of
    its origin along x."""
    k, vectors, value = mechanics.k, mechanics.vectors, mechanics.value
    e_x, _, e_z = transpose(mechanics.rotation(frame))
    turns = [Turn(AXES[axis], *k.sincos(value(angle))) for axis, angle in frame.turn]
    x, _, z = Rotation(turns).down(k, [value(given) for given in frame.at])  # of the origin
    return InPlane(
        k.sub(vectors.dot(e_x, point), k.add(x, ahead)),
        k.sub(vectors.dot(e_z, point), z),
        e_x,
        e_z,
    )


def turned(mechanics: Mechanics, at: InPlane, angle: Scalar) -> InPlane:
    """The same point with axes turned from x towards z."""
    k, vectors = mechanics.k, mechanics.vectors
    s, c = k.sincos(angle)
    return InPlane(
        k.add(k.mul(c, at.x), k.mul(s, at.z)),
        k.sub(k.mul(c, at.z), k.mul(s, at.x)),
        vectors.add(vectors.scale(c, at.e_x), vectors.scale(s, at.e_z)),
        vectors.sub(vectors.scale(c, at.e_z), vectors.scale(s, at.e_x)),
    )


def unit(
    mechanics: Mechanics, components: Sequence[Scalar], otherwise: Sequence[Scalar]
) -> tuple[Scalar, list[Scalar]]:
    """Length and direction of a vector; where it has no length, or one whose square underflows,
    another direction."""
    k = mechanics.k
    squares: Scalar = 0
    for x in components:
        squares = k.add(squares, k.mul(x, x))
    length = k.sqrt(squares)
    long = k.less(k.const(_SHORTEST), length)
    inverse = k.div(1, k.select(long, length, 1))
    pairs = zip(components, otherwise, strict=True)
    return length, [k.select(long, k.mul(inverse, x), y) for x, y in pairs]


def with_walls(
    mechanics: Mechanics, face: Scalar, wall: Scalar, over_face: Vector, over_wall: Vector
) -> Nearest:
    """Of a solid between walls: the farther of its face and its nearest wall counts, the wall where
    rounding can't tell, since only walls are right past their ends."""
    k = mechanics.k
    on_face = k.less(wall, face)
    normal = [k.select(on_face, a, b) for a, b in zip(over_face, over_wall, strict=True)]
    return Nearest(k.maximum(face, wall), normal)
