"""Plain evaluation of a program in C: the fast reference, and the back end of last resort."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from touchback.errors import InputError
from touchback.native.c_struct import Record
from touchback.native.calls.call_context import Context, LookupData
from touchback.native.calls.evaluate_rows import evaluate_rows
from touchback.native.shared_library import LIB, Floats, address_of, aligned_zeros, as_floats

OPERATION_NAMES: tuple[str, ...] = tuple(LIB.tb_operation_names().decode().lower().split())
_CONST, _INPUT = OPERATION_NAMES.index("const"), OPERATION_NAMES.index("input")
_ARRAYS = ("x", "u", "p")


class ProgramData(Protocol):
    """Straight-line code (see symbolic/program.py)."""

    @property
    def op(self) -> Sequence[int]: ...
    @property
    def a(self) -> Sequence[int]: ...
    @property
    def b(self) -> Sequence[int]: ...
    @property
    def c(self) -> Sequence[int]: ...
    @property
    def values(self) -> Mapping[int, float]: ...
    @property
    def inputs(self) -> Mapping[int, tuple[str, int]]: ...
    @property
    def outputs(self) -> Sequence[int]: ...
    @property
    def lookups(self) -> Sequence[LookupData]: ...


class Interpreter:
    """A program ready to be interpreted.

    `address`, `work_size` and `context_address` make it a function of the one calling convention.
    """

    def __init__(self, program: ProgramData) -> None:
        a, b = list(program.a), list(program.b)
        constants: list[float] = []
        for node, op in enumerate(program.op):
            if op == _CONST:
                a[node] = len(constants)
                constants.append(program.values[node])
            elif op == _INPUT:
                array, b[node] = program.inputs[node]
                a[node] = _ARRAYS.index(array)
        rows = (program.op, a, b, program.c, program.outputs)
        self._context = Context(program.lookups)
        self._record = Record(
            "tb_program", nodes=len(program.op), output_count=len(program.outputs),
            tables=self._context.tables_address,
        )  # fmt: skip
        for name, row in zip(("op", "a", "b", "c", "outputs"), rows):
            self._record.ints(name, row)
        self._record.point("constants", as_floats(constants))
        self._record.ints("wants", [int(use.want) for use in program.lookups])
        self.sizes: tuple[int, ...] = tuple(
            1 + max((index for name, index in program.inputs.values() if name == array), default=-1)
            for array in _ARRAYS
        )
        self.out_size: int = len(program.outputs)
        self.work_size: int = len(program.op)
        self.address = LIB.address("tb_interpret")
        self.context_address = self._record.address

    def run(self, x: object = (), u: object = (), p: object = ()) -> Floats:
        """The outputs for one set of inputs."""
        arrays = [self._checked(name, values) for name, values in zip(_ARRAYS, (x, u, p))]
        out, work = np.empty(self.out_size), aligned_zeros(self.work_size)
        pointers = [address_of(array) for array in (*arrays, out, work)]
        LIB.tb_interpret(*pointers, self.context_address)
        return out

    def run_rows(self, X: object = (), U: object = (), P: object = ()) -> Floats:
        """The outputs for each row of inputs (rows × size; a single row serves every call)."""
        x, u, p = (self._checked(name, values) for name, values in zip(_ARRAYS, (X, U, P)))
        return evaluate_rows(
            self.address, x, u, p, self.out_size, self.work_size, self.context_address
        )

    def _checked(self, name: str, values: object) -> Floats:
        array, expected = as_floats(values), self.sizes[_ARRAYS.index(name)]
        if array.ndim and array.shape[-1] < expected:
            raise InputError(
                f"The program reads {expected} elements of {name}, got {array.shape[-1]}."
            )
        return array
