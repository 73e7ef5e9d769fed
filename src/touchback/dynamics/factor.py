"""LᵀDL factorisation and solution along the tree (Featherstone 2008 §6.5): no fill-in, leaves
eliminated first."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from touchback.dynamics.crba import Entries
from touchback.errors import InputError
from touchback.spatial.vectors import Scalar
from touchback.symbolic.scalars import Operators, Scalars


class Factors:
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
    factors = Factors(Operators(), entries, range(-1, n - 1), range(n))
    columns = right.reshape(n, -1).T
    solved = np.array([factors.solve(list(column)) for column in columns])
    return solved.T.reshape(right.shape)
