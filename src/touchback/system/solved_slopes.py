"""Derivatives of accelerations whose solutions are too many to unroll, as a function."""

from functools import cached_property

import numpy as np

from touchback.codegen import Compiled
from touchback.native.library import LIB
from touchback.native.record import Record
from touchback.system.function import Function


class SolvedSlopes(Function):
    """[−M⁻¹ ∂τ/∂q, −M⁻¹ ∂τ/∂v, M⁻¹] from generated code that gives ∂τ/∂q, ∂τ/∂v and M, by loops
    of the C library along the tree, several columns at once (`native/linear/tree_slopes.h`). What
    is counted and listed is the generated code."""

    def __init__(self, efforts: Function, order: np.ndarray) -> None:
        """`order`: coordinates, parents first."""
        super().__init__(
            efforts.name, efforts.first, efforts.second, efforts.shape, efforts.backend
        )
        self._efforts, self._order = efforts, order

    @cached_property
    def compiled(self) -> Compiled:
        """The C function around the generated one."""
        inner, n = self._efforts.compiled, len(self._order)
        record = Record("tb_tree_slopes", efforts=inner.address, n=n, context=inner.context_address)
        record.ints("order", self._order)
        return Compiled(
            self.second, self.name.replace(" ", "_"), "c", LIB.address("tb_solved_tree_slopes"),
            LIB.tb_tree_slopes_work(n) + inner.work_size, record.address, owners=(record, inner),
        )  # fmt: skip
