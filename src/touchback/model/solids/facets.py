"""What of a closed surface of triangles is below a plane, exactly, by what presses on each.

With the depth D (linear), D⁺ = max(D, 0), and the outward normal ν, the divergence theorem gives
V up = −∫ D⁺ ν dA, ∫ r dV × up = −∫ D⁺ r × ν dA and ∫ D⁺ dV = −½ ∫ D⁺² (ν · up) dA, all over
triangles that the plane cuts at most once: one corner is wet, or one is dry, or all are alike. So
nothing is divided by what may vanish when a face lies in the surface.
"""

from collections.abc import Sequence

from touchback.spatial.vectors import Scalar, Vector, Vectors
from touchback.symbolic.scalars import Scalars

Triangle = tuple[int, int, int]  # corners, counter-clockwise as seen from outside


class Pressed:
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
        whole = _integrals(k, corners, depths)
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


def _integrals(
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
    return _integrals(k, ends, [depths[0], 0, 0], share)


def _and(k: Scalars, a: Scalar, b: Scalar) -> Scalar:
    return k.select(a, b, 0)


def _or(k: Scalars, a: Scalar, b: Scalar) -> Scalar:
    return k.select(a, 1, b)


def _differs(k: Scalars, a: Scalar, b: Scalar) -> Scalar:
    return k.select(a, k.select(b, 0, 1), b)
