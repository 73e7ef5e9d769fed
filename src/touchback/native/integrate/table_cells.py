"""Numbers that steps with error control follow from cell to cell (cells.h)."""

from collections.abc import Sequence

import numpy as np

from touchback.native.c_struct import FunctionData, Record
from touchback.native.integrate.problem_struct import Problem
from touchback.native.shared_library import LIB, Floats, address_of, as_floats


class Cells:
    """Numbers that a function gives from positions and its parameter block, and rising breaks of
    each."""

    def __init__(self, numbers: FunctionData, p: Floats, breaks: Sequence[Floats]) -> None:
        self._record = record = Record("tb_cells", count=len(breaks))
        record.call("numbers", numbers)
        record.point("p", as_floats(p))
        starts = np.cumsum([0, *map(len, breaks)], dtype=np.int64)
        record.point("starts", starts)
        record.point("breaks", as_floats(np.concatenate(breaks)))
        for name in ("first", "last"):
            record.floats(name, len(breaks))
        self.address = record.address

    def too_far(self, problem: Problem, x: Floats, after: Floats) -> float:
        """How far it is from a state to the one after it, as a multiple of how far is allowed."""
        states = as_floats(x), as_floats(after)
        return float(LIB.tb_problem_too_far(problem.address, *map(address_of, states)))
