"""The mass matrix by composite rigid bodies (Walker and Orin 1982; Featherstone 2008 §6.2), in link
axes or the world's.

In link axes each column's wrench is carried from link to link: cheap for short chains. In world
axes an entry is one six-term product, S_j · F_i, whatever the distance of the links: cheap for long
ones, and a loop can do it."""

from collections.abc import Sequence

from touchback.dynamics.rnea import Wrench, carried_up
from touchback.dynamics.tree import Link, Tree
from touchback.spatial import Inertia, Vectors
from touchback.spatial.vectors import Matrix, Scalar, Vector
from touchback.symbolic.scalars import Scalars

# (row, column) for both orders of every pair on one path; what is not there is zero
Entries = dict[tuple[int, int], Scalar]


def unit_wrench(k: Scalars, inertia: Inertia, angular: Vector, linear: Vector) -> Wrench:
    """Force and moment for unit acceleration along a column: F = m s + ω̇ × h, N = J ω̇ + h × s."""
    vectors = Vectors(k)
    F = vectors.add(vectors.scale(inertia.m, linear), vectors.cross(angular, inertia.h))
    N = vectors.add(vectors.apply(inertia.tensor(k), angular), vectors.cross(inertia.h, linear))
    return F, N


def composite_inertias(tree: Tree, k: Scalars) -> list[Inertia]:
    """Inertia of everything a link carries, about and along the link's frame."""
    composite = [link.inertia for link in tree.links]
    for i in range(len(tree.links) - 1, -1, -1):
        link = tree.links[i]
        if link.parent >= 0:
            shifted = composite[i].shifted(k, link.d).turned_up(k, link.rotation).shifted(k, link.p)
            composite[link.parent] = composite[link.parent].plus(k, shifted)
    return composite


def mass_matrix(tree: Tree, k: Scalars) -> Entries:
    """Entries M[i, j] for every pair on one path, in link axes."""
    vectors = Vectors(k)
    composite = composite_inertias(tree, k)
    M: Entries = {}
    for i in range(len(tree.links) - 1, -1, -1):
        link = tree.links[i]
        for offset, (angular, linear) in enumerate(link.columns):
            row = link.v_index + offset
            wrench = unit_wrench(k, composite[i], angular, linear)
            carrier: Link | None = link
            last = offset
            while carrier is not None:
                for other in range(last + 1):
                    s_ang, s_lin = carrier.columns[other]
                    entry = k.add(vectors.dot(s_ang, wrench[1]), vectors.dot(s_lin, wrench[0]))
                    M[row, carrier.v_index + other] = M[carrier.v_index + other, row] = entry
                if carrier.parent < 0:
                    break
                wrench = carried_up(carrier, k, wrench)
                carrier = tree.links[carrier.parent]
                last = len(carrier.columns) - 1
    return M


def world_columns(tree: Tree, k: Scalars) -> tuple[list[list[Scalar]], list[list[Scalar]]]:
    """For each velocity coordinate, in world axes about the world's origin: its motion vector S =
    (angular, linear) and the wrench F = (moment, force) of unit acceleration, so that M_ij = S_i ·
    F_j along a path."""
    vectors = Vectors(k)
    poses = world_poses(tree, k)
    composite: list[Inertia] = []
    for link, (R, p) in zip(tree.links, poses, strict=True):
        composite.append(_in_world(k, link.inertia, R, p))
    for i in range(len(tree.links) - 1, -1, -1):
        parent = tree.links[i].parent
        if parent >= 0:
            composite[parent] = composite[parent].plus(k, composite[i])
    S: list[list[Scalar]] = [[0] * 6 for _ in range(tree.nv)]
    F: list[list[Scalar]] = [[0] * 6 for _ in range(tree.nv)]
    for link, (R, p), inertia in zip(tree.links, poses, composite, strict=True):
        for offset, (angular, linear) in enumerate(link.columns):
            w = vectors.apply(R, angular)
            u = vectors.add(vectors.apply(R, linear), vectors.cross(p, w))
            force, moment = unit_wrench(k, inertia, w, u)
            S[link.v_index + offset] = [*w, *u]
            F[link.v_index + offset] = [*moment, *force]
    return S, F


def mass_matrix_world(tree: Tree, k: Scalars) -> Entries:
    """The same entries by products in world axes."""
    S, F = world_columns(tree, k)
    M: Entries = {}
    parents = dof_parents(tree)
    for i in range(tree.nv):
        j = i
        while j >= 0:
            M[i, j] = M[j, i] = _six(k, S[j], F[i])
            j = parents[j]
    return M


def dof_parents(tree: Tree) -> list[int]:
    """The velocity coordinate that carries each velocity coordinate, −1 at the ground."""
    parents = [-1] * tree.nv
    last_of: list[int] = []
    for link in tree.links:
        above = last_of[link.parent] if link.parent >= 0 else -1
        for offset in range(len(link.columns)):
            parents[link.v_index + offset] = above
            above = link.v_index + offset
        last_of.append(above)
    return parents


def world_poses(tree: Tree, k: Scalars) -> list[tuple[Matrix, Vector]]:
    """R_WL and p_WL of every link."""
    vectors = Vectors(k)
    poses: list[tuple[Matrix, Vector]] = []
    for link in tree.links:
        R_parent, p_parent = (
            poses[link.parent]
            if link.parent >= 0
            else (((1, 0, 0), (0, 1, 0), (0, 0, 1)), (0, 0, 0))
        )
        R = link.rotation.times(k, R_parent)
        p = vectors.add(p_parent, vectors.apply(R_parent, link.p))
        poses.append((R, vectors.add(p, vectors.apply(R, link.d))))
    return poses


def _in_world(k: Scalars, inertia: Inertia, R: Matrix, p: Vector) -> Inertia:
    vectors = Vectors(k)
    turned = Inertia(inertia.m, vectors.apply(R, inertia.h), vectors.congruence(R, inertia.E))
    return turned.shifted(k, p)


def _six(k: Scalars, a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0
    for x, y in zip(a, b, strict=True):
        total = k.add(total, k.mul(x, y))
    return total
