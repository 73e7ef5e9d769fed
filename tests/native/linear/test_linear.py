"""Linear algebra in C agrees with numpy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchback import native
from touchback.errors import InputError, SolveError

SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.integers(1, 16)


def random_tree(random: np.random.Generator, n: int) -> np.ndarray:
    """Anything from a single chain to bodies that hang anywhere."""
    straight = random.random(n) < random.random()
    return np.array(
        [i - 1 if straight[i] else random.integers(-1, i) for i in range(n)], dtype=np.int32
    )


def ancestors(parent: np.ndarray, i: int) -> set[int]:
    found: set[int] = set()
    while i >= 0:
        found.add(i)
        i = parent[i]
    return found


def tree_mass_matrix(random: np.random.Generator, parent: np.ndarray) -> np.ndarray:
    """Jᵀ J + I with the columns of J below each body: positive definite with the tree's zeros."""
    n = len(parent)
    M = np.eye(n)
    for body in range(n):
        row = np.zeros(n)
        row[list(ancestors(parent, body))] = random.normal(size=len(ancestors(parent, body)))
        M += np.outer(row, row)
    return M


@given(SIZES, SEEDS)
def test_tree_products_are_the_products_along_branches_and_zero_elsewhere(
    n: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    parent = random_tree(random, n)
    S, F = random.normal(size=(n, 6)), random.normal(size=(n, 6))
    M = native.tree_products(parent, S.T, F)
    for i in range(n):
        for j in range(i + 1):
            expected = S[j] @ F[i] if j in ancestors(parent, i) else 0.0
            assert M[i, j] == M[j, i] == pytest.approx(expected, abs=1e-14)


@given(SIZES, SEEDS)
def test_tree_factors_rebuild_and_solve_a_tree_matrix(n: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    parent = random_tree(random, n)
    M, b = tree_mass_matrix(random, parent), random.normal(size=n)
    factors = native.tree_factor(parent, M)
    L, D = np.tril(factors, -1) + np.eye(n), np.diag(np.diag(factors))
    scale = np.abs(M).max()
    np.testing.assert_allclose(L.T @ D @ L, M, atol=1e-13 * scale)
    x = native.tree_solve(parent, factors, b)
    # The eigenvalues of M are at least 1, so the residual bounds the error.
    np.testing.assert_allclose(M @ x, b, atol=1e-12 * scale)


@given(SIZES, SEEDS)
def test_lu_solves_as_numpy_does(n: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    A, b = random.normal(size=(n, n)), random.normal(size=n)
    x = native.lu_solve(*native.lu_factor(A), b)
    # Backward stable: the residual is small against |A||x| whatever the condition.
    np.testing.assert_allclose(A @ x, b, atol=1e-13 * n * np.abs(A).max() * np.abs(x).max() + 1e-14)
    assert np.allclose(x, np.linalg.solve(A, b), rtol=1e-13 * np.linalg.cond(A) * n, atol=1e-13)


@given(SIZES, SEEDS)
def test_cholesky_agrees_with_numpy(n: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    J, b = random.normal(size=(n, n)), random.normal(size=n)
    A = J @ J.T + np.eye(n)
    factors = native.cholesky_factor(A)
    np.testing.assert_allclose(np.tril(factors), np.linalg.cholesky(A), atol=1e-12)
    np.testing.assert_allclose(A @ native.cholesky_solve(factors, b), b, atol=1e-12 * A.max())


def test_lu_needs_its_pivoting() -> None:
    A = [[0.0, 1.0], [1.0, 0.0]]
    np.testing.assert_array_equal(native.lu_solve(*native.lu_factor(A), [2.0, 3.0]), [3.0, 2.0])


def test_singular_and_indefinite_matrices_are_named() -> None:
    with pytest.raises(SolveError, match="column 1 depends"):
        native.lu_factor([[1.0, 2.0], [2.0, 4.0]])
    with pytest.raises(SolveError, match="row 1 is not positive"):
        native.cholesky_factor([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(SolveError, match="row 0 is not positive"):
        native.tree_factor([-1, 0], [[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(SolveError, match="not positive"):
        native.cholesky_factor([[np.nan]])


def test_a_parent_that_comes_after_its_child_is_refused() -> None:
    with pytest.raises(InputError, match="parent of 1 is 1"):
        native.tree_factor([-1, 1], np.eye(2))
