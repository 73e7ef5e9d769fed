"""Motion with rigid contacts in one mode, as a rate that integrators take (contact/mode.h)."""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from touchback.native.integrate.problem import (
    CallableStruct,
    FunctionData,
    Problem,
    Refresh,
    SampledInputs,
)
from touchback.native.library import LIB, Floats, address_of, aligned_zeros

_SIZES = ("nq", "n", "nz", "bilateral", "rows", "contacts", "groups")
_TABLES = ("normals", "group_rows", "group_contact", "closed", "stuck")


class _ModeStruct(ctypes.Structure):
    """tb_contact_mode of contact/mode.h."""

    _fields_ = [
        *[(name, ctypes.c_long) for name in _SIZES],
        *[(name, CallableStruct) for name in ("forces", "configuration_rate")],
        *[(name, ctypes.c_void_p) for name in (*_TABLES, "way", "pinned")],
        *[(name, ctypes.c_void_p) for name in ("x", "at", "a", "lambda")],
        *[(name, ctypes.c_void_p) for name in ("mass", "effect", "spread", "G", "right")],
        *[(name, ctypes.c_void_p) for name in ("active", "order", "columns")],
        *[(name, ctypes.c_void_p) for name in ("increment", "step", "null")],
    ]


@dataclass(frozen=True)
class ContactFunctions:
    """What a run with rigid contacts needs: `forces` and `configuration_rate` (None: q̇ = v) on one
    parameter block, sizes (nq, nv, nz), and which rows there are: `bilateral` ones, the `normals`
    of contacts, and `groups` of friction rows with their contact."""

    sizes: tuple[int, int, int]
    forces: FunctionData
    configuration_rate: FunctionData | None
    bilateral: int
    rows: int
    normals: Sequence[int]
    groups: Sequence[tuple[Sequence[int], int]]


class ContactMode:
    """Which contacts are `closed`, which groups of friction are `stuck`, and the `way` (a row of
    two) of those that slip: arrays to be written between runs.

    It settles states onto the rows that hold, and gives what ends the mode (`indicators`). Another
    one can share its arrays (`like`), with memory of its own."""

    def __init__(self, functions: ContactFunctions, like: "ContactMode | None" = None) -> None:
        nq, n, nz = functions.sizes
        rows, contacts, groups = functions.rows, len(functions.normals), len(functions.groups)
        self.functions, self.stepper, self.sparse = functions, None, False
        self.jacobian_address = self.row_count = 0
        self._arrays: dict[str, NDArray[Any]] = {}
        pairs = [[*members, -1, -1][:2] for members, _ in functions.groups]
        tables = {
            "normals": functions.normals, "group_rows": pairs,
            "group_contact": [contact for _, contact in functions.groups],
            "closed": [0] * contacts, "stuck": [0] * groups, "pinned": [0] * groups,
            **dict.fromkeys(("active", "order", "columns"), [0] * rows),
        }  # fmt: skip
        outputs = (
            n * n + n + nz + rows * (2 * n + 2) + functions.bilateral + 2 * (contacts + groups)
        )
        sizes = {
            "way": 2 * groups, "x": nq + n + nz, "at": outputs, "a": n, "lambda": rows,
            "mass": n * n, "effect": max(rows, n), "spread": rows * n, "G": rows * rows,
            "right": rows, "increment": nq, "step": n, "null": rows * rows,
        }  # fmt: skip
        for name, table in tables.items():
            self._arrays[name] = np.array(table, dtype=np.int32).reshape(-1)
        for name, size in sizes.items():
            self._arrays[name] = aligned_zeros(size)
        if like is not None:
            for name in ("closed", "stuck", "way", "pinned"):
                self._arrays[name] = like._arrays[name]
        given = dict(zip(_SIZES, (nq, n, nz, functions.bilateral, rows, contacts, groups)))
        addresses = {name: address_of(array) for name, array in self._arrays.items()}
        self._struct = _ModeStruct(**given, **addresses)
        self._struct.forces = self._callable(functions.forces)
        self._struct.configuration_rate = self._callable(functions.configuration_rate)
        self.address, self.work_size = _symbol("contact_rate"), 0
        self.context_address = ctypes.addressof(self._struct)
        self.settle_address = _symbol("contact_settle")
        self.settle_data_address = self.context_address

    @property
    def closed(self) -> NDArray[np.int32]:
        """Of each contact."""
        return self._arrays["closed"]

    @property
    def stuck(self) -> NDArray[np.int32]:
        """Of each group of friction."""
        return self._arrays["stuck"]

    @property
    def pinned(self) -> NDArray[np.int32]:
        """Of each group: at its limit, but held by others, so that it ends no mode."""
        return self._arrays["pinned"]

    @property
    def way(self) -> Floats:
        """Of each group, a row of two."""
        return self._arrays["way"].reshape(-1, 2)

    @property
    def multipliers(self) -> Floats:
        """λ of all rows at the last evaluation."""
        return self._arrays["lambda"]

    @property
    def indicators(self) -> "Indicators":
        """What ends a mode when it falls through zero: of each contact, then of each group; then
        the slope of each contact's gap."""
        return Indicators(_symbol("contact_indicators"), self.context_address)

    def problem(
        self, u: Floats, p: Floats, inputs: SampledInputs | Refresh | None = None
    ) -> Problem:
        """The problem that integrators take."""
        functions = self.functions
        return Problem(self, functions.sizes, u, p, functions.configuration_rate, inputs, self)

    def _callable(self, function: FunctionData | None) -> CallableStruct:
        if function is None:
            return CallableStruct()
        work = aligned_zeros(function.work_size)
        self._arrays[f"work {len(self._arrays)}"] = work
        return CallableStruct(function.address, address_of(work), function.context_address)


@dataclass(frozen=True)
class Indicators:
    """A function of the one calling convention."""

    address: int
    context_address: int
    work_size: int = 0


def _symbol(name: str) -> int:
    return ctypes.cast(getattr(LIB, f"tb_{name}"), ctypes.c_void_p).value or 0
