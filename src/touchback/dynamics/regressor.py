"""Inverse dynamics as a matrix times inertial parameters: τ = Y(q, v, a) π.

Of each body π has mass, first moments h = m r_com and the inertia tensor J about the origin of its
frame, along its axes: m, hx, hy, hz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz (off-diagonal entries as in the
tensor). All of them enter linearly (Atkeson, An and Hollerbach 1986): a column of Y is what a body
with that parameter 1 and the others 0 needs in the joints that carry it."""

from collections.abc import Sequence

from touchback.dynamics.link_accelerations import link_motions
from touchback.dynamics.mechanism_instant import Instant
from touchback.dynamics.rnea import inertial_wrench, shift_to_parent
from touchback.numbers import Scalar
from touchback.spatial import Inertia, Vectors
from touchback.symbolic import Scalars

INERTIAL = ("m", "hx", "hy", "hz", "Jxx", "Jyy", "Jzz", "Jxy", "Jxz", "Jyz")
_PAIRS = ((0, 1), (0, 2), (1, 2))


def regressor(instant: Instant, a: Sequence[Scalar]) -> list[list[Scalar]]:
    """Y: a row for each effort, ten columns for each body, in order of description; without the
    armature of joints and forces on bodies."""
    k, tree = instant.k, instant.tree
    vectors = Vectors(k)
    motions = list(link_motions(tree, k, instant.at.v, a, instant.base()))
    columns: list[list[Scalar]] = []
    for name in instant.model.bodies:
        home = tree.bodies[name]
        for unit in _units(k):
            column: list[Scalar] = [0] * tree.nv
            columns.append(column)
            if home.link < 0:  # of what stands on the ground nothing is felt
                continue
            turned = unit.turned_up(k, home.pose.rotation(k))
            own = turned.shifted(k, home.pose.scalars(k))
            F, N = inertial_wrench(own, k, motions[home.link])
            for link in tree.path(home.link):
                for offset, (angular, linear) in enumerate(link.columns):
                    effort = k.add(vectors.dot(angular, N), vectors.dot(linear, F))
                    column[link.v_index + offset] = effort
                F, N = shift_to_parent(link, k, (F, N))
    return [list(row) for row in zip(*columns, strict=True)] if columns else [[]] * tree.nv


def _units(k: Scalars) -> list[Inertia]:
    """Each parameter 1 and the others 0; of the tensor with E = ½ tr(J) 1 − J."""
    one, half = k.const(1.0), k.const(0.5)
    found = [Inertia(one, [0, 0, 0], _square())]
    for i in range(3):
        found.append(Inertia(0, [one if j == i else 0 for j in range(3)], _square()))
    for i in range(3):
        E = _square()
        for j in range(3):
            E[j][j] = -half if i == j else half
        found.append(Inertia(0, [0, 0, 0], E))
    for i, j in _PAIRS:
        E = _square()
        E[i][j] = E[j][i] = -one
        found.append(Inertia(0, [0, 0, 0], E))
    return found


def _square() -> list[list[Scalar]]:
    return [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
