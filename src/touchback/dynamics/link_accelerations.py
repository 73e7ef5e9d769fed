"""Accelerations of links, root to leaves: ω, ω̇, B = ω̃̇ + ω̃ω̃ and the origin's acceleration, in
link axes.

With ω' and B' the parent's values turned into the link, u = Σ s_lin v and σ = Σ s_ang v:
ω = ω' + σ,  ω̇ = ω̇' + ω' × σ + Σ s_ang a,
a_O = Rᵀ(a_P + B_P p) + B' d + (ω' + ω) × u + Σ s_lin a.
Gravity enters as an acceleration −g of the ground.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from touchback.dynamics.kinematic_tree import Link, Tree
from touchback.numbers import Matrix, Scalar, Vector
from touchback.spatial import Vectors
from touchback.symbolic import Scalars


@dataclass
class Base:
    """Motion of the ground frame: ω, ω̇ and the acceleration of its origin less gravity, in its own
    axes."""

    omega: Vector = (0, 0, 0)
    alpha: Vector = (0, 0, 0)
    acceleration: Vector = (0, 0, 0)


@dataclass
class LinkMotion:
    """Motion of one link, in its own axes."""

    omega: Vector
    alpha: Vector
    B: Matrix
    acceleration: Vector


def b_matrix(k: Scalars, w: Vector, al: Vector) -> list[list[Scalar]]:
    """B = ω̃̇ + ω̃ω̃: the acceleration of a point at r from the origin is a + B r."""
    add, mul = k.add, k.mul
    xx, yy, zz = mul(w[0], w[0]), mul(w[1], w[1]), mul(w[2], w[2])
    xy, xz, yz = mul(w[0], w[1]), mul(w[0], w[2]), mul(w[1], w[2])
    return [
        [-add(yy, zz), add(xy, -al[2]), add(xz, al[1])],
        [add(xy, al[2]), -add(xx, zz), add(yz, -al[0])],
        [add(xz, -al[1]), add(yz, al[0]), -add(xx, yy)],
    ]


def ground_motion(k: Scalars, base: Base) -> LinkMotion:
    """The motion of the ground, which carries the links."""
    return LinkMotion(
        base.omega, base.alpha, b_matrix(k, base.omega, base.alpha), base.acceleration
    )


def link_motions(
    tree: Tree, k: Scalars, v: Sequence[Scalar], a: Sequence[Scalar] | None, base: Base
) -> Iterator[LinkMotion]:
    """Motion of every link; without `a` the joint accelerations are zero (bias).

    One by one, so that what needs a motion can be written right after it: values then live
    shorter, and more of them stay in registers."""
    return tree.outward(
        ground_motion(k, base), lambda link, parent: _link_motion(link, k, v, a, parent)
    )


def _link_motion(
    link: Link, k: Scalars, v: Sequence[Scalar], a: Sequence[Scalar] | None, parent: LinkMotion
) -> LinkMotion:
    vectors, add = Vectors(k), k.add
    down = link.rotation.down
    carried = down(k, vectors.add(parent.acceleration, vectors.apply(parent.B, link.p)))
    omega_parent, alpha_parent = down(k, parent.omega), down(k, parent.alpha)
    spin, slide = combined(link, k, v)
    omega = vectors.add(omega_parent, spin)
    alpha = vectors.add(alpha_parent, vectors.cross(omega_parent, spin))
    acceleration: Vector = carried
    if link.motion.nq and any(_structural(x) for _, linear in link.columns for x in linear):
        acceleration = vectors.add(
            acceleration, vectors.apply(b_matrix(k, omega_parent, alpha_parent), link.d)
        )
        both = [add(x, y) for x, y in zip(omega_parent, omega, strict=True)]
        acceleration = vectors.add(acceleration, vectors.cross(both, slide))
    if a is not None:
        spin_rate, slide_rate = combined(link, k, a)
        alpha = vectors.add(alpha, spin_rate)
        acceleration = vectors.add(acceleration, slide_rate)
    return LinkMotion(omega, alpha, b_matrix(k, omega, alpha), acceleration)


def combined(link: Link, k: Scalars, v: Sequence[Scalar]) -> tuple[Vector, Vector]:
    """Σ s v over the columns of a link: angular and linear."""
    vectors = Vectors(k)
    angular: Vector = [0, 0, 0]
    linear: Vector = [0, 0, 0]
    for offset, (s_ang, s_lin) in enumerate(link.columns):
        speed = v[link.v_index + offset]
        angular = vectors.add(angular, vectors.scale(speed, s_ang))
        linear = vectors.add(linear, vectors.scale(speed, s_lin))
    return angular, linear


def _structural(scalar: Scalar) -> bool:
    return not (isinstance(scalar, int) and scalar == 0)
