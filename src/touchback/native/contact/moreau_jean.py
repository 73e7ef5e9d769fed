"""Moreau and Jean's time stepping inside C (moreau_jean.h)."""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from touchback.native.contact.pattern import COUNTS, TABLES, ContactPattern
from touchback.native.integrate.fixed_step import Status
from touchback.native.integrate.problem import CallableStruct, FunctionData, Problem
from touchback.native.library import LIB, Floats, address_of, aligned_zeros

_SIZES = ("nq", "n", "nz", "bilateral", "rows", "contacts", "groups")
MOST_DENSE, MOST_PIVOTED = 1024, 512  # rows, and unknowns of pivoting: islands above are swept
_COUNTS = ("pivots", "sweeps", "swept", "rough", "unsettled")
_P = ctypes.c_void_p


class _ProblemStruct(ctypes.Structure):
    """tb_contact_problem of contact/problem.h."""

    _fields_ = [
        *[(name, ctypes.c_long) for name in ("rows", "contacts", "groups")],
        *[(name, _P) for name in ("G", "starts", "columns", "own", "c", "normals", "group_rows")],
        *[(name, _P) for name in ("group_contact", "coefficient")],
    ]


class _MemoryStruct(ctypes.Structure):
    """tb_contact_memory of contact/problem.h."""

    _fields_ = [
        *[(name, ctypes.c_long) for name in ("rows", "size")],
        *[(name, _P) for name in ("tableau", "matrix", "spread", "right", "found", "trial")],
        *[(name, _P) for name in ("basis", "order", "columns", "held")],
    ]


class _PatternStruct(ctypes.Structure):
    """tb_contact_pattern of moreau_jean.h."""

    _fields_ = [*[(name, ctypes.c_long) for name in COUNTS], *[(name, _P) for name in TABLES]]


class _StepStruct(ctypes.Structure):
    """tb_moreau_jean of moreau_jean.h."""

    _fields_ = [
        *[(name, ctypes.c_long) for name in _SIZES],
        *[(name, CallableStruct) for name in ("kinematics", "smooth")],
        *[(name, _P) for name in ("normals", "group_rows")],
        *[(name, ctypes.c_double) for name in ("t0", "h", "theta")],
        ("steps", ctypes.c_long),
        *[(name, _P) for name in ("x", "impulses")],
        *[(name, ctypes.c_long) for name in ("bad", *_COUNTS)],
        ("pattern", _PatternStruct),
        *[(name, _P) for name in ("at_smooth", "now", "then", "A", "mass", "free", "ahead")],
        *[(name, _P) for name in ("delta", "block", "B", "found", "p", "own", "own_right")],
        *[(name, _P) for name in ("own_start", "pivots_of_A", "own_order", "own_columns")],
        *[(name, _P) for name in ("own_rank", "active", "ordered", "listed", "place", "heads")],
        *[(name, _P) for name in ("nexts", "queue", "island_rows", "island_contacts")],
        *[(name, _P) for name in ("island_groups", "marks")],
        ("problem", _ProblemStruct),
        ("memory", _MemoryStruct),
    ]


LIB.tb_moreau_jean_advance.argtypes = [_P, _P, ctypes.c_long, *[_P] * 5, ctypes.c_long]
LIB.tb_lemke.restype = LIB.tb_gauss_seidel.restype = ctypes.c_long
LIB.tb_lemke.argtypes = [_P, _P, _P]
LIB.tb_gauss_seidel.argtypes = [_P, _P, ctypes.c_double, ctypes.c_long]


@dataclass(frozen=True)
class Steps:
    """What steps gave, a row each: the state after it, impulses of all rows, the energy that each
    row took, the work of moving surfaces through it, and u = [t, inputs…] that it used."""

    states: Floats
    impulses: Floats
    losses: Floats
    moved: Floats
    inputs: Floats


class ImpulseProblem:
    """A contact problem in C's memory, for up to `rows` rows with so many nonzeros of G (all unless
    given); what is too large for dense matrices is swept."""

    def __init__(self, rows: int, contacts: int, groups: int, nonzeros: int | None = None) -> None:
        size = min(contacts + 3 * groups, MOST_PIVOTED)
        dense = min(rows, MOST_DENSE)
        products = rows * rows if nonzeros is None else nonzeros
        self._arrays: dict[str, NDArray[Any]] = {
            "G": aligned_zeros(products), "c": aligned_zeros(rows), "own": aligned_zeros(rows),
            "starts": np.zeros(rows + 1, np.int32), "columns": np.zeros(products, np.int32),
            "coefficient": aligned_zeros(groups), "normals": np.zeros(contacts, np.int32),
            "group_rows": np.zeros(2 * groups, np.int32),
            "group_contact": np.zeros(groups, np.int32),
        }  # fmt: skip
        self._work: dict[str, NDArray[Any]] = {
            "tableau": aligned_zeros(size * (2 * size + 2)),
            "matrix": aligned_zeros(dense * dense), "spread": aligned_zeros(dense * dense),
            **{name: aligned_zeros(dense) for name in ("right", "found", "trial")},
            "basis": np.zeros(2 * size, np.int32),
            **{name: np.zeros(dense, np.int32) for name in ("order", "columns", "held")},
        }  # fmt: skip
        places = [
            {name: address_of(array) for name, array in arrays.items()}
            for arrays in (self._arrays, self._work)
        ]
        self.problem = _ProblemStruct(rows, contacts, groups, **places[0])
        self.memory = _MemoryStruct(dense, size, **places[1])

    def solve(
        self, G: ArrayLike, c: ArrayLike, normals: ArrayLike, groups: Any, method: str
    ) -> tuple[Floats, int]:
        """p by "lemke" or "gauss-seidel", and the pivots or sweeps (−1: failed); `groups` are
        (rows, contact, coefficient)."""
        arrays, size = self._arrays, len(self._arrays["c"])
        arrays["G"][:], arrays["c"][:] = np.ravel(G), c
        arrays["own"][:] = np.diag(np.reshape(G, (size, size)))
        arrays["starts"][:] = np.arange(size + 1) * size
        arrays["columns"][:] = np.tile(np.arange(size), size)
        arrays["normals"][:] = normals
        for g, (rows, contact, coefficient) in enumerate(groups):
            arrays["group_rows"][2 * g : 2 * g + 2] = [*rows, -1][:2]
            arrays["group_contact"][g], arrays["coefficient"][g] = contact, coefficient
        p = np.zeros(size)
        at = ctypes.byref(self.problem)
        if method == "lemke":
            count = LIB.tb_lemke(at, address_of(p), ctypes.byref(self.memory))
        else:
            target = 1e-13 * float(np.abs(arrays["c"]).max(initial=0.0))
            count = LIB.tb_gauss_seidel(at, address_of(p), target, 100_000)
        return p, int(count)


@dataclass(frozen=True)
class SteppedFunctions:
    """What steps need of a mechanism: its functions (moreau_jean.h), the pattern of their nonzeros,
    and its rows."""

    sizes: tuple[int, int, int]
    kinematics: FunctionData
    smooth: FunctionData
    pattern: ContactPattern
    bilateral: int
    rows: int
    normals: Sequence[int]
    groups: Sequence[tuple[Sequence[int], int]]


class MoreauJean:
    """Steps of length `step` from the state x at t0. The `problem` gives the inputs and, where
    q̇ ≠ v, the configuration rate; `x` is always the last good state."""

    def __init__(
        self,
        functions: SteppedFunctions,
        problem: Problem,
        x: ArrayLike,
        t0: float,
        step: float,
        theta: float,
    ) -> None:
        m, rows, at = functions.bilateral, functions.rows, functions.pattern
        contacts, groups, N = len(functions.normals), len(functions.groups), sum(functions.sizes)
        self.problem, self._rows = problem, rows
        self.x = np.array(x, dtype=np.float64)
        self._impulses = ImpulseProblem(max(rows - m, 1), contacts, groups, at.most_products)
        masses, slopes, entries = (at.counts[name] for name in ("masses", "slopes", "entries"))
        kinematic = masses + rows + 2 * entries + m
        sizes = {
            "impulses": rows, "at_smooth": N + slopes + 2 * contacts + groups, "now": kinematic,
            "then": kinematic, "A": at.size("slope_starts"), "mass": at.size("mass_starts"),
            "free": N, "ahead": N, "delta": N, "block": at.largest_part, "B": at.size("pair_B"),
            "found": at.size("pair_found"), "p": rows, "own": at.size("own_places"),
            "own_right": m, "own_start": m,
        }  # fmt: skip
        counts = {
            "pivots_of_A": N, "own_order": m, "own_columns": m, "own_rank": at.parts,
            "active": contacts, "ordered": contacts, "listed": rows, "place": rows,
            "heads": at.parts, "nexts": len(at.tables["pair_row"]), "queue": contacts,
            "island_rows": contacts + 1, "island_contacts": contacts + 1,
            "island_groups": contacts + 1, "marks": rows + contacts,
        }  # fmt: skip
        self._arrays: dict[str, NDArray[Any]] = {k: aligned_zeros(v) for k, v in sizes.items()}
        self._arrays |= {name: np.zeros(count, np.int32) for name, count in counts.items()}
        members = [[*rows, -1, -1][:2] for rows, _ in functions.groups]
        self._arrays["normals"] = np.array(functions.normals, dtype=np.int32)
        self._arrays["group_rows"] = np.array(members, dtype=np.int32).reshape(-1)
        self._struct = _StepStruct(
            **dict(zip(_SIZES, (*functions.sizes, m, rows, contacts, groups))),
            **{name: address_of(array) for name, array in self._arrays.items()},
            t0=t0, h=step, theta=theta, x=address_of(self.x), bad=-1,
        )  # fmt: skip
        self._pattern = at
        self._struct.pattern = _PatternStruct(
            **at.counts, **{name: address_of(table) for name, table in at.tables.items()}
        )
        self._struct.problem, self._struct.memory = self._impulses.problem, self._impulses.memory
        self._struct.kinematics = self._callable(functions.kinematics)
        self._struct.smooth = self._callable(functions.smooth)

    def advance(self, count: int) -> tuple[Status, Steps]:
        """Takes `count` steps, or fewer where the state stops being finite or Ctrl-C is heard."""
        before = int(self._struct.steps)
        rows = [np.zeros((count, size)) for size in (len(self.x), *[self._rows] * 3)]
        inputs = np.zeros((count, len(self.problem.u)))
        status = LIB.tb_moreau_jean_advance(
            ctypes.byref(self._struct), self.problem.address, count,
            *(address_of(array) for array in rows), address_of(inputs), len(self.problem.u),
        )  # fmt: skip
        taken = int(self._struct.steps) - before
        return Status(status), Steps(*(array[:taken] for array in (*rows, inputs)))

    @property
    def statistics(self) -> dict[str, int]:
        """Pivots, sweeps, and steps: that swept, that settled only roughly, that didn't."""
        return {name: int(getattr(self._struct, name)) for name in _COUNTS}

    def _callable(self, function: FunctionData) -> CallableStruct:
        work = aligned_zeros(function.work_size)
        self._arrays[f"work {len(self._arrays)}"] = work
        return CallableStruct(function.address, address_of(work), function.context_address)
