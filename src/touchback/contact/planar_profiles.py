"""Planar profiles: circle, line, arc, and outlines of several. A new one is a class here and one
more name in AnyProfile."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from touchback.errors import ModelError
from touchback.model import (
    AXES,
    ArcShape,
    Data,
    FaceShape,
    Frame,
    FrameField,
    Mechanics,
    PatchShape,
    Rotation,
    Shapes,
    Turn,
    Value,
    as_frame,
    check_positive,
    is_number,
    list_items,
    transpose,
    value,
)
from touchback.numbers import Scalar, Vector

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


class Circle(Profile, frozen=True, tag="circle"):
    """A circle of `radius` [m] about the frame's origin; material inside. Radius 0: a point."""

    UNITS: ClassVar[dict[str, str]] = {"radius": "m"}
    frame: FrameField
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


class Line(Profile, frozen=True, tag="line"):
    """A straight face from the frame's origin along +x, `length` [m] long, with material below it
    (−z), `thickness` [m] deep, and walls down from its ends. Without a length it goes on at both
    ends, and costs less; without a thickness its material has no bottom."""

    UNITS: ClassVar[dict[str, str]] = {"length": "m", "thickness": "m"}
    frame: FrameField
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


class Arc(Profile, frozen=True, tag="arc"):
    """An arc of `radius` [m] about the frame's origin from the angle `start` to the larger angle
    `end` [rad], counted from +x towards +z, with straight walls along the radii at its ends.

    Material is on the side of the centre: a slice of a pie. A `hollow` arc has it on the other
    side: a trough."""

    UNITS: ClassVar[dict[str, str]] = {"radius": "m", "start": "rad", "end": "rad"}
    frame: FrameField
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


class Outline(Profile, frozen=True, tag="outline"):
    """Lines, arcs and circles of one body, touched where they are nearest: their union.

    Where neighbours meet in a corner a circle rolls over it without a jump."""

    parts: tuple[Circle | Line | Arc, ...]

    def __post_init__(self) -> None:
        parts = list_items(self.parts)
        if not parts or not all(isinstance(part, Circle | Line | Arc) for part in parts):
            raise ModelError(
                "Outline: a list of tb.contact.Line, tb.contact.Arc and tb.contact.Circle is "
                f"expected, got {self.parts!r}."
            )
        bodies = {as_frame("Outline", part.frame).body for part in self.parts}
        if len(bodies) > 1:
            raise ModelError(
                f"Outline: its parts lie on several bodies ({', '.join(sorted(bodies))}); make one "
                "contact for each body."
            )

    def plane(self) -> Frame:
        return self.parts[0].frame

    def shapes(self) -> Shapes:
        return [shape for part in self.parts for shape in part.shapes()]

    def nearest(self, mechanics: Mechanics, point: Vector) -> Nearest:
        k = mechanics.k
        found, *others = (part.nearest(mechanics, point) for part in self.parts)
        for other in others:
            nearer = k.less(other.distance, found.distance)
            pairs = zip(other.normal, found.normal, strict=True)
            normal = [k.select(nearer, a, b) for a, b in pairs]
            found = Nearest(k.minimum(other.distance, found.distance), normal)
        return found


#: Every profile that a model file can hold.
AnyProfile = Circle | Line | Arc | Outline
__all__ = ["AnyProfile", "Arc", "Circle", "Line", "Nearest", "Outline", "Profile"]
