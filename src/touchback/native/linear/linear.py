"""Linear algebra of the C library on arrays: along a kinematic tree, and small and dense.

Parents are numbered before their children; −1 stands for the ground. Factors replace the matrix.
"""

import ctypes

import numpy as np
from numpy.typing import ArrayLike, NDArray

from touchback.errors import InputError, SolveError
from touchback.native.library import LIB, Floats, address_of, as_floats

Indices = NDArray[np.int32]

_P, _L = ctypes.c_void_p, ctypes.c_long
for _name, _result, _arguments in (
    ("tb_tree_products", None, [_L, _P, _P, _P, _P]),
    ("tb_mirror", None, [_L, _P, _P]),
    ("tb_tree_factor", _L, [_L, _P, _P]),
    ("tb_tree_solve", None, [_L, _P, _P, _P]),
    ("tb_lu_factor", _L, [_L, _P, _P]),
    ("tb_lu_solve", None, [_L, _P, _P, _P]),
    ("tb_cholesky_factor", _L, [_L, _P]),
    ("tb_cholesky_solve", None, [_L, _P, _P]),
):
    getattr(LIB, _name).restype = _result
    getattr(LIB, _name).argtypes = _arguments


def _parents(parent: ArrayLike, count: int) -> Indices:
    indices = np.ascontiguousarray(parent, dtype=np.int32)
    if indices.shape != (count,):
        raise InputError(f"{count} parents are needed, got an array of shape {indices.shape}.")
    wrong = np.flatnonzero((indices < -1) | (indices >= np.arange(count)))
    if wrong.size:
        i = int(wrong[0])
        raise InputError(f"The parent of {i} is {indices[i]}; it must be −1 or a number below {i}.")
    return indices


def _square(matrix: ArrayLike) -> Floats:
    array = np.array(matrix, dtype=np.float64, order="C")
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise InputError(f"A square matrix is needed, got shape {array.shape}.")
    return array


def _right_side(b: ArrayLike, count: int) -> Floats:
    x = np.array(b, dtype=np.float64)
    if x.shape != (count,):
        raise InputError(f"The right side must have {count} elements, got shape {x.shape}.")
    return x


def tree_products(parent: ArrayLike, S: ArrayLike, F: ArrayLike) -> Floats:
    """M with M[i, j] = M[j, i] = S_j · F_i for every ancestor-or-self j of i, else zeros.

    S is 6 × n, one column a coordinate; F is n × 6."""
    s, f = as_floats(S), as_floats(F)
    if f.ndim != 2 or f.shape[1] != 6 or s.shape != f.shape[::-1]:
        raise InputError(f"S must be 6 × n and F n × 6, got {s.shape} and {f.shape}.")
    count = len(f)
    parents, M = _parents(parent, count), np.empty((count, count))
    LIB.tb_tree_products(count, address_of(parents), address_of(s), address_of(f), address_of(M))
    LIB.tb_mirror(count, address_of(parents), address_of(M))
    return M


def tree_factor(parent: ArrayLike, M: ArrayLike) -> Floats:
    """M = LᵀDL: D on the diagonal, L below it (Featherstone 2008, table 6.3)."""
    factors = _square(M)
    parents = _parents(parent, len(factors))
    _must_be_definite(LIB.tb_tree_factor(len(factors), address_of(parents), address_of(factors)))
    return factors


def tree_solve(parent: ArrayLike, factors: Floats, b: ArrayLike) -> Floats:
    """M⁻¹ b from the factors of `tree_factor`."""
    parents, x = _parents(parent, len(factors)), _right_side(b, len(factors))
    matrix = as_floats(factors)
    LIB.tb_tree_solve(len(x), address_of(parents), address_of(matrix), address_of(x))
    return x


def lu_factor(A: ArrayLike) -> tuple[Floats, Indices]:
    """P A = L U with partial pivoting: both factors in one matrix, and the rows swapped."""
    factors = _square(A)
    pivots = np.zeros(len(factors), dtype=np.int32)
    failed = LIB.tb_lu_factor(len(factors), address_of(factors), address_of(pivots))
    if failed:
        raise SolveError(
            f"The matrix is singular: column {failed - 1} depends on the columns before it."
        )
    return factors, pivots


def lu_solve(factors: Floats, pivots: Indices, b: ArrayLike) -> Floats:
    """A⁻¹ b from the factors of `lu_factor`."""
    matrix, x = as_floats(factors), _right_side(b, len(factors))
    LIB.tb_lu_solve(len(x), address_of(matrix), address_of(pivots), address_of(x))
    return x


def cholesky_factor(A: ArrayLike) -> Floats:
    """A = L Lᵀ with L in the lower triangle; what lies above it is left alone."""
    factors = _square(A)
    _must_be_definite(LIB.tb_cholesky_factor(len(factors), address_of(factors)))
    return factors


def cholesky_solve(factors: Floats, b: ArrayLike) -> Floats:
    """A⁻¹ b from the factors of `cholesky_factor`."""
    matrix, x = as_floats(factors), _right_side(b, len(factors))
    LIB.tb_cholesky_solve(len(x), address_of(matrix), address_of(x))
    return x


def _must_be_definite(failed: int) -> None:
    if failed:
        raise SolveError(
            f"The matrix is not positive definite: its pivot in row {failed - 1} is not positive. "
            "For a mass matrix, look for a branch without mass or inertia."
        )
