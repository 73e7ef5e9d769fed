"""The Jacobian of the rate of a mechanism with constraints, from slopes of its equations."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.native.c_struct import FunctionData, Record
from touchback.native.integrate.problem_struct import Problem


@dataclass(frozen=True)
class RateDerivatives:
    """Derivatives by x = [q, v, z] of, stacked,

        dq/dt (nq),  M a − f − Wᵀλ (n),  h (m),  J v − b (m),  J a + γ (m),  dz/dt (nz)

    at fixed a and λ. The function gives the nonzeros from x, u = [t, inputs…, a, λ] and a parameter
    block of its own; `rows` and `columns`, rising, say where they stand.
    """

    function: FunctionData
    rows: ArrayLike
    columns: ArrayLike


class ConstrainedJacobian:
    """∂(dx/dt)/∂x of a problem with constraints: a function of the one calling convention."""

    work_size = 0

    def __init__(self, problem: Problem, slopes: RateDerivatives) -> None:
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
        self._record = record = Record(
            "tb_rate_derivatives", problem=problem.address, row_count=stack, input_count=inputs
        )
        record.call("slopes", function)
        record.point("rows", rows)
        record.point("starts", starts)
        for name, count in (
            ("u", inputs + n + m), ("values", len(rows)), ("stacks", size * stack),
            ("column", size), ("matrix", 1 if enforced.sparse else (n + m) ** 2),
            ("right", n + m),
        ):  # fmt: skip
            record.floats(name, count)
        record.ints("pivots", np.zeros(n + m))
        self.address = enforced.jacobian_address
        self.context_address = record.address
