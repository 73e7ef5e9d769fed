"""A derived function of a system: programs, counts, machine code, and the call."""

import threading
from functools import cached_property

import numpy as np

from touchback import native
from touchback.codegen import Backend, Compiled, compile_program
from touchback.symbolic.count import Counts, count
from touchback.symbolic.program import Program


class Caller:
    """The arrays of one thread that calls a function, with the pointers to them ready."""

    def __init__(self, function: "Function") -> None:
        self.x = np.zeros(max(function.second.size("x"), 1))
        self.u = np.zeros(max(function.second.size("u"), 1))
        self.block = np.zeros(function.block_size)
        self.out = np.zeros(function.out_size)
        self.parameters: np.ndarray | None = None  # what the block was computed from
        self.call = function.compiled.bind(self.x, self.u, self.block, self.out)


class Function:
    """One program with its parameter stage. Any number of threads may call it: each has arrays of
    its own."""

    def __init__(
        self, name: str, first: Program, second: Program, shape: tuple[int, ...], backend: Backend
    ) -> None:
        self.name, self.first, self.second, self.shape = name, first, second, shape
        self._backend = backend
        self.block_size, self.out_size = max(len(first.outputs), 1), len(second.outputs)
        self._threads = threading.local()

    @cached_property
    def compiled(self) -> Compiled:
        """The function on this machine."""
        return compile_program(self.second, self.name.replace(" ", "_"), backend=self._backend)

    def for_lanes(self, lanes: int) -> Compiled:
        """The function of so many instances at once: one, or as many as a vector register holds."""
        if lanes == 1:
            return self.compiled
        return compile_program(self.second, self.name.replace(" ", "_"), lanes)

    @property
    def here(self) -> Caller:
        """The arrays of the present thread."""
        try:
            return self._threads.caller
        except AttributeError:
            caller = self._threads.caller = Caller(self)
            return caller

    def at(self, x: np.ndarray, u: np.ndarray, block: np.ndarray) -> np.ndarray:
        """The outputs, flat, for a state, u = [t, inputs…] and a parameter block; of `x` and `u` it
        reads as much as it needs."""
        here = self.here
        here.parameters = None  # the block is that of this call
        here.x[:] = x[: here.x.size] if x.size else 0.0
        here.u[:] = u[: here.u.size]
        here.block[:] = block
        here.call()
        return here.out.copy()

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
