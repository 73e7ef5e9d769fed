"""A derived function of a system: programs, counts, machine code, and the call."""

from collections.abc import Callable
from functools import cached_property

import numpy as np

from touchback import native
from touchback.codegen import Backend, Compiled, compile_program
from touchback.symbolic.count import Counts, count
from touchback.symbolic.program import Program


class Function:
    """One program with its parameter stage. `x`, `u` and `block` are the arrays that `call`
    reads."""

    def __init__(
        self, name: str, first: Program, second: Program, shape: tuple[int, ...], backend: Backend
    ) -> None:
        self.name, self.first, self.second, self.shape = name, first, second, shape
        self._backend = backend
        self.x = np.zeros(max(second.size("x"), 1))
        self.u = np.zeros(max(second.size("u"), 1))
        self.block = np.zeros(max(len(first.outputs), 1))
        self.out = np.zeros(len(second.outputs))
        self.version = -1  # of the parameters that the block was computed from

    @cached_property
    def compiled(self) -> Compiled:
        """The function on this machine."""
        return compile_program(self.second, self.name.replace(" ", "_"), backend=self._backend)

    def for_lanes(self, lanes: int) -> Compiled:
        """The function of so many instances at once: one, or as many as a vector register holds."""
        if lanes == 1:
            return self.compiled
        return compile_program(self.second, self.name.replace(" ", "_"), lanes)

    @cached_property
    def bound(self) -> Callable[[], None]:
        """The call on this function's own arrays."""
        return self.compiled.bind(self.x, self.u, self.block, self.out)

    @cached_property
    def _first(self) -> native.Interpreter:
        return native.Interpreter(self.first)

    @property
    def parameter_stage(self) -> native.Interpreter | None:
        """What computes the block from the parameters; None when nothing depends on them."""
        return self._first if self.first.outputs else None

    def block_for(self, parameters: np.ndarray) -> np.ndarray:
        """The derived parameter block of given parameters."""
        if not self.first.outputs:
            return np.zeros(1)
        return self._first.run(parameters, np.zeros(1), np.zeros(1))

    @cached_property
    def counts(self) -> Counts:
        """Operations per call."""
        return count(self.second)
