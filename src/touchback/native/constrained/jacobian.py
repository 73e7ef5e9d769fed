"""The Jacobian of the rate of a mechanism with constraints, from slopes of its equations."""

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from touchback.errors import InputError
from touchback.native.integrate.problem import CallableStruct, FunctionData, Problem
from touchback.native.library import address_of, aligned_zeros


@dataclass(frozen=True)
class RateSlopes:
    """Derivatives by x = [q, v, z] of, stacked,

        dq/dt (nq),  M a − f − Wᵀλ (n),  h (m),  J v − b (m),  J a + γ (m),  dz/dt (nz)

    at fixed a and λ. The function gives the nonzeros from x, u = [t, inputs…, a, λ] and a parameter
    block of its own; `rows` and `columns`, rising, say where they stand.
    """

    function: FunctionData
    rows: ArrayLike
    columns: ArrayLike


class _RateSlopesStruct(ctypes.Structure):
    """tb_rate_slopes of constrained/jacobian.c."""

    _fields_ = [
        ("problem", ctypes.c_void_p),
        ("slopes", CallableStruct),
        *[(name, ctypes.c_void_p) for name in ("rows", "starts")],
        *[(name, ctypes.c_long) for name in ("row_count", "input_count")],
        *[
            (name, ctypes.c_void_p)
            for name in ("u", "values", "stacks", "column", "matrix", "right", "pivots")
        ],
    ]


class ConstrainedJacobian:
    """∂(dx/dt)/∂x of a problem with constraints: a function of the one calling convention."""

    work_size = 0

    def __init__(self, problem: Problem, slopes: RateSlopes) -> None:
        enforced = problem.enforced
        if enforced is None or not enforced.jacobian_address:
            raise InputError(
                "Slopes of constrained equations serve a problem whose constraints are enforced by "
                "a rate; give the Jacobian of the rate itself, or none."
            )
        (nq, n, nz), m, function = problem.sizes, enforced.row_count, slopes.function
        size, stack, inputs = problem.state_size, nq + n + 3 * m + nz, len(problem.u)
        rows = np.ascontiguousarray(slopes.rows, dtype=np.int32)
        starts = np.searchsorted(slopes.columns, np.arange(size + 1)).astype(np.int32)
        arrays: list[NDArray[Any]] = [
            aligned_zeros(inputs + n + m),
            aligned_zeros(len(rows)),
            aligned_zeros(size * stack),
            aligned_zeros(size),
            aligned_zeros(1 if enforced.sparse else (n + m) ** 2),
            aligned_zeros(n + m),
            np.zeros(n + m, dtype=np.int32),
        ]
        work = aligned_zeros(function.work_size)
        self._kept_alive = [function, work, rows, starts, *arrays]
        self._struct = _RateSlopesStruct(
            problem.address,
            CallableStruct(function.address, address_of(work), function.context_address),
            address_of(rows), address_of(starts), stack, inputs, *map(address_of, arrays),
        )  # fmt: skip
        self.address = enforced.jacobian_address
        self.context_address = ctypes.addressof(self._struct)
