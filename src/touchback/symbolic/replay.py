"""Replay: the live part of a tape over any scalars: onto another tape, or on numbers."""

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

from touchback.errors import InputError
from touchback.symbolic import ops
from touchback.symbolic.numeric import OPERATIONS
from touchback.symbolic.scalars import Scalars, settled
from touchback.symbolic.tape import Tape

T = TypeVar("T")

METHODS = {op: name for name, op in OPERATIONS.items()}


def replay(tape: Tape, outputs: Sequence[int], k: Scalars[T], env: Mapping[Hashable, T]) -> list[T]:
    """The outputs computed over the scalars `k`.

    `env` gives the scalar of each symbol by its name; an int key is a node whose scalar is known,
    and nothing below such a node is computed.
    """
    known: dict[int, T] = {}
    for key, scalar in env.items():
        node = key if isinstance(key, int) else tape.symbols.get(key)
        if node is not None:
            known[node] = scalar
    for node in _needed(tape, outputs, known):
        known[node] = compute_node(tape, node, k, known)
    return [known[o] if o >= 0 else k.neg(known[-o]) for o in outputs]


def _needed(tape: Tape, outputs: Sequence[int], known: Mapping[int, T]) -> list[int]:
    """Nodes to compute, operands first."""
    marks = {abs(o) for o in outputs if abs(o) not in known}
    for node in range(max(marks, default=0), -1, -1):
        if node in marks:
            marks.update(o for o in tape.operands(node) if o not in known)
    return sorted(marks)


def compute_node(tape: Tape, node: int, k: Scalars[T], known: Mapping[int, T]) -> T:
    """The scalar of one node whose operands are known."""
    op = tape.op[node]
    if op == ops.CONST:
        return k.const(tape.values[node])
    if op == ops.INPUT:
        raise InputError(f"No value was given for {tape.names[node]!r}, which the expression uses.")
    operands = [known[operand] for operand in tape.operands(node)]
    if op == ops.LOOKUP1 or op == ops.LOOKUP2:
        use = tape.lookups[tape.c[node]]
        return k.lookup(
            use.table, operands[0], operands[1] if op == ops.LOOKUP2 else None, use.want
        )
    if tape.is_settled(node):
        return settled(k, operands[1] if op == ops.ADD else k.neg(operands[1]))
    result: T = getattr(k, METHODS[op])(*operands)
    return result
