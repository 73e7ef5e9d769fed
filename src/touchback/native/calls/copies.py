"""A function of a row of copies, made of the function of one and of several at once (copies.c)."""

import ctypes
from dataclasses import dataclass

import numpy as np

from touchback.native.integrate.problem import FunctionData
from touchback.native.library import LIB, Floats

_LINE = 8  # doubles that a cache line holds
Parts = tuple[int, int, int]


class _CopiesStruct(ctypes.Structure):
    """tb_copies of copies.c."""

    _fields_ = [
        *[(name, ctypes.c_void_p) for name in ("one", "wide", "one_context", "wide_context")],
        *[(name, ctypes.c_long) for name in ("count", "lanes", "inputs", "parameters")],
        ("states", ctypes.c_long * 3),
        ("outputs", ctypes.c_long * 3),
        ("work", ctypes.c_long),
    ]


@dataclass(frozen=True)
class Row:
    """So many copies, of which `lanes` are computed at once; sizes of a copy's parts of x = [q, v,
    z], of its inputs and of its parameter block."""

    count: int
    lanes: int
    states: Parts
    inputs: int
    parameters: int

    def block(self, blocks: Floats) -> Floats:
        """The parameter block of the row from those of the copies (rows): interleaved within each
        group of copies that are computed at once."""
        together = self.count // self.lanes * self.lanes
        groups = blocks[:together].reshape(-1, self.lanes, self.parameters).transpose(0, 2, 1)
        return np.concatenate([groups.ravel(), blocks[together:].ravel()])


class CopiedFunction:
    """The one calling convention for a row: x and u = [t, inputs of each] with all copies, p from
    `Row.block`, out with the first parts of all copies, then the second, then the third."""

    def __init__(self, row: Row, one: FunctionData, wide: FunctionData, outputs: Parts) -> None:
        """`wide` takes `row.lanes` copies; where that is one, it is `one`."""
        own = row.lanes * (sum(row.states) + 1 + row.inputs + sum(outputs))
        work = -(-max(one.work_size, wide.work_size) // _LINE) * _LINE
        self._functions = (one, wide)
        self._struct = _CopiesStruct(
            one.address, wide.address, one.context_address, wide.context_address,
            row.count, row.lanes, row.inputs, row.parameters,
            (ctypes.c_long * 3)(*row.states), (ctypes.c_long * 3)(*outputs), work,
        )  # fmt: skip
        self.address: int = ctypes.cast(LIB.tb_copies_call, ctypes.c_void_p).value or 0
        self.context_address: int = ctypes.addressof(self._struct)
        self.work_size: int = work + own
