"""A program: the live part of a tape in order, with fused multiply-adds, ready for any back end.

Programs compute `out` from three input arrays x, u, p (see the ABI in `codegen`). Fusion happens
here and nowhere else, so that every back end rounds alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress, islice

from touchback.symbolic import ops
from touchback.symbolic.evaluate import apply_op
from touchback.symbolic.lookup_table import Lookup
from touchback.symbolic.ops import ADD, CONST, FMA, FMS, FNMA, INPUT, LOOKUP1, LOOKUP2, MUL, SUB
from touchback.symbolic.tape import Alike, Tape

ARRAYS = ("x", "u", "p")


Place = tuple[str, int]  # array and index


@dataclass
class Program:
    """Straight-line code. Node i applies op[i] to nodes a[i], b[i], c[i] < i; node 0 is 0.0 and
    node 1 is 1.0.

    `outputs` are signed: −k asks for the negative of node k. For lookups c[i] is an index into
    `lookups`.
    """

    op: list[int]
    a: list[int]
    b: list[int]
    c: list[int]
    values: dict[int, float]
    inputs: dict[int, Place]
    outputs: list[int]
    lookups: list[Lookup]
    alike: dict[int, Alike] = field(default_factory=dict)  # inputs of isomorphic branches

    def size(self, array: str) -> int:
        """How many elements of an input array the program may read."""
        return 1 + max((index for name, index in self.inputs.values() if name == array), default=-1)


def lower(
    tape: Tape, outputs: Sequence[int], places: Mapping[int, Place], fuse: bool = True
) -> Program:
    """The program that computes the outputs; nodes in `places`, symbols or not, are read."""
    uses = _uses(tape, outputs, places)
    fused = _fusions(tape, uses, places) if fuse else {}
    values: dict[int, float] = {0: 0.0, 1: 1.0}
    program = Program([CONST, CONST], [0, 0], [0, 0], [0, 0], values, {}, [], tape.lookups)
    new: list[int] = [0] * len(tape.op)
    new[1] = 1
    op, a, b, c = tape.op, tape.a, tape.b, tape.c
    p_op, p_a, p_b, p_c = program.op.append, program.a.append, program.b.append, program.c.append
    size = 2
    for i in _used(uses):
        new[i] = size
        size += 1
        kind = op[i]
        if i in places:
            program.inputs[new[i]] = places[i]
            if i in tape.alike:
                program.alike[new[i]] = tape.alike[i]
            row = _INPUT_ROW
        elif i in fused:
            kind, x, y, z = fused[i]
            row = (kind, new[x], new[y], new[z])
        elif kind == CONST:
            values[new[i]] = tape.values[i]
            row = _CONST_ROW
        elif kind == INPUT:
            raise KeyError(f"input {tape.names[i]!r} has no place in an array")
        elif kind in _LOOKUPS:
            row = (kind, new[a[i]], new[b[i]], c[i])
        else:
            row = (kind, new[a[i]], new[b[i]], new[c[i]])
        p_op(row[0])
        p_a(row[1])
        p_b(row[2])
        p_c(row[3])
    program.outputs = [new[o] if o >= 0 else -new[-o] for o in outputs]
    return program


_LOOKUPS = (LOOKUP1, LOOKUP2)


_INPUT_ROW, _CONST_ROW = (INPUT, 0, 0, 0), (CONST, 0, 0, 0)


def _uses(tape: Tape, outputs: Sequence[int], places: Mapping[int, Place]) -> list[int]:
    """How often each node is used by live nodes and outputs; nothing below a placed node counts."""
    uses = [0] * len(tape.op)
    for output in outputs:
        uses[abs(output)] += 1
    arity, op, a, b, c = ops.ARITY, tape.op, tape.a, tape.b, tape.c
    for i in range(max(map(abs, outputs), default=0), 1, -1):
        if uses[i] and i not in places:
            n = arity[op[i]]
            if n:
                uses[a[i]] += 1
                if n > 1:
                    uses[b[i]] += 1
                    if n > 2:
                        uses[c[i]] += 1
    return uses


def _used(uses: list[int]) -> Iterator[int]:
    """Nodes that are used, without 0 and 1: few of a tape that many functions share."""
    return compress(range(2, len(uses)), islice(uses, 2, None))


def _fusions(
    tape: Tape, uses: list[int], places: Mapping[int, Place]
) -> dict[int, tuple[int, int, int, int]]:
    """Sums that take in a product used nowhere else: node → (op, a, b, c).

    Such products lose their use."""
    op, a, b = tape.op, tape.a, tape.b
    fused: dict[int, tuple[int, int, int, int]] = {}
    for i in _used(uses):
        kind = op[i]
        if (kind != ADD and kind != SUB) or i in places:
            continue
        left, right = a[i], b[i]
        if op[right] == MUL and uses[right] == 1 and right not in places:
            fused[i] = (FMA if kind == ADD else FNMA, a[right], b[right], left)
            uses[right] = 0
        elif op[left] == MUL and uses[left] == 1 and left not in places:
            fused[i] = (FMA if kind == ADD else FMS, a[left], b[left], right)
            uses[left] = 0
    return fused


def evaluate(program: Program, arrays: Mapping[str, Sequence[float]]) -> list[float]:
    """Outputs of a program for the given input arrays ("x", "u", "p"), by plain evaluation."""
    values = [0.0] * len(program.op)
    for i, op in enumerate(program.op):
        if op == ops.CONST:
            values[i] = program.values[i]
        elif op == ops.INPUT:
            array, index = program.inputs[i]
            values[i] = float(arrays[array][index])
        else:
            operands = (program.a[i], program.b[i], program.c[i])[: ops.ARITY[op]]
            lookup = program.lookups[program.c[i]] if op in (ops.LOOKUP1, ops.LOOKUP2) else None
            values[i] = apply_op(op, [values[operand] for operand in operands], lookup)
    return [values[o] if o >= 0 else -values[-o] for o in program.outputs]
