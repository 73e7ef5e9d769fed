"""Moreau and Jean's time stepping inside C (moreau_jean.h)."""

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from touchback.native.contact_mode import ContactFunctions
from touchback.native.integrate import Status
from touchback.native.library import LIB, Floats, address_of, aligned_zeros
from touchback.native.problem import CallableStruct, FunctionData, Problem

_SIZES = ("nq", "n", "nz", "bilateral", "rows", "contacts", "groups")
_COUNTS = ("pivots", "sweeps", "swept", "rough", "unsettled")
_P = ctypes.c_void_p


class _ProblemStruct(ctypes.Structure):
    """tb_contact_problem of contact_problem.h."""

    _fields_ = [
        *[(name, ctypes.c_long) for name in ("rows", "contacts", "groups")],
        *[(name, _P) for name in ("G", "c", "normals", "group_rows", "group_contact")],
        ("coefficient", _P),
    ]


class _MemoryStruct(ctypes.Structure):
    """tb_contact_memory of contact_problem.h."""

    _fields_ = [
        *[(name, _P) for name in ("tableau", "matrix", "spread", "right", "found", "trial")],
        *[(name, _P) for name in ("basis", "order", "columns", "held")],
    ]


class _StepStruct(ctypes.Structure):
    """tb_moreau_jean of moreau_jean.h."""

    _fields_ = [
        *[(name, ctypes.c_long) for name in _SIZES],
        *[(name, CallableStruct) for name in ("kinematics", "smooth")],
        *[(name, _P) for name in ("normals", "group_rows", "group_contact")],
        *[(name, ctypes.c_double) for name in ("t0", "h", "theta")],
        ("steps", ctypes.c_long),
        *[(name, _P) for name in ("x", "impulses")],
        *[(name, ctypes.c_long) for name in ("bad", *_COUNTS)],
        *[(name, _P) for name in ("at_smooth", "now", "then", "A", "free", "ahead", "mass", "B")],
        *[(name, _P) for name in ("G", "c", "p", "own", "own_right", "own_found")],
        *[(name, _P) for name in ("pivots_of_A", "own_order", "own_columns", "local")],
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
    """A contact problem in C's memory, for up to `rows` rows: arrays `G`, `c` and tables."""

    def __init__(self, rows: int, contacts: int, groups: int) -> None:
        size = contacts + 3 * groups
        self._arrays: dict[str, NDArray[Any]] = {
            "G": aligned_zeros(rows * rows), "c": aligned_zeros(rows),
            "coefficient": aligned_zeros(groups), "tableau": aligned_zeros(size * (2 * size + 2)),
            "matrix": aligned_zeros(rows * rows), "spread": aligned_zeros(rows * rows),
            **{name: aligned_zeros(rows) for name in ("right", "found", "trial")},
            "normals": np.zeros(contacts, np.int32), "group_rows": np.zeros(2 * groups, np.int32),
            "group_contact": np.zeros(groups, np.int32), "basis": np.zeros(2 * size, np.int32),
            **{name: np.zeros(rows, np.int32) for name in ("order", "columns", "held")},
        }  # fmt: skip
        addresses = {name: address_of(array) for name, array in self._arrays.items()}
        own = {field[0] for field in _ProblemStruct._fields_}
        self.problem = _ProblemStruct(
            rows, contacts, groups, **{name: a for name, a in addresses.items() if name in own}
        )
        self.memory = _MemoryStruct(**{n: a for n, a in addresses.items() if n not in own})

    def solve(
        self, G: ArrayLike, c: ArrayLike, normals: ArrayLike, groups: Any, method: str
    ) -> tuple[Floats, int]:
        """p by "lemke" or "gauss-seidel", and the pivots or sweeps (−1: failed); `groups` are
        (rows, contact, coefficient)."""
        arrays = self._arrays
        arrays["G"][:], arrays["c"][:] = np.ravel(G), c
        arrays["normals"][:] = normals
        for g, (rows, contact, coefficient) in enumerate(groups):
            arrays["group_rows"][2 * g : 2 * g + 2] = [*rows, -1][:2]
            arrays["group_contact"][g], arrays["coefficient"][g] = contact, coefficient
        p = np.zeros(len(arrays["c"]))
        at = ctypes.byref(self.problem)
        if method == "lemke":
            count = LIB.tb_lemke(at, address_of(p), ctypes.byref(self.memory))
        else:
            count = LIB.tb_gauss_seidel(at, address_of(p), 1e-13, 100_000)
        return p, int(count)


class MoreauJean:
    """Steps of length `step` from the state x at t0. The `problem` gives the inputs and, where
    q̇ ≠ v, the configuration rate; `x` is always the last good state."""

    def __init__(
        self,
        functions: ContactFunctions,
        kinematics: FunctionData,
        smooth: FunctionData,
        problem: Problem,
        x: ArrayLike,
        t0: float,
        step: float,
        theta: float,
    ) -> None:
        nq, n, nz = functions.sizes
        m, rows = functions.bilateral, functions.rows
        contacts, groups, N = len(functions.normals), len(functions.groups), nq + n + nz
        self.problem, self._rows = problem, rows
        self.x = np.array(x, dtype=np.float64)
        self._impulses = ImpulseProblem(max(rows - m, 1), contacts, groups)
        kinematic = n * n + rows * (2 * n + 1) + m
        sizes = {
            "impulses": rows, "at_smooth": N + N * N + 2 * contacts + groups, "now": kinematic,
            "then": kinematic, "A": N * N, "free": N, "ahead": N, "mass": n * n,
            "B": (rows + 3) * N, "G": rows * rows, "c": rows, "p": rows, "own": m * m,
            "own_right": m, "own_found": m * (rows + 1),
        }  # fmt: skip
        self._arrays: dict[str, NDArray[Any]] = {k: aligned_zeros(v) for k, v in sizes.items()}
        tables = {
            "normals": functions.normals,
            "group_rows": [[*members, -1, -1][:2] for members, _ in functions.groups],
            "group_contact": [contact for _, contact in functions.groups],
            "pivots_of_A": [0] * N, "local": [0] * rows,
            "own_order": [0] * m, "own_columns": [0] * m,
        }  # fmt: skip
        for name, table in tables.items():
            self._arrays[name] = np.array(table, dtype=np.int32).reshape(-1)
        self._struct = _StepStruct(
            **dict(zip(_SIZES, (nq, n, nz, m, rows, contacts, groups))),
            **{name: address_of(array) for name, array in self._arrays.items()},
            t0=t0, h=step, theta=theta, x=address_of(self.x), bad=-1,
        )  # fmt: skip
        self._struct.problem, self._struct.memory = self._impulses.problem, self._impulses.memory
        self._struct.kinematics = self._callable(kinematics)
        self._struct.smooth = self._callable(smooth)

    def advance(self, count: int) -> tuple[Status, Steps]:
        """Takes `count` steps, or fewer where the state stops being finite."""
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
