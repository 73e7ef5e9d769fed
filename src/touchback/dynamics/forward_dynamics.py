"""Forward dynamics by either algorithm, and the mass matrix in either form."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from touchback.dynamics import aba
from touchback.dynamics.crba import Entries, dof_parents, mass_matrix, mass_matrix_root
from touchback.dynamics.kinematic_tree import Tree
from touchback.dynamics.mechanism_instant import Instant
from touchback.dynamics.rnea import efforts, inverse_dynamics, sum_subtree_wrenches
from touchback.errors import InputError
from touchback.numbers import Scalar
from touchback.spatial import ZERO
from touchback.symbolic import Operators, Scalars

ALGORITHMS = ("articulated", "factorised", "factorised at the root")


def solve_efforts(instant: Instant, a: Sequence[Scalar] | None) -> list[Scalar]:
    """Joint efforts τ = M a + c; without `a` the bias c(q, v, external forces)."""
    k = instant.k
    tau = inverse_dynamics(
        instant.regrouped(), k, instant.at.v, a, instant.base(), instant.external()
    )
    if a is None:
        return tau
    return [
        k.add(t, k.mul(rotor, x)) for t, rotor, x in zip(tau, instant.armature(), a, strict=True)
    ]


def mass_matrix_entries(instant: Instant, at_root: bool = False) -> Entries:
    """Entries of the mass matrix, armature included."""
    tree = instant.regrouped()
    M = mass_matrix_root(tree, instant.k) if at_root else mass_matrix(tree, instant.k)
    return with_armature(instant, M)


def with_armature(instant: Instant, M: Entries) -> Entries:
    """A mass matrix of the bodies with that of rotors."""
    for i, rotor in enumerate(instant.armature()):
        M[i, i] = instant.k.add(M[i, i], rotor)
    return M


def applied_efforts(instant: Instant) -> list[Scalar]:
    """What forces on bodies do in each velocity coordinate."""
    tree, external = instant.tree, instant.external()
    if not external:
        return [0] * tree.nv
    own = (external.get(link.index, (ZERO, ZERO)) for link in tree.links)
    return efforts(tree, instant.k, sum_subtree_wrenches(tree, instant.k, own))


def solve_accelerations(instant: Instant, tau: Sequence[Scalar], algorithm: str) -> list[Scalar]:
    """Accelerations for given joint efforts."""
    k = instant.k
    if algorithm == "articulated":
        return aba.forward_dynamics(
            instant.regrouped(), k, instant.at.v, tau, instant.base(), instant.external(),
            instant.armature(),
        )  # fmt: skip
    bias = solve_efforts(instant, None)
    M = mass_matrix_entries(instant, at_root=algorithm == "factorised at the root")
    rest = [k.sub(t, c) for t, c in zip(tau, bias, strict=True)]
    return factorise_mass_matrix(instant, M).solve(rest)


def factorise_mass_matrix(instant: Instant, M: Entries) -> MassMatrixFactors:
    """The mass matrix as factors along the tree."""
    return MassMatrixFactors(instant.k, M, dof_parents(instant.tree), dof_order(instant.tree))


def dof_order(tree: Tree) -> list[int]:
    """Velocity coordinates, parents before children."""
    return [link.v_index + offset for link in tree.links for offset in range(len(link.columns))]


def configuration_rate(instant: Instant) -> list[Scalar]:
    """q̇ from q and v."""
    rates: list[Scalar] = [0] * instant.tree.nq
    for link in instant.tree.links:
        motion = link.motion
        q = instant.at.q[link.q_index : link.q_index + motion.nq]
        v = instant.at.v[link.v_index : link.v_index + motion.nv]
        rates[link.q_index : link.q_index + motion.nq] = motion.rate(instant.k, q, v)
    return rates


class MassMatrixFactors:
    """M = LᵀDL; `order` lists coordinates, parents before children."""

    def __init__(
        self, k: Scalars, M: Entries, parents: Sequence[int], order: Sequence[int]
    ) -> None:
        self._k, self._order = k, order
        self._above = {c: list(_path(parents, c)) for c in order}
        self._L: Entries = dict(M)
        self._inverse: dict[int, Scalar] = {}
        for c in reversed(order):
            self._eliminate(c)

    def _eliminate(self, c: int) -> None:
        k, H = self._k, self._L
        inverse = self._inverse[c] = k.div(1, H[c, c])
        for place, i in enumerate(self._above[c]):
            factor = k.mul(H[c, i], inverse)
            for j in self._above[c][place:]:
                H[i, j] = k.add(H[i, j], -k.mul(H[c, j], factor))
            H[c, i] = factor

    def solve(self, b: Sequence[Scalar]) -> list[Scalar]:
        """x with M x = b."""
        k, x = self._k, list(b)
        for c in reversed(self._order):
            for i in self._above[c]:
                x[i] = k.add(x[i], -k.mul(self._L[c, i], x[c]))
        for c in self._order:
            x[c] = self._less_above(c, k.mul(x[c], self._inverse[c]), x)
        return x

    def inverse(self) -> list[list[Scalar]]:
        """M⁻¹. Row by row, parents first: what is right of the diagonal is known from the rows
        before, and below it nothing is left of a column of 1 after the leaves' elimination."""
        n = len(self._order)
        found: list[list[Scalar]] = [[0] * n for _ in range(n)]
        for place, column in enumerate(self._order):
            x = found[column]
            x[column] = self._less_above(column, self._inverse[column], x)
            for c in self._order[place + 1 :]:
                x[c] = found[c][column] = self._less_above(c, 0, x)
        return found

    def _less_above(self, c: int, total: Scalar, x: Sequence[Scalar]) -> Scalar:
        """total − Σ L_ci x_i."""
        for i in self._above[c]:
            total = self._k.add(total, -self._k.mul(self._L[c, i], x[i]))
        return total


def _path(parents: Sequence[int], c: int) -> list[int]:
    """The coordinates that carry one, nearest first."""
    found = []
    while parents[c] >= 0:
        c = parents[c]
        found.append(c)
    return found


def solve_symmetric(A: ArrayLike, b: ArrayLike) -> np.ndarray:
    """x with A x = b for a symmetric positive definite matrix of expressions, duals or numbers, as
    M or J M⁻¹ Jᵀ; `b` is a vector or has a column for each right-hand side.

    It is factorised without pivoting, so that a law can be made of it; add a small diagonal where A
    may become singular."""
    matrix, right = np.asarray(A), np.asarray(b)
    n = len(matrix) if matrix.ndim else 0
    if matrix.shape != (n, n) or not n or right.shape[:1] != (n,) or right.ndim > 2:
        raise InputError(
            f"A square matrix and as many rows on the right are expected, got {matrix.shape} and "
            f"{right.shape}."
        )
    entries = {(i, j): matrix[i, j] for i in range(n) for j in range(n)}
    factors = MassMatrixFactors(Operators(), entries, range(-1, n - 1), range(n))
    columns = right.reshape(n, -1).T
    solved = np.array([factors.solve(list(column)) for column in columns])
    return solved.T.reshape(right.shape)
