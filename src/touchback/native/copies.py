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
            for name in (
                "count", "nq", "nv", "nz", "inputs", "parameters", "outputs", "rate", "work",
            )
        ],
    ]  # fmt: skip


class CopiedFunction:
    """The one calling convention for `count` copies: x = [q of all, v of all, z of all], u = [t,
    inputs of all], p and outputs copy by copy; `rate`: outputs are laid out as x is."""

    def __init__(
        self,
        one: FunctionData,
        count: int,
        sizes: tuple[int, int, int],
        inputs: int,
        parameters: int,
        outputs: int,
        rate: bool,
    ) -> None:
        start = -(-one.work_size // _LINE) * _LINE
        self._one = one
        self._struct = _CopiesStruct(
            one.address,
            one.context_address,
            count,
            *sizes,
            inputs,
            parameters,
            outputs,
            rate,
            start,
        )
        self.address: int = ctypes.cast(LIB.tb_copies_call, ctypes.c_void_p).value or 0
        self.context_address: int = ctypes.addressof(self._struct)
        self.work_size: int = start + sum(sizes) + 1 + inputs + outputs
