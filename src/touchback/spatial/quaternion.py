"""Quaternions (w, x, y, z) over any scalars. The rotation is divided by |q|², so drift off the unit
sphere is harmless."""

from touchback.numbers import Scalar, Vector
from touchback.symbolic import Scalars


def quaternion_matrix(k: Scalars, q: Vector) -> list[list[Scalar]]:
    """R_AB of the quaternion q_AB: R = I + (2/|q|²)(w r̃ + r̃ r̃), r = (x, y, z)."""
    add, mul = k.add, k.mul
    w, x, y, z = q
    squares = [mul(c, c) for c in q]
    norm2 = add(add(squares[0], squares[1]), add(squares[2], squares[3]))
    s = k.div(k.const(2.0), norm2)
    xs, ys, zs = mul(x, s), mul(y, s), mul(z, s)
    wx, wy, wz = mul(w, xs), mul(w, ys), mul(w, zs)
    xx, xy, xz = mul(x, xs), mul(x, ys), mul(x, zs)
    yy, yz, zz = mul(y, ys), mul(y, zs), mul(z, zs)
    return [
        [add(1, -add(yy, zz)), add(xy, -wz), add(xz, wy)],
        [add(xy, wz), add(1, -add(xx, zz)), add(yz, -wx)],
        [add(xz, -wy), add(yz, wx), add(1, -add(xx, yy))],
    ]


def quaternion_rate(k: Scalars, q: Vector, omega: Vector) -> list[Scalar]:
    """q̇ = ½ q ∘ (0, ω), ω in the body frame."""
    add, mul = k.add, k.mul
    w, x, y, z = q
    half = k.const(0.5)
    a, b, c = mul(half, omega[0]), mul(half, omega[1]), mul(half, omega[2])
    return [
        -add(add(mul(x, a), mul(y, b)), mul(z, c)),
        add(add(mul(w, a), mul(y, c)), -mul(z, b)),
        add(add(mul(w, b), mul(z, a)), -mul(x, c)),
        add(add(mul(w, c), mul(x, b)), -mul(y, a)),
    ]
