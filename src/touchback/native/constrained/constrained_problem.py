"""Mechanisms with constraints: M a = f + Wᵀλ, h(q, t) = 0, J v = b, J a + γ = 0.

A `Constrained` joins the functions of a mechanism with the way in which its constraints are
enforced. It is a rate of the one calling convention, so that every integrator takes it, and it
settles states after accepted steps (problem.h).
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.native.c_struct import FunctionData, Indices, Record
from touchback.native.constrained.formulation_kinds import Formulation, formulation_of
from touchback.native.integrate.problem_struct import Problem, Refresh, SampledInputs, Solved
from touchback.native.linear.sparse_elimination import Elimination, eliminate, minimum_degree
from touchback.native.shared_library import LIB, Floats, address_of

_SMALL = 20  # freedoms up to which full matrices are always quicker


_SCATTER = 6  # what an operation along index lists costs, in operations on full matrices


_POOL = 1 << 22  # numbers: the most that the rows of a sparse choice may take


ARRAYS = ("TB_CHOICE_ARRAYS", "TB_SOLUTION_ARRAYS", "TB_WORK_ARRAYS", "TB_IMPLICIT_ARRAYS")


def constrained_arrays(model: ctypes.Structure) -> list[tuple[str, str, int]]:
    """Types, names and sizes of all arrays of the workspace (arrays.h) of a
    tb_constrained_model."""
    known = [array for table in ARRAYS for array in LIB.arrays(table)]
    sizes = np.zeros(len(known), dtype=np.int64)
    LIB.tb_constrained_array_sizes(ctypes.addressof(model), address_of(sizes))
    return [(kind, name, size) for (kind, name), size in zip(known, sizes.tolist(), strict=True)]


class ConstrainedStructs:
    """The model and the workspace of a mechanism in C (struct.h), with everything that they point
    to; `record` is a tb_constrained, which has them both."""

    def __init__(self, functions: ConstrainedFunctions, sparse: bool | None) -> None:
        self._floats: dict[str, Floats] = {}
        self._ints: dict[str, Indices] = {}
        nq, n, nz = functions.sizes
        self._model = Record("tb_constrained_model", nq=nq, n=n, nz=nz, m=len(functions.names))
        self._work = Record("tb_constrained_work")
        self.model, self.work = self._model.struct, self._work.struct
        self.record = Record("tb_constrained", model=self._model.address, work=self._work.address)
        self.record.owned += [functions, self._model, self._work]
        self._patterns(functions)
        for name in ("terms", "positions", "velocity_level", "configuration_rate", "stiffness"):
            self._model.call(name, getattr(functions, name))
        eliminations = self._eliminations() if sparse or n > _SMALL else None
        if eliminations is not None and (sparse or (sparse is None and self._pays(eliminations))):
            self._make_sparse(*eliminations)
        self._make_arrays()

    def floats(self, name: str) -> Floats:
        """An array of doubles of the workspace by name."""
        return self._floats[name]

    def ints(self, name: str) -> Indices:
        """An array of integers by name."""
        return self._ints[name]

    def _patterns(self, functions: ConstrainedFunctions) -> None:
        n, m = self.model.n, self.model.m
        for matrix, row_count in (("J", m), ("W", m), ("M", n)):
            rows, columns = (getattr(functions, f"{matrix}_{end}") for end in ("rows", "columns"))
            if rows is None or columns is None:
                continue
            given = ((f"{matrix}_rows", rows), (f"{matrix}_columns", columns))
            pair = [self._set_pattern(name, indices) for name, indices in given]
            for label, indices, limit in zip(("row", "column"), pair, (row_count, n)):
                if len(indices) != len(pair[0]) or np.any((indices < 0) | (indices >= limit)):
                    raise InputError(
                        f"The pattern of {matrix} needs a row and a column for each nonzero, "
                        f"{label}s from 0 to {limit - 1}."
                    )
            setattr(self.model, f"{matrix}_count", len(pair[0]))
        if functions.W_twins is not None:
            self._set_pattern("W_twins", functions.W_twins)
        holonomic = self._set_pattern("holonomic", np.asarray(functions.holonomic, dtype=bool))
        none = np.zeros(m, dtype=bool)
        driven = self._set_pattern("driven", none if functions.driven is None else functions.driven)
        if not len(holonomic) == len(driven) == m:
            raise InputError(f"{m} constraint rows need as many holonomic and driven marks.")

    def _set_pattern(self, name: str, values: ArrayLike) -> Indices:
        self._ints[name] = self._model.ints(name, values)
        return self._ints[name]

    def _make_arrays(self) -> None:
        # Doubles before integers: interleaved, steps of small loops take a tenth longer.
        described = sorted(constrained_arrays(self.model), key=lambda each: each[0])
        self._floats, ints = self._work.arrays(described)
        self._ints |= ints
        self._floats["row_weight"][:] = 1.0
        for name in ("rows", "columns"):
            self._ints[name][:] = np.arange(len(self._ints[name]))

    @property
    def owned(self) -> list[object]:
        """What lives as long as this."""
        return [*self.record.owned, *self._model.owned, *self._work.owned]

    def share_loads(self) -> None:
        """Memory with which rows that contradict each other are met as well as can be."""
        size = self.model.n + self.model.m
        shared = Record("tb_shared_load")
        for name, count in (("matrix", size * size), ("right", size), ("solution", size),
                            ("work", 2 * size)):  # fmt: skip
            shared.floats(name, count)
        shared.ints("order", np.zeros(size))
        self._work.owned += [shared, *shared.owned]
        self.work.shared = shared.address

    # ---- many loops -----------------------------------------------------------------------------

    def _eliminations(self) -> tuple[Elimination, Elimination]:
        """Of [[M, Jᵀ], [J, 0]], multipliers after the coordinates they touch, and of J Jᵀ."""
        s = self.model
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
        values: list[int] = self._ints[name].tolist()
        return values

    def _pays(self, eliminations: tuple[Elimination, Elimination]) -> bool:
        n, m = self.model.n, self.model.m
        free = max(n - m, 0)
        full = m * m * n / 2 + n * m * free + n * free * free
        return _SCATTER * sum(len(each.targets) for each in eliminations) < full

    def _make_sparse(self, motion: Elimination, gram: Elimination) -> None:
        n, m = self.model.n, self.model.m
        sparse = Record("tb_sparse", pool_size=min(2 * m * n, _POOL) + n)
        work = Record("tb_sparse_work")
        J = list(zip(self._list("J_rows"), self._list("J_columns")))
        M = zip(self._list("M_rows"), self._list("M_columns"))
        by_row: list[list[int]] = [[] for _ in range(m)]
        for k, (i, _) in enumerate(J):
            by_row[i].append(k)
        size = sparse.struct.pool_size
        ints: dict[str, ArrayLike] = {
            "motion_M": [motion.value_index(i, j) for i, j in M],
            "motion_J": [motion.value_index(n + i, j) for i, j in J],
            "coordinate_place": motion.place[:n], "row_place": motion.place[n:],
            "gram_place": gram.place, "gram_order": gram.order,
            "row_starts": np.cumsum([0, *map(len, by_row)]),
            "row_entries": [k for entries in by_row for k in entries],
        }  # fmt: skip
        for name, values in (ints | _products(gram, J)).items():
            filled = sparse.ints(name, values)
        sparse.struct.products = len(filled)  # the products' lists came last
        for name, elimination in (("motion", motion), ("gram", gram)):
            ldl = Record(getattr(sparse.struct, name))
            ldl.struct.size = elimination.size
            for part in ("starts", "rows", "targets"):
                ldl.ints(part, getattr(elimination, part))
            sparse.owned += ldl.owned
        work.arrays([
            ("double", "motion_scratch", n + m), ("double", "motion_reference", n + m),
            ("double", "gram_scratch", m), ("double", "gram_reference", m), ("double", "wide", n),
            ("double", "motion_values", motion.value_count),
            ("double", "gram_values", gram.value_count),
            ("int", "motion_dropped", n + m), ("int", "gram_dropped", m),
            ("int", "pool_starts", m + 2), ("double", "pool_values", size),
            ("int", "pool_columns", size),
        ])  # fmt: skip
        self._model.owned += [sparse, *sparse.owned]
        self._work.owned += [work, *work.owned]
        self.model.sparse, self.work.sparse = sparse.address, work.address


def _products(gram: Elimination, J: list[tuple[int, int]]) -> dict[str, ArrayLike]:
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
    table = np.array(rows, dtype=np.int32).reshape(-1, 4)
    names = ("product_target", "product_first", "product_second", "product_column")
    return dict(zip(names, table.T))


@dataclass(frozen=True, eq=False)
class ConstrainedFunctions:
    """What a formulation needs of a mechanism with n freedoms and m constraint rows.

    All functions read x = [q, v, z], u = [t, inputs…] and one parameter block.

    terms               [h (m), b (m), γ (m), J, W, M, f (n), dz/dt]; nonzeros in the order of the
                        patterns, W only where it has a pattern, M its lower triangle;
                        f = joint efforts − bias
    positions           [h (m), J]
    velocity_level      [b (m)]; None when b = 0 at all times
    configuration_rate  [dq/dt], linear in v; None when it is v. An increment δ in velocities acts
                        as q + dq/dt(q, v = δ)
    stiffness           [∂f/∂q (n × n, by increments in velocities), ∂f/∂v (n × n), ∂f/∂z (n × nz)],
                        then the same of dz/dt (nz × n, nz × n, nz × nz); None when the implicit
                        formulations shall do without
    W_rows, W_columns   where multipliers act through something else than Jᵀ (servo-constraints,
                        friction)
    holonomic           of each row: whether it has an equation for positions (else h = 0)
    W_twins             of each nonzero of W in a row with friction: its place among J's, −1 where J
                        has none; −2 in other rows. None without friction
    driven              of each row: whether it prescribes a coordinate; None: none does
    """

    sizes: tuple[int, int, int]  # nq, n, nz
    names: Sequence[str]  # of the rows
    terms: FunctionData
    positions: FunctionData
    velocity_level: FunctionData | None
    configuration_rate: FunctionData | None
    J_rows: ArrayLike
    J_columns: ArrayLike
    M_rows: ArrayLike
    M_columns: ArrayLike
    holonomic: ArrayLike
    W_rows: ArrayLike | None = None
    W_columns: ArrayLike | None = None
    stiffness: FunctionData | None = None
    W_twins: ArrayLike | None = None
    driven: ArrayLike | None = None

    @property
    def friction_rows(self) -> list[str]:
        """Names of the rows with friction."""
        if self.W_twins is None or self.W_rows is None:
            return []
        rows = np.asarray(self.W_rows)[np.asarray(self.W_twins) >= -1]
        return [self.names[i] for i in np.unique(rows)]


class Constrained:
    """A mechanism whose constraints are enforced by a formulation.

    `sparse` says whether the many-loops way is taken; by default where it costs less. It pays with
    the square of J's condition number: rows count as redundant, and positions as singular, from
    some 1e-6 on instead of 1e-8.
    """

    def __init__(
        self,
        functions: ConstrainedFunctions,
        formulation: str | Formulation | None = None,
        *,
        sparse: bool | None = None,
    ) -> None:
        self.functions, self.formulation = functions, formulation_of(formulation)
        kind = self.formulation
        elsewhere = functions.W_rows is not None
        if elsewhere and not kind.elsewhere:
            raise InputError(
                f"The formulation {kind.word!r} can't take servo-constraints and constraints "
                "with friction, whose forces act elsewhere than they constrain; use "
                "'partitioning', 'multipliers', 'baumgarte' or 'projection'."
            )
        dense_only = elsewhere or (kind.step and functions.stiffness is not None)
        if sparse and dense_only:
            raise InputError(
                "Servo-constraints, constraints with friction, and implicit formulations with "
                "stiffness need full matrices: leave sparse=True away."
            )
        self.stepper: str | None = kind.word if kind.step else None
        self._memory = ConstrainedStructs(functions, False if dense_only else sparse)
        model = self._memory.model
        model.tolerance, model.rank_tolerance = kind.tolerance, kind.rank_tolerance
        for name, setting in asdict(kind).items():
            setattr(model, name, setting)
        self.address = LIB.address(f"tb_{kind.rate}")
        self.work_size = 0
        self.context_address = self._memory.record.address
        self.table_address, self.field = LIB.address(f"tb_{kind.table}"), "constrained"
        self.jacobian_address = LIB.address(f"tb_{kind.jacobian}") if kind.jacobian else 0
        self.row_count = len(functions.names)
        # Where the rate leaves accelerations and multipliers.
        self.solved = Solved(self._memory.floats("a"), self._memory.floats("lambda"))

    def problem(
        self,
        u: ArrayLike = (0.0,),
        p: ArrayLike = (),
        inputs: SampledInputs | Refresh | None = None,
    ) -> Problem:
        """The problem that integrators take; one Constrained serves one problem at a time."""
        functions = self.functions
        return Problem(self, functions.sizes, u, p, functions.configuration_rate, inputs, self)

    def share_loads(self) -> None:
        """Lets rows that contradict each other be met as well as can be, where else some are."""
        self._memory.share_loads()

    @property
    def sparse(self) -> bool:
        """Whether the many-loops way is taken."""
        return bool(self._memory.model.sparse)

    @property
    def term_count(self) -> int:
        """How many numbers the mechanism's terms are."""
        return len(self._memory.floats("at_terms"))

    @property
    def owned(self) -> list[object]:
        """What lives as long as this: arrays that a rate works on among it."""
        return self._memory.owned

    @property
    def multipliers(self) -> Floats:
        """λ of the last evaluation, of least norm where rows are redundant there."""
        return self.solved.multipliers.copy()

    @property
    def accelerations(self) -> Floats:
        """a of the last evaluation."""
        return self.solved.accelerations.copy()

    @property
    def dependent(self) -> list[int]:
        """The freedoms that are dependent at present."""
        return sorted(int(j) for j in self._memory.ints("columns")[: self._memory.work.rank])

    @property
    def redundant(self) -> list[str]:
        """The rows that are redundant at present."""
        rows = self._memory.ints("rows")[self._memory.work.rank :]
        return [self.functions.names[i] for i in sorted(rows)]

    @property
    def shared(self) -> list[str]:
        """The rows with friction whose forces redundant rows could carry as well, where the motion
        was evaluated last: then nobody can tell how much friction there is."""
        return [name for name in self.functions.friction_rows if name in self.undetermined]

    @property
    def undetermined(self) -> list[str]:
        """The rows that share forces which mechanics leaves open, where the motion was evaluated
        last."""
        model, work = self._memory.model, self._memory.work
        if not work.started or work.rank == model.m:
            return []
        J, ints = np.zeros((model.m, model.n)), self._memory.ints
        values = self._memory.floats("at_terms")[3 * model.m :][: model.J_count]
        J[ints("J_rows"), ints("J_columns")] = values
        shares = np.abs(np.linalg.svd(J)[0][:, work.rank :]).max(axis=1)
        return [name for name, share in zip(self.functions.names, shares) if share > 1e-6]

    @property
    def statistics(self) -> dict[str, float]:
        """Counts since the start (tb_constraint_statistics of constrained.h)."""
        counts = self._memory.work.statistics
        return {name: getattr(counts, name) for name, _ in counts._fields_}
