"""Solids: ellipsoids, spheres, boxes, cylinders, capsules, an eye.

A new kind is a class here and one more name in AnySolid, or in AnySeen where it is only looked at.
"""

from collections.abc import Sequence
from itertools import product
from math import pi
from typing import ClassVar

import numpy as np

from touchback.model.frame import Frame
from touchback.model.mechanics_protocol import ValueOf
from touchback.model.solids.base import (
    MassProperties,
    SolidKind,
    SubmergedPart,
    VisualKind,
    check_lengths,
)
from touchback.model.value_or_expression import Triple, Value, is_number, triple
from touchback.model.visual_shapes import BoxShape, CapsuleShape, CylinderShape, Shapes, SphereShape
from touchback.numbers import Scalar, Vector
from touchback.spatial import Vectors
from touchback.symbolic import Scalars

_SPHERE = 4.18879020478639098  # 4π/3


Moments = tuple[float, float, float]


def _principal(volume: float, *moments: float) -> MassProperties:
    return MassProperties(volume, np.zeros(3), np.diag(moments))


class _Round(SolidKind, frozen=True):
    """What has three half axes."""

    def half_axes(self) -> Triple:
        """Along x, y, z [m]."""
        raise NotImplementedError(type(self).__name__)

    def shapes(self, frame: Frame) -> Shapes:
        return [(frame, SphereShape(self.half_axes()))]

    def mass_properties(self) -> MassProperties | None:
        halves = self.half_axes()
        if not all(is_number(x) for x in halves):
            return None
        aa, bb, cc = (float(x) ** 2 for x in halves if is_number(x))
        V = _SPHERE * (aa * bb * cc) ** 0.5
        return _principal(V, V * (bb + cc) / 5.0, V * (aa + cc) / 5.0, V * (aa + bb) / 5.0)

    def volume(self, k: Scalars, value: ValueOf) -> Scalar:
        a, b, c = map(value, self.half_axes())
        return k.mul(k.const(_SPHERE), k.mul(a, k.mul(b, c)))

    def wet(self, k: Scalars, value: ValueOf, up: Vector, depth: Scalar) -> SubmergedPart:
        """In the space where it is the unit ball the surface is d = depth/h above its centre, with
        h = |A up|, A = diag(half axes): of V are wet (2 + 3d − d³)/4, with the first moment
        −3/16 (1 − d²)² along A² up/h, and ∫ depth is h (3/16 + d/2 + 3d²/8 − d⁴/16)."""
        add, mul, const = k.add, k.mul, k.const
        squares = [mul(x, x) for x in map(value, self.half_axes())]
        along = [mul(square, x) for square, x in zip(squares, up, strict=True)]  # A² up
        total: Scalar = 0
        for x, y in zip(along, up, strict=True):
            total = add(total, mul(x, y))
        h = k.sqrt(total)
        d = k.maximum(k.minimum(k.div(depth, h), 1), -1)
        d2, V = mul(d, d), self.volume(k, value)
        share = mul(const(0.25), add(const(2.0), mul(d, k.sub(const(3.0), d2))))
        rest = k.sub(1, d2)
        first = k.div(mul(mul(V, const(-0.1875)), mul(rest, rest)), h)
        even = k.sub(mul(const(0.375), d2), mul(const(0.0625), mul(d2, d2)))
        mean = mul(h, add(const(0.1875), add(mul(const(0.5), d), even)))
        below = k.maximum(k.sub(depth, h), 0)  # a ball that is wholly wet goes on sinking
        return SubmergedPart(
            mul(V, share), [mul(first, x) for x in along], mul(V, add(mean, below))
        )

    def added(self) -> tuple[Moments, Moments] | None:
        """Lamb, Hydrodynamics §114, 115: with α = abc ∫ dλ/((a² + λ) Δ) = ⅔ abc R_D(b², c², a²),
        the mass along x is α/(2 − α), the inertia about it
        (b² − c²)² (γ − β)/(5 (2 (b² − c²) + (b² + c²)(β − γ)))."""
        halves = self.half_axes()
        if not all(is_number(x) for x in halves):
            return None
        from scipy.special import elliprd

        s = [float(x) ** 2 for x in halves if is_number(x)]
        scale = 2.0 / 3.0 * (s[0] * s[1] * s[2]) ** 0.5
        mean = [scale * float(elliprd(s[i - 2], s[i - 1], s[i])) for i in range(3)]
        turning = []
        for i in range(3):
            b, c, beta, gamma = s[i - 2], s[i - 1], mean[i - 2], mean[i - 1]
            if abs(b - c) <= 1e-12 * (b + c):  # round about this axis: nothing is carried along
                turning.append(0.0)
                continue
            below = 5.0 * (2.0 * (b - c) + (b + c) * (beta - gamma))
            turning.append((b - c) ** 2 * (gamma - beta) / below)
        x, y, z = (each / (2.0 - each) for each in mean)
        return (x, y, z), (turning[0], turning[1], turning[2])


class Ellipsoid(_Round, frozen=True, tag="ellipsoid"):
    """An ellipsoid with these half axes along x, y, z [m]."""

    UNITS: ClassVar[dict[str, str]] = {"halves": "m"}
    halves: Triple

    def __post_init__(self) -> None:
        check_lengths("Ellipsoid", *triple("Ellipsoid: halves", self.halves))

    def half_axes(self) -> Triple:
        return self.halves


class Sphere(_Round, frozen=True, tag="sphere"):
    """A sphere about the origin [m]."""

    UNITS: ClassVar[dict[str, str]] = {"radius": "m"}
    radius: Value

    def __post_init__(self) -> None:
        check_lengths("Sphere", self.radius)

    def half_axes(self) -> Triple:
        return self.radius, self.radius, self.radius


# What of a closed surface of triangles is below a plane, exactly, by what presses on each.
#
# With the depth D (linear), D⁺ = max(D, 0), and the outward normal ν, the divergence theorem gives
# V up = −∫ D⁺ ν dA, ∫ r dV × up = −∫ D⁺ r × ν dA and ∫ D⁺ dV = −½ ∫ D⁺² (ν · up) dA, all over
# triangles that the plane cuts at most once: one corner is wet, or one is dry, or all are alike.
# So nothing is divided by what may vanish when a face lies in the surface.

Triangle = tuple[int, int, int]  # corners, counter-clockwise as seen from outside


class PressureIntegral:
    """Sums over the triangles of a hull, of depths in its own axes."""

    def __init__(self, k: Scalars) -> None:
        self.k, self.vectors = k, Vectors(k)
        self.force: Vector = [0, 0, 0]  # −∫ D⁺ ν dA
        self.torque: Vector = [0, 0, 0]  # −∫ D⁺ r × ν dA
        self.squares: Scalar = 0  # −½ ∫ D⁺² (ν · up) dA

    def add(self, corners: Sequence[Vector], depths: Sequence[Scalar], up: Vector) -> None:
        """One triangle more."""
        k, vectors = self.k, self.vectors
        sides = vectors.sub(corners[1], corners[0]), vectors.sub(corners[2], corners[0])
        doubled = vectors.cross(*sides)  # 2 A ν
        wet = [k.less(0, depth) for depth in depths]
        most = k.select(wet[0], _or(k, wet[1], wet[2]), _and(k, wet[1], wet[2]))
        whole = _facet_integrals(k, corners, depths)
        sums = [k.select(most, x, 0) for x in whole]
        for i in range(3):
            j, m = (i + 1) % 3, (i + 2) % 3
            alone = _and(k, _differs(k, wet[i], wet[j]), _differs(k, wet[i], wet[m]))
            cut = _corner(k, [corners[n] for n in (i, j, m)], [depths[n] for n in (i, j, m)])
            side = k.select(wet[i], 1, -1)
            sums = [
                k.add(total, k.select(alone, k.mul(side, x), 0))
                for total, x in zip(sums, cut, strict=True)
            ]
        zeroth, first, second = sums[0], sums[1:4], sums[4]
        self.force = vectors.sub(self.force, vectors.scale(zeroth, doubled))
        self.torque = vectors.sub(self.torque, vectors.cross(first, doubled))
        half = k.mul(k.const(-0.5), vectors.dot(doubled, up))
        self.squares = k.add(self.squares, k.mul(half, second))


def _facet_integrals(
    k: Scalars, corners: Sequence[Vector], depths: Sequence[Scalar], share: Scalar = 1
) -> list[Scalar]:
    """∫ D, ∫ D r (3) and ∫ D² over a triangle, per twice the area of a `share` of which it is."""
    add, mul = k.add, k.mul
    d0, d1, d2 = depths
    total = add(d0, add(d1, d2))
    twelfth = mul(k.const(1.0 / 24.0), share)
    found = [mul(mul(k.const(1.0 / 6.0), share), total)]
    for x in range(3):
        r = [corner[x] for corner in corners]
        own = add(mul(d0, r[0]), add(mul(d1, r[1]), mul(d2, r[2])))
        found.append(mul(twelfth, add(mul(total, add(r[0], add(r[1], r[2]))), own)))
    squares = add(mul(d0, d0), add(mul(d1, d1), mul(d2, d2)))
    found.append(mul(twelfth, add(squares, mul(total, total))))
    return found


def _corner(k: Scalars, corners: Sequence[Vector], depths: Sequence[Scalar]) -> list[Scalar]:
    """The same over the corner that the surface cuts off; garbage where it doesn't."""
    vectors = Vectors(k)
    ends, share = [corners[0]], k.const(1.0)
    for r, depth in zip(corners[1:], depths[1:], strict=True):
        between = k.sub(depths[0], depth)
        safe = k.select(k.equal(between, 0), 1, between)
        part = k.div(depths[0], safe)
        share = k.mul(share, part)
        ends.append(vectors.add(corners[0], vectors.scale(part, vectors.sub(r, corners[0]))))
    return _facet_integrals(k, ends, [depths[0], 0, 0], share)


def _and(k: Scalars, a: Scalar, b: Scalar) -> Scalar:
    return k.select(a, b, 0)


def _or(k: Scalars, a: Scalar, b: Scalar) -> Scalar:
    return k.select(a, 1, b)


def _differs(k: Scalars, a: Scalar, b: Scalar) -> Scalar:
    return k.select(a, k.select(b, 0, 1), b)


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

    def mass_properties(self) -> MassProperties | None:
        if not all(is_number(x) for x in self.size):
            return None
        a, b, c = (float(x) for x in self.size if is_number(x))
        V = a * b * c
        x, y, z = (V * each / 12.0 for each in (b * b + c * c, a * a + c * c, a * a + b * b))
        return _principal(V, x, y, z)

    def volume(self, k: Scalars, value: ValueOf) -> Scalar:
        x, y, z = map(value, self.size)
        return k.mul(x, k.mul(y, z))

    def wet(self, k: Scalars, value: ValueOf, up: Vector, depth: Scalar) -> SubmergedPart:
        """The pressure on its triangles: V = force · up, and the moment by what turns, r × up."""
        halves = [k.mul(k.const(0.5), value(length)) for length in self.size]
        corners = [
            [k.mul(sign, half) for sign, half in zip(signs, halves, strict=True)]
            for signs in CORNERS
        ]
        pressed = PressureIntegral(k)
        dot = pressed.vectors.dot
        depths = [k.sub(depth, dot(up, corner)) for corner in corners]
        for face in FACES:
            pressed.add([corners[i] for i in face], [depths[i] for i in face], up)
        # ∫ r dV = up × (∫ r dV × up) + up ∫ r · up dV, and r · up is what the depth lacks
        volume, deep = dot(pressed.force, up), pressed.squares
        across = pressed.vectors.cross(up, pressed.torque)
        along = pressed.vectors.scale(k.sub(k.mul(depth, volume), deep), up)
        return SubmergedPart(volume, pressed.vectors.add(across, along), deep)


_PI = 3.14159265358979324


_LYING = 1e-3  # b/a below which an end is short against the slope of the surface


_LEAST = 1e-12  # a slope that counts as none


class Cylinder(SolidKind, frozen=True, tag="cylinder"):
    """A cylinder about the z axis, the origin halfway up: radius and length [m]."""

    UNITS: ClassVar[dict[str, str]] = {"radius": "m", "length": "m"}
    radius: Value
    length: Value

    def __post_init__(self) -> None:
        check_lengths("Cylinder", self.radius, self.length)

    def shapes(self, frame: Frame) -> Shapes:
        return [(frame, CylinderShape(self.radius, 0.5 * self.length))]

    def mass_properties(self) -> MassProperties | None:
        if not (is_number(self.radius) and is_number(self.length)):
            return None
        rr, length = float(self.radius) ** 2, float(self.length)
        V = pi * rr * length
        across = V * (rr / 4.0 + length * length / 12.0)
        return _principal(V, across, across, V * rr / 2.0)

    def volume(self, k: Scalars, value: ValueOf) -> Scalar:
        radius = value(self.radius)
        return k.mul(k.const(_PI), k.mul(k.mul(radius, radius), value(self.length)))

    def wet(self, k: Scalars, value: ValueOf, up: Vector, depth: Scalar) -> SubmergedPart:
        """By integrals over the unit disc, along whose line of slope x goes upward."""
        mul, const = k.mul, k.const
        r, half = value(self.radius), mul(const(0.5), value(self.length))
        across = k.sqrt(k.add(mul(up[0], up[0]), mul(up[1], up[1])))
        least = mul(const(_LEAST), k.add(r, half))
        a = k.maximum(mul(r, across), least)
        columns = _Columns(k, a, mul(half, k.abs(up[2])), depth)
        unit = mul(const(2.0), mul(mul(r, r), half))  # a column of the disc is 2 √(1 − x²) wide
        safe = k.select(k.less(const(_LEAST), across), across, 1)
        side = k.div(mul(mul(unit, r), columns.along()), safe)
        upright = mul(mul(mul(unit, half), k.sign(up[2])), columns.upright())
        moment = [mul(side, up[0]), mul(side, up[1]), upright]
        return SubmergedPart(mul(unit, columns.volume()), moment, mul(unit, columns.energy()))


class _Columns:
    """Columns −1 ≤ z ≤ 1 over the unit disc, of depth D = δ − a x − b z; integrals of what is wet.

    The column at x is wet up to t = (δ − a x)/b: wholly where x is below x₁ = (δ − b)/a, not at all
    beyond x₂ = (δ + b)/a. All follows from integrals of 1, x, x² times √(1 − x²) to x₁ and x₂. A
    cylinder that lies (b ≪ a), where these cancel, is wet up to x = δ/a, but for terms in b²."""

    def __init__(self, k: Scalars, a: Scalar, b: Scalar, depth: Scalar) -> None:
        self.k, self.a, self.depth, self.slope = k, a, depth, k.div(b, a)
        self.lies = k.less(self.slope, k.const(_LYING))
        self.b = k.maximum(b, k.mul(k.const(_LYING), a))
        self.high = k.add(depth, self.b)
        x1, x2, self.x0 = (
            k.maximum(k.minimum(k.div(end, a), 1), -1)
            for end in (k.sub(depth, self.b), self.high, depth)
        )
        self.whole, partly, self.middle = (_integrals(k, x) for x in (x1, x2, self.x0))
        self.change = [k.sub(y, x) for x, y in zip(self.whole, partly, strict=True)]

    def _quadratic(self, start: Scalar, slope: Scalar) -> Scalar:
        """∫ (start − slope x)² √(1 − x²) between x₁ and x₂."""
        k, mul = self.k, self.k.mul
        last = k.sub(
            mul(mul(slope, slope), self.change[2]),
            mul(mul(k.const(2.0), mul(start, slope)), self.change[1]),
        )
        return k.add(mul(mul(start, start), self.change[0]), last)

    def _share(self, i: int) -> Scalar:
        """∫ 2 xⁱ of what is wet: all to x₁, (δ + b − a x)/(2b) of it to x₂."""
        k, mul = self.k, self.k.mul
        part = k.sub(mul(self.high, self.change[i]), mul(self.a, self.change[i + 1]))
        found = k.add(mul(k.const(2.0), self.whole[i]), k.div(part, self.b))
        return k.select(self.lies, mul(k.const(2.0), self.middle[i]), found)

    def volume(self) -> Scalar:
        return self._share(0)

    def along(self) -> Scalar:
        """∫ x"""
        return self._share(1)

    def upright(self) -> Scalar:
        """∫ z: ½ (t² − 1) of the columns between x₁ and x₂; −⅔ b/a √(1 − x²) of one that lies."""
        k, mul = self.k, self.k.mul
        bent = self._quadratic(k.div(self.depth, self.b), k.div(self.a, self.b))
        root = k.sqrt(k.sub(1, mul(self.x0, self.x0)))
        flat = mul(mul(k.const(-2.0 / 3.0), self.slope), root)
        return k.select(self.lies, flat, mul(k.const(0.5), k.sub(bent, self.change[0])))

    def energy(self) -> Scalar:
        """∫ D: 2 (δ − a x) of whole columns, (δ + b − a x)²/(2b) of the others."""
        k, mul = self.k, self.k.mul
        whole, lying = (
            mul(k.const(2.0), k.sub(mul(self.depth, to[0]), mul(self.a, to[1])))
            for to in (self.whole, self.middle)
        )
        partly = k.div(mul(k.const(0.5), self._quadratic(self.high, self.a)), self.b)
        return k.select(self.lies, lying, k.add(whole, partly))


def _integrals(k: Scalars, x: Scalar) -> tuple[Scalar, Scalar, Scalar]:
    """∫ √(1 − x²), ∫ x √(1 − x²), ∫ x² √(1 − x²) from −1 to x."""
    add, sub, mul, const = k.add, k.sub, k.mul, k.const
    rest = sub(1, mul(x, x))
    root, angle = k.sqrt(rest), k.asin(x)
    zeroth = mul(const(0.5), add(add(mul(x, root), angle), const(_PI / 2)))
    first = mul(const(-1.0 / 3.0), mul(rest, root))
    turn = mul(mul(x, root), sub(1, mul(const(2.0), mul(x, x))))
    second = mul(const(0.125), add(sub(angle, turn), const(_PI / 2)))
    return zeroth, first, second


class Capsule(VisualKind, frozen=True, tag="capsule"):
    """A cylinder about the z axis, the origin halfway up, with half spheres on its ends: radius,
    and length between their centres [m]. It is looked at; fluids don't know it."""

    UNITS: ClassVar[dict[str, str]] = {"radius": "m", "length": "m"}
    radius: Value
    length: Value

    def shapes(self, frame: Frame) -> Shapes:
        return [(frame, CapsuleShape(self.radius, 0.5 * self.length))]

    def mass_properties(self) -> MassProperties | None:
        """Of a cylinder and a ball in halves, whose centres of mass are 3/8 r outside of its
        ends."""
        if not (is_number(self.radius) and is_number(self.length)):
            return None
        r, length = float(self.radius), float(self.length)
        middle, ends = pi * r * r * length, _SPHERE * r**3
        across = middle * (r * r / 4.0 + length * length / 12.0)
        across += ends * (0.4 * r * r + length * length / 4.0 + 0.375 * r * length)
        along = r * r * (middle / 2.0 + 0.4 * ends)
        return _principal(middle + ends, across, across, along)


class Eye(VisualKind, frozen=True, tag="eye"):
    """Looks along x with z upwards and rides on its body: a driver's view, or that of a camera on
    board. Nothing of it is seen."""

    def shapes(self, frame: Frame) -> Shapes:
        return []
