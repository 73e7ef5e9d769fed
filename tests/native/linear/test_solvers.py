"""Solvers of C by themselves: many right sides, transposed, complex, sparse, and singular ones."""

import ctypes
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from touchback.native.linear.sparse_elimination import Elimination, eliminate, minimum_degree
from touchback.native.shared_library import LIB, address_of

SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.integers(1, 8)


def factored(A: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    factors, pivots = A.copy(), np.zeros(len(A), dtype=np.int32)
    assert LIB.tb_lu_factor(len(A), address_of(factors), address_of(pivots)) == 0
    return factors, pivots


def near(found: np.ndarray, A: np.ndarray, b: np.ndarray) -> None:
    """A x = b, backward stable: small against |A||x| whatever the condition."""
    within = 1e-13 * len(A) * np.abs(A).max() * np.abs(found).max() + 1e-14
    np.testing.assert_allclose(A @ found, b, atol=within)


@given(SIZES, st.integers(1, 5), SEEDS)
def test_many_right_sides_are_solved_as_one_after_the_other(n: int, width: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    A, B = random.normal(size=(n, n)), random.normal(size=(n, width))
    factors, pivots = factored(A)
    X = B.copy()
    LIB.tb_lu_solve_many(n, 0, address_of(factors), address_of(pivots), width, address_of(X))
    near(X, A, B)
    positive = A @ A.T + np.eye(n)
    lower = positive.copy()
    assert LIB.tb_cholesky_factor(n, address_of(lower)) == 0
    X = B.copy()
    LIB.tb_cholesky_solve_many(n, address_of(lower), width, address_of(X))
    near(X, positive, B)


@given(SIZES, SEEDS)
def test_the_transposed_system_has_the_same_factors(n: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    A, b = random.normal(size=(n, n)), random.normal(size=n)
    factors, pivots = factored(A)
    x = b.copy()
    LIB.tb_lu_solve_transposed(n, address_of(factors), address_of(pivots), address_of(x))
    near(x, A.T, b)


@given(st.integers(2, 8), SEEDS)
def test_unknowns_above_a_row_follow_from_those_below(n: int, seed: int) -> None:
    """Where the right side is zero above, and no row is swapped with one above."""
    random = np.random.default_rng(seed)
    first = int(random.integers(1, n))
    A = random.normal(size=(n, n)) + 4.0 * n * np.eye(n)  # no pivot is elsewhere
    b = np.where(np.arange(n) < first, 0.0, random.normal(size=n))
    factors, pivots = factored(A)
    assert pivots.tolist() == list(range(n))
    x = b.copy()
    LIB.tb_lu_solve_many(n, first, address_of(factors), address_of(pivots), 1, address_of(x))
    assert not x[:first].any()
    LIB.tb_lu_solve_above(n, first, address_of(factors), address_of(x))
    near(x, A, b)


@given(SIZES, SEEDS)
def test_complex_systems_are_solved_with_pivots(n: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    A = random.normal(size=(n, n)) + 1j * random.normal(size=(n, n))
    A[0, 0] = 0.0 if n > 1 else A[0, 0]
    b = random.normal(size=n) + 1j * random.normal(size=n)
    factors, x, pivots = A.copy(), b.copy(), np.zeros(n, dtype=np.int32)
    failed = LIB.tb_complex_lu_factor(n, factors.ctypes.data, address_of(pivots))
    assert failed == 0
    LIB.tb_complex_lu_solve(n, factors.ctypes.data, address_of(pivots), x.ctypes.data)
    near(x, A, b)
    sizes = np.abs(A[:, 0].real) + np.abs(A[:, 0].imag)
    assert pivots[0] == np.argmax(sizes)


def test_a_complex_column_without_a_pivot_is_told() -> None:
    A = np.array([[1.0, 2.0j], [1.0j, -2.0]])
    assert LIB.tb_complex_lu_factor(2, A.ctypes.data, address_of(np.zeros(2, np.int32))) == 2
    A = np.array([[0.0, 1.0], [0.0, 1.0]], dtype=complex)
    assert LIB.tb_complex_lu_factor(2, A.ctypes.data, address_of(np.zeros(2, np.int32))) == 1


# ---- singular ------------------------------------------------------------------------------------


@given(st.integers(1, 7), st.integers(0, 7), SEEDS)
def test_full_pivoting_finds_the_rank_and_the_shortest_solution(
    n: int, rank: int, seed: int
) -> None:
    random, rank = np.random.default_rng(seed), min(n, rank)
    A = random.normal(size=(n, rank)) @ random.normal(size=(rank, n))
    b = A @ random.normal(size=n)
    factors, right, x, null = A.copy(), b.copy(), np.empty(n), np.empty((n, n))
    order, columns = np.empty(n, np.int32), np.empty(n, np.int32)
    given_ = address_of(factors), address_of(order), address_of(columns)
    found = LIB.tb_full_factor(n, *given_, 1e-9)
    assert found == rank and sorted(order) == sorted(columns) == list(range(n))
    LIB.tb_full_solve(n, found, *given_, address_of(right), address_of(x))
    condition = np.linalg.cond(A) if rank == n else 1.0
    singular = np.linalg.svd(A, compute_uv=False)[:rank]
    condition = singular[0] / singular[-1] if rank else 1.0
    size = np.abs(x).max(initial=0.0) * np.abs(A).max()
    np.testing.assert_allclose(A @ x, b, atol=1e-12 * condition * size + 1e-14)
    assert not x[columns[rank:]].any()
    LIB.tb_full_shortest(n, found, *given_, address_of(x), address_of(null))
    shortest = np.linalg.lstsq(A, b, rcond=1e-9)[0]
    np.testing.assert_allclose(x, shortest, atol=1e-12 * condition**2 * (1 + np.abs(x).max()))
    own = null[: n - rank]
    np.testing.assert_allclose(own @ own.T, np.eye(n - rank), atol=1e-10 * condition)
    np.testing.assert_allclose(A @ own.T, 0.0, atol=1e-11 * condition * (1 + np.abs(A).max()))


@pytest.mark.parametrize("small, rank", [(1.01e-3, 2), (0.99e-3, 1), (1e-3, 1)])
def test_pivots_count_above_the_tolerance_of_the_first(small: float, rank: int) -> None:
    A, order, columns = np.diag([1.0, small]), np.empty(2, np.int32), np.empty(2, np.int32)
    given_ = address_of(A), address_of(order), address_of(columns)
    assert LIB.tb_full_factor(2, *given_, 1e-3) == rank
    first, b, x, work = np.diag([1.0, small]), np.ones(2), np.empty(2), np.empty(4)
    found = LIB.tb_least_squares(
        2, 2, address_of(first), address_of(b), 1e-3, address_of(x), address_of(work),
        address_of(order),
    )  # fmt: skip
    assert found == rank


# ---- sparse --------------------------------------------------------------------------------------


def ldl(found: Elimination, values: np.ndarray, **given_: Any) -> int:
    pattern = LIB.struct("tb_ldl")(
        found.size, address_of(found.starts), address_of(found.rows), address_of(found.targets)
    )
    reference = np.asarray(given_.get("reference", np.ones(found.size)), dtype=float)
    dropped = given_.get("dropped")
    count = LIB.tb_ldl_factor(
        ctypes.addressof(pattern), address_of(values), address_of(reference),
        given_.get("tolerance", 0.0), None if dropped is None else address_of(dropped),
    )  # fmt: skip
    return int(count)


def ldl_solution(found: Elimination, values: np.ndarray, b: np.ndarray) -> np.ndarray:
    pattern = LIB.struct("tb_ldl")(
        found.size, address_of(found.starts), address_of(found.rows), address_of(found.targets)
    )
    x = b[found.order].copy()
    LIB.tb_ldl_solve(ctypes.addressof(pattern), address_of(values), address_of(x))
    return x[found.place]


@given(st.integers(1, 12), SEEDS)
def test_sparse_symmetric_systems_are_solved_along_their_pattern(n: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    pairs = [(i, j) for i in range(n) for j in range(i) if random.random() < 0.3]
    A = np.diag(2.0 * n + random.random(n))
    for i, j in pairs:
        A[i, j] = A[j, i] = random.normal()
    found = eliminate(pairs, minimum_degree(n, pairs))
    assert sorted(found.order) == list(range(n)) and (np.diff(found.starts) >= 0).all()
    values = np.zeros(found.value_count)
    for i in range(n):
        values[found.value_index(i, i)] = A[i, i]
    for i, j in pairs:
        values[found.value_index(i, j)] = A[i, j]
        assert found.value_index(i, j) == found.value_index(j, i) >= n
    assert ldl(found, values) == 0
    b = random.normal(size=n)
    near(ldl_solution(found, values, b), A, b)


def test_pivots_within_the_tolerance_and_dropped_rows_are_passed_over() -> None:
    found = eliminate([], range(3))
    values = np.array([2.0, 1e-9, 4.0])
    assert ldl(found, values, tolerance=1e-9, reference=[1.0, 1.0, 1.0]) == 1
    np.testing.assert_allclose(ldl_solution(found, values, np.ones(3)), [0.5, 0.0, 0.25])
    values = np.array([2.0, 1e-9, 4.0])
    assert ldl(found, values, tolerance=1e-9, reference=[1.0, 0.9, 1.0]) == 0
    values = np.array([2.0, -3.0, 4.0])
    assert ldl(found, values, dropped=np.array([0, 0, 1], dtype=np.int32)) == 1
    np.testing.assert_allclose(ldl_solution(found, values, np.ones(3)), [0.5, -1 / 3, 0.0])
    assert values[2] == 0.0


def test_fewest_neighbours_go_first_and_fill_is_theirs() -> None:
    path = [(0, 1), (1, 2), (2, 3)]
    assert minimum_degree(4, path) == [0, 1, 2, 3]
    assert minimum_degree(4, path, {0: {1}}) == [3, 2, 1, 0]
    star = [(0, k) for k in range(1, 5)]
    assert minimum_degree(5, star)[-2:] == [0, 4]
    worst = eliminate(star, [0, 1, 2, 3, 4])  # the middle first: all others become neighbours
    best = eliminate(star, [1, 2, 3, 4, 0])
    assert (worst.starts[-1], best.starts[-1]) == (10, 4)
    assert worst.rows.tolist() == [1, 2, 3, 4, 2, 3, 4, 3, 4, 4]
    assert best.targets.tolist() == [4, 4, 4, 4]
    assert worst.targets.tolist()[:4] == [1, 5 + 4, 5 + 5, 5 + 6]
