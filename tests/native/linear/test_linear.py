"""Linear algebra in C agrees with numpy."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from touchback import native
from touchback.errors import InputError
from touchback.native.shared_library import LIB, address_of

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


def lu_factors(A: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Factors and pivots as C leaves them, and what it says."""
    factors, pivots = np.array(A, dtype=float), np.zeros(len(A), dtype=np.int32)
    failed = LIB.tb_lu_factor(len(A), address_of(factors), address_of(pivots))
    return factors, pivots, failed


def lu_solution(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    factors, pivots, failed = lu_factors(A)
    assert not failed
    x = np.array(b, dtype=float)
    LIB.tb_lu_solve(len(x), address_of(factors), address_of(pivots), address_of(x))
    return x


def cholesky_factors(A: np.ndarray) -> tuple[np.ndarray, int]:
    factors = np.array(A, dtype=float)
    return factors, LIB.tb_cholesky_factor(len(A), address_of(factors))


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


def test_a_thousand_bodies_are_as_good_as_ten() -> None:
    """Nothing lies on the stack: of a chain, every pair has its product."""
    random, n = np.random.default_rng(1), 1000
    S, F = random.normal(size=(n, 6)), random.normal(size=(n, 6))
    lower = np.tril(F @ S.T)
    M = native.tree_products(np.arange(-1, n - 1), S.T, F)
    np.testing.assert_allclose(np.tril(M), lower, atol=1e-13)
    np.testing.assert_array_equal(M, M.T)


@given(SIZES, SEEDS)
def test_lu_solves_as_numpy_does(n: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    A, b = random.normal(size=(n, n)), random.normal(size=n)
    x = lu_solution(A, b)
    # Backward stable: the residual is small against |A||x| whatever the condition.
    np.testing.assert_allclose(A @ x, b, atol=1e-13 * n * np.abs(A).max() * np.abs(x).max() + 1e-14)
    assert np.allclose(x, np.linalg.solve(A, b), rtol=1e-13 * np.linalg.cond(A) * n, atol=1e-13)


@given(SIZES, SEEDS)
def test_cholesky_agrees_with_numpy(n: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    J, b = random.normal(size=(n, n)), random.normal(size=n)
    A = J @ J.T + np.eye(n)
    factors, failed = cholesky_factors(A)
    assert not failed
    np.testing.assert_allclose(np.tril(factors), np.linalg.cholesky(A), atol=1e-12)
    x = b.copy()
    LIB.tb_cholesky_solve(n, address_of(factors), address_of(x))
    np.testing.assert_allclose(A @ x, b, atol=1e-12 * A.max())


def test_lu_needs_its_pivoting() -> None:
    A = np.array([[0.0, 1.0], [1.0, 0.0]])
    np.testing.assert_array_equal(lu_solution(A, np.array([2.0, 3.0])), [3.0, 2.0])


def test_singular_and_indefinite_matrices_are_told_with_their_row() -> None:
    """One more than the column that depends on others, or the row whose pivot isn't positive."""
    assert lu_factors(np.array([[1.0, 2.0], [2.0, 4.0]]))[2] == 2
    assert cholesky_factors(np.array([[1.0, 2.0], [2.0, 1.0]]))[1] == 2
    assert cholesky_factors(np.array([[np.nan]]))[1] == 1


def test_a_parent_that_comes_after_its_child_is_refused() -> None:
    with pytest.raises(InputError, match="parent of 1 is 1"):
        native.tree_products([-1, 1], np.ones((6, 2)), np.ones((2, 6)))


@given(SEEDS, SIZES, SIZES, st.integers(0, 16))
def test_least_squares_of_any_shape_and_rank_are_the_shortest(
    seed: int, rows: int, columns: int, rank: int
) -> None:
    random = np.random.default_rng(seed)
    rank = min(rank, rows, columns)
    A = random.normal(size=(rows, rank)) @ random.normal(size=(rank, columns))
    b, x = random.normal(size=rows), np.full(columns, np.nan)
    still = random.integers(0, columns) if columns > 1 else -1
    if still >= 0:
        A[:, still] = 0.0
    given, right, work = A.copy(), b.copy(), np.empty(2 * columns)
    order = np.empty(columns, np.int32)
    found = LIB.tb_least_squares(
        rows, columns, address_of(given), address_of(right), 1e-9, address_of(x), address_of(work),
        address_of(order),
    )  # fmt: skip
    wanted, _, known, singular = np.linalg.lstsq(A, b, rcond=1e-9)
    assert found == known and sorted(order) == list(range(columns))
    condition = singular[0] / singular[known - 1] if known else 1.0
    size = np.abs(wanted).max() + np.abs(b).max() / max(singular.max(initial=0.0), 1e-300)
    np.testing.assert_allclose(x, wanted, atol=1e-14 * condition**2 * size)
    assert still < 0 or x[still] == 0.0
