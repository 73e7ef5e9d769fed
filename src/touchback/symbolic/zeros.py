"""Signs of zeros: which nodes of a tape have them as the expression is written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from touchback.symbolic import ops

if TYPE_CHECKING:
    from touchback.symbolic.tape import Tape

_KEEPING = frozenset(
    (ops.MUL, ops.DIV, ops.NEG, ops.SIN, ops.ASIN, ops.ATAN2, ops.ABS, ops.SQRT, ops.FLOOR, ops.EXP,
     ops.LOG, ops.COS, ops.ACOS, ops.SINH, ops.COSH, ops.TANH, ops.LT, ops.LE, ops.EQ)
)  # fmt: skip
"""Operations whose zeros have the right sign if those of their operands have."""


def keeps_zeros(tape: Tape, node: int) -> bool:
    """Whether there is no sum (or choice) below a node down to which its zeros come from."""
    waiting, seen = [node], {node}
    while waiting:
        node = waiting.pop()
        op = tape.op[node]
        if tape.is_settled(node):
            continue
        if op not in _KEEPING and ops.ARITY[op]:
            return False
        new = [operand for operand in tape.operands(node) if operand not in seen]
        seen.update(new)
        waiting += new
    return True
