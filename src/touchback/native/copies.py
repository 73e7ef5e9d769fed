"""A function of a row of copies, made of the function of one (copies.c)."""

import ctypes

from touchback.native.library import LIB
from touchback.native.problem import FunctionData

_LINE = 8  # doubles that a cache line holds


class _CopiesStruct(ctypes.Structure):
    """tb_copies of copies.c."""

    _fields_ = [
        ("call", ctypes.c_void_p),
        ("context", ctypes.c_void_p),
        *[
            (name, ctypes.c_long)
            for name in ("count", "states", "inputs", "parameters", "outputs", "work")
        ],
    ]


class CopiedFunction:
    """The one calling convention for `count` copies of a function of so many states, inputs,
    parameters and outputs: x, p and out copy by copy, u = [t, inputs of each]."""

    def __init__(
        self, one: FunctionData, count: int, states: int, inputs: int, parameters: int, outputs: int
    ) -> None:
        start = -(-one.work_size // _LINE) * _LINE
        self._one = one
        self._struct = _CopiesStruct(
            one.address, one.context_address, count, states, inputs, parameters, outputs, start
        )
        self.address: int = ctypes.cast(LIB.tb_copies_call, ctypes.c_void_p).value or 0
        self.context_address: int = ctypes.addressof(self._struct)
        self.work_size: int = start + 1 + inputs
