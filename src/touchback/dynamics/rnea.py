"""Inverse dynamics by the recursive Newton–Euler algorithm (Luh, Walker, Paul 1980), on B and the
pseudo-inertia.

Force and moment about a link's origin that its own motion needs:
F = m a + B h,  N = h × a + axial(B E), axial(A) = (A_32 − A_23, A_13 − A_31, A_21 − A_12).
"""

from collections.abc import Iterable, Mapping, Sequence

from touchback.dynamics.kinematic_tree import Link, Tree
from touchback.dynamics.link_accelerations import Base, LinkMotion, link_motions
from touchback.numbers import Scalar
from touchback.spatial import Inertia, Vectors, Wrench
from touchback.symbolic import Scalars


def inertial_wrench(inertia: Inertia, k: Scalars, motion: LinkMotion) -> Wrench:
    """(F, N) that the motion of an inertia needs."""
    vectors, add, mul = Vectors(k), k.add, k.mul
    B, a = motion.B, motion.acceleration
    m, h, E = inertia.m, inertia.h, inertia.E
    F = vectors.add(vectors.scale(m, a), vectors.apply(B, h))
    N = vectors.cross(h, a)
    for x in range(3):
        y, z = (x + 1) % 3, (x + 2) % 3
        moment = mul(add(B[z][z], -B[y][y]), E[y][z])
        moment = add(moment, add(mul(B[z][y], E[y][y]), -mul(B[y][z], E[z][z])))
        moment = add(moment, add(mul(B[z][x], E[x][y]), -mul(B[y][x], E[x][z])))
        N[x] = add(N[x], moment)
    return F, N


def required_wrench(link: Link, k: Scalars, motion: LinkMotion) -> Wrench:
    """(F, N) that the motion of a link's own inertia needs, and that of fluid it carries along, of
    which `dynamics.added` has the rest."""
    F, N = inertial_wrench(link.inertia, k, motion)
    if link.added is None:
        return F, N
    vectors = Vectors(k)
    F_added, N_added = link.added.wrench(k, motion.alpha, motion.acceleration)
    return vectors.add(F, F_added), vectors.add(N, N_added)


def required_link_wrenches(
    tree: Tree, k: Scalars, motions: Iterable[LinkMotion], external: Mapping[int, Wrench]
) -> list[Wrench]:
    """What the motion of each link needs beyond the external wrench on it."""
    vectors = Vectors(k)
    wrenches: list[Wrench] = []
    for i, (link, motion) in enumerate(zip(tree.links, motions, strict=True)):
        F, N = required_wrench(link, k, motion)
        if i in external:
            F, N = vectors.sub(F, external[i][0]), vectors.sub(N, external[i][1])
        wrenches.append((F, N))
    return wrenches


def link_wrenches(
    tree: Tree, k: Scalars, motions: Iterable[LinkMotion], external: Mapping[int, Wrench]
) -> list[Wrench]:
    """What each link's carrier must transmit, leaves to root: own need plus the children's."""
    return sum_subtree_wrenches(tree, k, required_link_wrenches(tree, k, motions, external))


def sum_subtree_wrenches(tree: Tree, k: Scalars, own: Iterable[Wrench]) -> list[Wrench]:
    """The wrenches on each link and on all that it carries."""
    vectors = Vectors(k)

    def gather(link: Link, above: Wrench, carried: Wrench) -> Wrench:
        F_up, N_up = shift_to_parent(link, k, carried)
        return vectors.add(above[0], F_up), vectors.add(above[1], N_up)

    return tree.inward(own, gather)


def shift_to_parent(link: Link, k: Scalars, wrench: Wrench) -> Wrench:
    """A wrench about a link's origin as one about its parent's origin, in the parent's axes."""
    vectors = Vectors(k)
    F, N = wrench
    N = vectors.add(N, vectors.cross(link.d, F))
    F_up, N_up = link.rotation.up(k, F), link.rotation.up(k, N)
    return F_up, vectors.add(N_up, vectors.cross(link.p, F_up))


def efforts(tree: Tree, k: Scalars, wrenches: Sequence[Wrench]) -> list[Scalar]:
    """Joint efforts τ = s_ang · N + s_lin · F."""
    vectors = Vectors(k)
    tau: list[Scalar] = [0] * tree.nv
    for link, (F, N) in zip(tree.links, wrenches, strict=True):
        for offset, (angular, linear) in enumerate(link.columns):
            tau[link.v_index + offset] = k.add(vectors.dot(angular, N), vectors.dot(linear, F))
    return tau


def inverse_dynamics(
    tree: Tree,
    k: Scalars,
    v: Sequence[Scalar],
    a: Sequence[Scalar] | None,
    base: Base,
    external: Mapping[int, Wrench],
) -> list[Scalar]:
    """τ = M a + c(q, v, external); without `a` the bias c."""
    motions = link_motions(tree, k, v, a, base)
    return efforts(tree, k, link_wrenches(tree, k, motions, external))
