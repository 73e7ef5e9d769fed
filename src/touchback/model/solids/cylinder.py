"""A cylinder: columns along its axis, whose wet lengths change along one line of the disc."""

from typing import ClassVar

from touchback.model.frame import Frame
from touchback.model.mechanics import ValueOf
from touchback.model.shapes import CylinderShape, Shapes
from touchback.model.solids.base import SolidKind, Wet, check_lengths
from touchback.model.value import Value
from touchback.spatial.vectors import Scalar, Vector
from touchback.symbolic.scalars import Scalars

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

    def volume(self, k: Scalars, value: ValueOf) -> Scalar:
        radius = value(self.radius)
        return k.mul(k.const(_PI), k.mul(k.mul(radius, radius), value(self.length)))

    def wet(self, k: Scalars, value: ValueOf, up: Vector, depth: Scalar) -> Wet:
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
        return Wet(mul(unit, columns.volume()), moment, mul(unit, columns.energy()))


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
