"""Ellipsoids and spheres: an affine map makes the one of the other, planes stay planes."""

from typing import ClassVar

from touchback.model.frame import Frame
from touchback.model.mechanics import ValueOf
from touchback.model.shapes import Shapes, SphereShape
from touchback.model.solids.base import SolidKind, Wet, check_lengths
from touchback.model.value import Triple, Value, is_number, triple
from touchback.spatial.vectors import Scalar, Vector
from touchback.symbolic.scalars import Scalars

_SPHERE = 4.18879020478639098  # 4π/3
Moments = tuple[float, float, float]


class _Round(SolidKind, frozen=True):
    """What has three half axes."""

    def half_axes(self) -> Triple:
        """Along x, y, z [m]."""
        raise NotImplementedError(type(self).__name__)

    def shapes(self, frame: Frame) -> Shapes:
        return [(frame, SphereShape(self.half_axes()))]

    def volume(self, k: Scalars, value: ValueOf) -> Scalar:
        a, b, c = map(value, self.half_axes())
        return k.mul(k.const(_SPHERE), k.mul(a, k.mul(b, c)))

    def wet(self, k: Scalars, value: ValueOf, up: Vector, depth: Scalar) -> Wet:
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
        return Wet(mul(V, share), [mul(first, x) for x in along], mul(V, add(mean, below)))

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
