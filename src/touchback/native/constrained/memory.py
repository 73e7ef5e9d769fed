"""The memory of a constrained run: every array that its C functions work on, made once."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from touchback.errors import InputError
from touchback.native.integrate.problem import CallableStruct, FunctionData
from touchback.native.library import address_of, aligned_zeros
from touchback.native.linear.elimination import Elimination, Indices, eliminate, minimum_degree

if TYPE_CHECKING:
    from touchback.native.constrained.constrained import ConstrainedFunctions

_P, _L, _D = ctypes.c_void_p, ctypes.c_long, ctypes.c_double
_SMALL = 20  # freedoms up to which full matrices are always quicker
_SCATTER = 6  # what an operation along index lists costs, in operations on full matrices
_POOL = 1 << 22  # numbers: the most that the rows of a sparse choice may take


class _StatisticsStruct(ctypes.Structure):
    """tb_constraint_statistics of constrained.h."""

    _fields_ = [
        *[
            (name, _L)
            for name in (
                "solves", "iterations_last", "iterations_most", "iterations", "not_converged",
                "choices", "singular", "paradoxes",
            )
        ],
        ("worst_choice", _D),
        ("largest_h", _D),
    ]  # fmt: skip


class _LdlStruct(ctypes.Structure):
    """tb_ldl of sparse.h."""

    _fields_ = [("size", _L), *[(name, _P) for name in ("starts", "rows", "targets", "values")]]


class _SparseStruct(ctypes.Structure):
    """tb_sparse of sparse.h."""

    _fields_ = [
        ("motion", _LdlStruct),
        *[(name, _P) for name in ("motion_M", "motion_J", "coordinate_place", "row_place")],
        ("gram", _LdlStruct),
        ("products", _L),
        *[
            (name, _P)
            for name in (
                "product_target", "product_first", "product_second", "product_column",
                "gram_place", "gram_order", "row_starts", "row_entries", "motion_scratch",
                "motion_reference", "gram_scratch", "gram_reference", "motion_dropped",
                "gram_dropped",
            )
        ],
        ("pool_size", _L),
        *[(name, _P) for name in ("pool_values", "pool_columns", "pool_starts", "wide")],
    ]  # fmt: skip


class _ConstrainedStruct(ctypes.Structure):
    """tb_constrained of constrained.h."""

    _fields_ = [
        *[(name, _L) for name in ("nq", "n", "nz", "m", "J_count", "W_count", "M_count")],
        *[
            (name, CallableStruct)
            for name in (
                "terms", "positions", "velocity_level", "configuration_rate", "stiffness",
            )
        ],
        *[
            (name, _P)
            for name in (
                "J_rows", "J_columns", "W_rows", "W_columns", "W_twins", "M_rows", "M_columns",
                "holonomic",
            )
        ],
        *[(name, _D) for name in ("tolerance", "rank_tolerance", "alpha", "beta", "penalty")],
        *[(name, _L) for name in ("rank", "position_rank", "most_rank")],
        *[
            (name, _P)
            for name in (
                "rows", "columns", "level", "dropped", "chosen_pivot", "best_pivot", "pivot",
                "pivot_floor", "chosen_size", "row_size",
            )
        ],
        ("redundant_h", _D),
        ("started", _L),
        ("truncated", _L),
        *[
            (name, _P)
            for name in (
                "x", "settled", "at_terms", "at_positions", "b", "a", "lambda", "scale", "LU",
                "inverse_pivot", "B", "mass", "T", "reduced", "A", "candidates", "J_places",
                "M_places", "pivots", "residual", "right", "step", "row_weight", "n_scratch",
                "m_scratch", "increment", "no_force", "mu", "stiff", "matrix", "sparse",
            )
        ],
        ("statistics", _StatisticsStruct),
    ]  # fmt: skip


class ConstrainedMemory:
    """A tb_constrained with everything that it points to."""

    def __init__(self, functions: ConstrainedFunctions, sparse: bool | None) -> None:
        self._arrays: dict[str, NDArray[Any]] = {}
        self._kept_alive: list[object] = [functions]
        self.struct = struct = _ConstrainedStruct()
        struct.nq, struct.n, struct.nz = functions.sizes
        struct.m = len(functions.names)
        self._patterns(functions)
        for name in ("terms", "positions", "velocity_level", "configuration_rate", "stiffness"):
            setattr(struct, name, self._callable(getattr(functions, name)))
        eliminations = self._eliminations() if sparse or struct.n > _SMALL else None
        if eliminations is not None and (sparse or (sparse is None and self._pays(eliminations))):
            self._make_sparse(*eliminations)
        self._make_arrays(functions.stiffness is not None)

    def array(self, name: str) -> NDArray[Any]:
        """An array of the struct by name."""
        return self._arrays[name]

    def _patterns(self, functions: ConstrainedFunctions) -> None:
        struct = self.struct
        n, m = struct.n, struct.m
        for matrix, row_count in (("J", m), ("W", m), ("M", n)):
            rows, columns = (getattr(functions, f"{matrix}_{end}") for end in ("rows", "columns"))
            if rows is None or columns is None:
                continue
            pair = [self._ints(f"{matrix}_rows", rows), self._ints(f"{matrix}_columns", columns)]
            for label, indices, limit in zip(("row", "column"), pair, (row_count, n)):
                if len(indices) != len(pair[0]) or np.any((indices < 0) | (indices >= limit)):
                    raise InputError(
                        f"The pattern of {matrix} needs a row and a column for each nonzero, "
                        f"{label}s from 0 to {limit - 1}."
                    )
            setattr(struct, f"{matrix}_count", len(pair[0]))
        if functions.W_twins is not None:
            self._ints("W_twins", functions.W_twins)
        holonomic = self._ints("holonomic", np.asarray(functions.holonomic, dtype=bool))
        if len(holonomic) != m:
            raise InputError(f"{m} constraint rows need as many holonomic marks.")

    def _callable(self, function: FunctionData | None) -> CallableStruct:
        if function is None:
            return CallableStruct()
        work = aligned_zeros(function.work_size)
        self._kept_alive.append(work)
        return CallableStruct(function.address, address_of(work), function.context_address)

    def _ints(self, name: str, values: ArrayLike, owner: ctypes.Structure | None = None) -> Indices:
        array = np.ascontiguousarray(values, dtype=np.int32)
        self._place(name, array, owner)
        return array

    def _doubles(self, name: str, count: int, owner: ctypes.Structure | None = None) -> None:
        self._place(name, aligned_zeros(max(count, 1)), owner)

    def _place(self, name: str, array: NDArray[Any], owner: ctypes.Structure | None = None) -> None:
        if owner is None:
            self._arrays[name] = array
        self._kept_alive.append(array)
        setattr(owner or self.struct, name, address_of(array))

    def _make_arrays(self, stiff: bool) -> None:
        s = self.struct
        n, m, state = s.n, s.m, s.nq + s.n + s.nz
        for name in ("x", "settled", "increment"):
            self._doubles(name, state)
        self._doubles("at_terms", 3 * m + s.J_count + s.W_count + s.M_count + n + s.nz)
        self._doubles("at_positions", m + s.J_count)
        for name in (
            "b", "lambda", "residual", "right", "row_weight", "m_scratch", "mu", "chosen_pivot",
            "best_pivot", "pivot", "inverse_pivot", "pivot_floor", "chosen_size", "row_size",
        ):  # fmt: skip
            self._doubles(name, m)
        self._arrays["row_weight"][:] = 1.0
        for name in ("a", "scale", "step", "n_scratch", "no_force"):
            self._doubles(name, n)
        full = not s.sparse
        self._doubles("LU", m * n + 1 if full else 1)  # at the end, what rows left out would hold
        self._doubles("B", m * n if full else 1)
        self._doubles("candidates", m * n if full else m)
        for name in ("mass", "T", "reduced", "A", "matrix"):
            self._doubles(name, n * n if full else 1)
        self._doubles("stiff", 2 * n * n if stiff else 1)
        self._ints("rows", np.arange(m))
        self._ints("columns", np.arange(n))
        self._ints("dropped", np.zeros(m))
        self._ints("level", np.zeros(n))
        self._ints("J_places", np.zeros(s.J_count))
        self._ints("M_places", np.zeros(2 * s.M_count))
        self._ints("pivots", np.zeros(max(n, m)))

    # ---- many loops -----------------------------------------------------------------------------

    def _eliminations(self) -> tuple[Elimination, Elimination]:
        """Of [[M, Jᵀ], [J, 0]], multipliers after the coordinates they touch, and of J Jᵀ."""
        s = self.struct
        J = list(zip(self._list("J_rows"), self._list("J_columns")))
        M = list(zip(self._list("M_rows"), self._list("M_columns")))
        touched: dict[int, set[int]] = {}
        touching: dict[int, list[int]] = {}
        for i, j in J:
            touched.setdefault(s.n + i, set()).add(j)
            touching.setdefault(j, []).append(i)
        pairs = [*M, *((s.n + i, j) for i, j in J)]
        motion = eliminate(pairs, minimum_degree(s.n + s.m, pairs, touched))
        meeting = [(i, k) for rows in touching.values() for i in rows for k in rows]
        return motion, eliminate(meeting, minimum_degree(s.m, meeting))

    def _list(self, name: str) -> list[int]:
        values: list[int] = self._arrays[name].tolist()
        return values

    def _pays(self, eliminations: tuple[Elimination, Elimination]) -> bool:
        n, m = self.struct.n, self.struct.m
        free = max(n - m, 0)
        full = m * m * n / 2 + n * m * free + n * free * free
        return _SCATTER * sum(len(each.targets) for each in eliminations) < full

    def _make_sparse(self, motion: Elimination, gram: Elimination) -> None:
        s = self.struct
        n, m = s.n, s.m
        sparse = _SparseStruct(motion=self._ldl(motion), gram=self._ldl(gram))
        J = list(zip(self._list("J_rows"), self._list("J_columns")))
        M = zip(self._list("M_rows"), self._list("M_columns"))
        self._ints("motion_M", [motion.value_index(i, j) for i, j in M], sparse)
        self._ints("motion_J", [motion.value_index(n + i, j) for i, j in J], sparse)
        self._ints("coordinate_place", motion.place[:n], sparse)
        self._ints("row_place", motion.place[n:], sparse)
        self._ints("gram_place", gram.place, sparse)
        self._ints("gram_order", gram.order, sparse)
        self._products(sparse, gram, J)
        by_row: list[list[int]] = [[] for _ in range(m)]
        for k, (i, _) in enumerate(J):
            by_row[i].append(k)
        self._ints("row_starts", np.cumsum([0, *map(len, by_row)]), sparse)
        self._ints("row_entries", [k for entries in by_row for k in entries], sparse)
        for name, count in (
            ("motion_scratch", n + m), ("motion_reference", n + m), ("gram_scratch", m),
            ("gram_reference", m), ("wide", n),
        ):  # fmt: skip
            self._doubles(name, count, sparse)
        self._ints("motion_dropped", np.zeros(n + m), sparse)
        self._ints("gram_dropped", np.zeros(m), sparse)
        sparse.pool_size = min(2 * m * n, _POOL) + n
        self._doubles("pool_values", sparse.pool_size, sparse)
        self._ints("pool_columns", np.zeros(sparse.pool_size), sparse)
        self._ints("pool_starts", np.zeros(m + 2), sparse)
        self._kept_alive.append(sparse)
        s.sparse = ctypes.addressof(sparse)

    def _products(self, sparse: _SparseStruct, gram: Elimination, J: list[tuple[int, int]]) -> None:
        """J D Jᵀ as a list: each pair of entries in a column, once."""
        by_column: dict[int, list[int]] = {}
        for k, (_, j) in enumerate(J):
            by_column.setdefault(j, []).append(k)
        rows = [
            (gram.value_index(J[a][0], J[b][0]), a, b, j)
            for j, entries in by_column.items()
            for position, a in enumerate(entries)
            for b in entries[position:]
        ]
        sparse.products = len(rows)
        table = np.array(rows, dtype=np.int32).reshape(-1, 4)
        for column, name in enumerate(("target", "first", "second", "column")):
            self._ints(f"product_{name}", table[:, column], sparse)

    def _ldl(self, elimination: Elimination) -> _LdlStruct:
        struct = _LdlStruct(size=elimination.size)
        for name in ("starts", "rows", "targets"):
            self._ints(name, getattr(elimination, name), struct)
        self._doubles("values", elimination.value_count, struct)
        return struct
