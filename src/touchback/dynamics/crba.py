"""The mass matrix by composite rigid bodies (Walker and Orin 1982; Featherstone 2008 §6.2), in link
axes or the root's.

In link axes each column's wrench is carried from link to link: cheap for short chains. In the axes
of the root link an entry is one six-term product, S_j · F_i, whatever the distance of the links:
cheap for long ones, and a loop can do it."""

from collections.abc import Sequence

from touchback.dynamics.kinematic_tree import Link, Tree
from touchback.dynamics.rnea import shift_to_parent
from touchback.numbers import Matrix, Scalar, Vector
from touchback.spatial import IDENTITY, ZERO, Articulated, Inertia, Vectors, Wrench, transpose
from touchback.symbolic import Scalars

# (row, column) for both orders of every pair on one path; what is not there is zero
Entries = dict[tuple[int, int], Scalar]
WorldPose = tuple[Matrix, Vector]


Fluid = Articulated | None  # that is carried along, if any


def unit_wrench(
    k: Scalars, inertia: Inertia, angular: Vector, linear: Vector, fluid: Fluid = None
) -> Wrench:
    """Force and moment for unit acceleration along a column: F = m s + ω̇ × h, N = J ω̇ + h × s,
    and what fluid needs that is carried along."""
    vectors = Vectors(k)
    F = vectors.add(vectors.scale(inertia.m, linear), vectors.cross(angular, inertia.h))
    N = vectors.add(vectors.apply(inertia.tensor(k), angular), vectors.cross(inertia.h, linear))
    if fluid is None:
        return F, N
    F_added, N_added = fluid.wrench(k, angular, linear)
    return vectors.add(F, F_added), vectors.add(N, N_added)


def composite_inertias(tree: Tree, k: Scalars) -> list[Inertia]:
    """Inertia of everything a link carries, about and along the link's frame."""

    def gather(link: Link, above: Inertia, own: Inertia) -> Inertia:
        return above.plus(k, own.shifted(k, link.d).turned_up(k, link.rotation).shifted(k, link.p))

    return tree.inward((link.inertia for link in tree.links), gather)


def carried_fluid(tree: Tree, k: Scalars) -> list[Fluid]:
    """The same of fluid that links carry along."""

    def gather(link: Link, above: Fluid, own: Fluid) -> Fluid:
        if own is None:
            return above
        moved = own.shifted(k, link.d).turned_up(k, link.rotation).shifted(k, link.p)
        return _both(k, above, moved)

    return tree.inward((link.added for link in tree.links), gather)


def mass_matrix(tree: Tree, k: Scalars) -> Entries:
    """Entries M[i, j] for every pair on one path, in link axes."""
    vectors = Vectors(k)
    composite, carried = composite_inertias(tree, k), carried_fluid(tree, k)
    M: Entries = {}
    for link in reversed(tree.links):
        for offset, (angular, linear) in enumerate(link.columns):
            row = link.v_index + offset
            wrench = unit_wrench(k, composite[link.index], angular, linear, carried[link.index])
            for carrier in tree.path(link.index):
                known = carrier.columns[: offset + 1] if carrier is link else carrier.columns
                for other, (s_ang, s_lin) in enumerate(known):
                    entry = k.add(vectors.dot(s_ang, wrench[1]), vectors.dot(s_lin, wrench[0]))
                    M[row, carrier.v_index + other] = M[carrier.v_index + other, row] = entry
                if carrier.parent >= 0:
                    wrench = shift_to_parent(carrier, k, wrench)
    return M


def root_columns(tree: Tree, k: Scalars) -> tuple[list[list[Scalar]], list[list[Scalar]]]:
    """For each velocity coordinate, where `root_poses` are: its motion vector S = (angular, linear)
    and the wrench F = (moment, force) of unit acceleration, so that M_ij = S_i · F_j along a
    path."""
    vectors = Vectors(k)
    poses = root_poses(tree, k)
    own = [in_axes(k, link.inertia, *pose) for link, pose in zip(tree.links, poses, strict=True)]
    composite = tree.inward(own, lambda link, above, carried: above.plus(k, carried))
    wet = [
        fluid_in_axes(k, link.added, *pose) for link, pose in zip(tree.links, poses, strict=True)
    ]
    fluids = tree.inward(wet, lambda link, above, own: _both(k, above, own))
    S: list[list[Scalar]] = [[0] * 6 for _ in range(tree.nv)]
    F: list[list[Scalar]] = [[0] * 6 for _ in range(tree.nv)]
    for link, (R, p), inertia, fluid in zip(tree.links, poses, composite, fluids, strict=True):
        for offset, (angular, linear) in enumerate(link.columns):
            w = vectors.apply(R, angular)
            u = vectors.add(vectors.apply(R, linear), vectors.cross(p, w))
            force, moment = unit_wrench(k, inertia, w, u, fluid)
            S[link.v_index + offset] = [*w, *u]
            F[link.v_index + offset] = [*moment, *force]
    return S, F


def mass_matrix_root(tree: Tree, k: Scalars) -> Entries:
    """The same entries by products in the axes of root links."""
    S, F = root_columns(tree, k)
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

    def last_of(link: Link, above: int) -> int:
        for index in range(link.v_index, link.v_index + len(link.columns)):
            parents[index], above = above, index
        return above

    list(tree.outward(-1, last_of))
    return parents


def root_poses(tree: Tree, k: Scalars, ground_turns: bool = False) -> list[WorldPose]:
    """R and p of every link along the axes of its root link, from the point about which motion and
    inertia there are best told: the origin of the first link on the way to it that turns.

    About a point at the distance r from a mass m its inertia is lost in the rounding of m r², so
    this point goes along with a base that travels. Links that slide on a ground that doesn't turn
    move and are pushed alike about any point."""

    def step(link: Link, above: tuple[WorldPose, bool]) -> tuple[WorldPose, bool]:
        parent, at_rest = above
        R, p = world_pose(link, k, parent) if link.parent >= 0 else (IDENTITY, ZERO)
        return (R, ZERO if at_rest else p), at_rest and _slides(link)

    at_ground: tuple[WorldPose, bool] = (IDENTITY, ZERO), not ground_turns
    return [pose for pose, _ in tree.outward(at_ground, step)]


def _slides(link: Link) -> bool:
    return not any(any(angular) for angular, _ in link.columns)


def world_poses(tree: Tree, k: Scalars) -> list[WorldPose]:
    """R_WL and p_WL of every link."""
    at_ground: WorldPose = (IDENTITY, ZERO)
    return list(tree.outward(at_ground, lambda link, parent: world_pose(link, k, parent)))


def world_pose(link: Link, k: Scalars, parent: WorldPose) -> WorldPose:
    """R_WL and p_WL of a link from those of its parent."""
    vectors = Vectors(k)
    R = link.rotation.times(k, parent[0])
    p = vectors.add(parent[1], vectors.apply(parent[0], link.p))
    return R, vectors.add(p, vectors.apply(R, link.d))


def in_axes(k: Scalars, inertia: Inertia, R: Matrix, p: Vector) -> Inertia:
    """An inertia about and along the frame in which its own stands so."""
    vectors = Vectors(k)
    turned = Inertia(inertia.m, vectors.apply(R, inertia.h), vectors.congruence(R, inertia.E))
    return turned.shifted(k, p)


def fluid_in_axes(k: Scalars, fluid: Fluid, R: Matrix, p: Vector) -> Fluid:
    """The same of fluid that a link carries along."""
    if fluid is None:
        return None
    vectors = Vectors(k)
    J, M = vectors.congruence(R, fluid.J), vectors.congruence(R, fluid.M)
    H = vectors.product(vectors.product(R, fluid.H), transpose(R))
    return Articulated(J, H, M).shifted(k, p)


def _both(k: Scalars, above: Fluid, own: Fluid) -> Fluid:
    if above is None or own is None:
        return own if above is None else above
    return above.plus(k, own)


def _six(k: Scalars, a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    total: Scalar = 0
    for x, y in zip(a, b, strict=True):
        total = k.add(total, k.mul(x, y))
    return total
