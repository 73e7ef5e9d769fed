"""Accelerations and multipliers of a constrained system as a function that can be called."""

import threading
from functools import cached_property

import numpy as np

from touchback.native._calls import rows
from touchback.native.constrained.at_state import AtState
from touchback.native.constrained.constrained import ConstrainedFunctions
from touchback.system.function import Floats, Function, row_parts


class SolvedMotion:
    """[dq/dt, a, dz/dt, λ, refused] of a state: by the C code that runs use, but each call for
    itself. `refused` is not 0 where that has no answer: then other code must look."""

    def __init__(
        self,
        functions: ConstrainedFunctions,
        terms: Function,
        bias: Function | None,
        inputs: int,
    ) -> None:
        """With the function `bias`, efforts in u behind the inputs replace the model's own."""
        self.name = "motion"
        self.out_size = sum(functions.sizes) + len(functions.names) + 1
        self.shape = (self.out_size,)
        self._functions, self._terms, self._bias, self._inputs = functions, terms, bias, inputs
        self.block_size = terms.block_size + (0 if bias is None else bias.block_size)
        self._lock = threading.Lock()

    @property
    def refusal(self) -> int:
        """Which output tells that there is no answer."""
        return self.out_size - 1

    @cached_property
    def compiled(self) -> AtState:
        """For calls that hold Python's lock."""
        return self._made()

    @cached_property
    def _for_rows(self) -> AtState:
        """For calls that don't: one at a time, with memory of its own."""
        return self._made()

    def _made(self) -> AtState:
        bias = None if self._bias is None else self._bias.compiled
        return AtState(self._functions, bias, 1 + self._inputs, self._terms.block_size)

    def block_for(self, parameters: Floats) -> Floats:
        """The parameter block; of rows of parameters, a row for each."""
        blocks = [
            function.block_for(parameters)
            for function in (self._terms, self._bias)
            if function is not None
        ]
        count = max(block.ndim for block in blocks)
        whole = [np.broadcast_to(block, (*blocks[0].shape[: count - 1], block.shape[-1]))
                 for block in blocks]  # fmt: skip
        return np.ascontiguousarray(np.concatenate(whole, axis=-1))

    def rows(
        self,
        sizes: tuple[int, int],
        parts: list[tuple[Floats, int]],
        blocks: Floats,
        result: Floats,
        first: int = 0,
    ) -> None:
        """As `Function.rows`, one after the other."""
        with self._lock:
            one = self._for_rows
            rows(
                (one.address, one.context_address), (one.address, one.context_address, 1),
                (*sizes, self.block_size, self.out_size, one.work_size), row_parts(parts),
                blocks.reshape(-1), result.reshape(-1), first, len(result), 1,
            )  # fmt: skip
