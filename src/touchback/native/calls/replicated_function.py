"""A function of a row of replicas, made of that of one and of several at once (replicas.c)."""

from dataclasses import dataclass

import numpy as np

from touchback.native.c_struct import FunctionData, Record
from touchback.native.shared_library import LIB, Floats

_LINE = 8  # doubles that a cache line holds
Parts = tuple[int, int, int]


@dataclass(frozen=True)
class Row:
    """So many copies, of which `lanes` are computed at once; sizes of a copy's parts of x = [q, v,
    z], of the inputs that all share, of its own and of its parameter block."""

    count: int
    lanes: int
    states: Parts
    shared: int
    inputs: int
    parameters: int

    def block(self, blocks: Floats) -> Floats:
        """The parameter block of the row from those of the copies (rows): interleaved within each
        group of copies that are computed at once."""
        together = self.count // self.lanes * self.lanes
        groups = blocks[:together].reshape(-1, self.lanes, self.parameters).transpose(0, 2, 1)
        return np.concatenate([groups.ravel(), blocks[together:].ravel()])


class ReplicatedFunction:
    """The one calling convention for a row: x and u = [t, shared inputs, inputs of each] with all
    copies, p from `Row.block`, out with the first parts of all copies, then the
    second, then the third."""

    def __init__(self, row: Row, one: FunctionData, wide: FunctionData, outputs: Parts) -> None:
        """`wide` takes `row.lanes` copies; where that is one, it is `one`."""
        own = row.lanes * (sum(row.states) + 1 + row.shared + row.inputs + sum(outputs))
        work = -(-max(one.work_size, wide.work_size) // _LINE) * _LINE
        self._functions = (one, wide)
        self._record = Record(
            "tb_replicas", one=one.address, wide=wide.address, one_context=one.context_address,
            wide_context=wide.context_address, count=row.count, lanes=row.lanes,
            shared=row.shared, inputs=row.inputs, parameters=row.parameters, work=work,
        )  # fmt: skip
        self._record.struct.states[:], self._record.struct.outputs[:] = row.states, outputs
        self.address = LIB.address("tb_replicas_call")
        self.context_address = self._record.address
        self.work_size: int = work + own
