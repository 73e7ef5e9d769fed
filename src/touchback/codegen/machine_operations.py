"""Operations that exist in machine code only.

Comparisons that only selections read stay masks of bits: no 1.0 or 0.0 is made and tested again. A
mask is all ones where the comparison is true and all zeros elsewhere; it is stored and loaded like
a number.

Programs of equal branches side by side (`kinematic_branch_simd.py`) make vectors of numbers and
read their lanes.
"""

import numpy as np

from touchback.symbolic import ops

MASK_LT, MASK_LE, MASK_EQ, SELECT_BY_MASK = range(len(ops.OPS), len(ops.OPS) + 4)
SPREAD, PAIR, JOIN, WIDER_JOIN, LANE = range(SELECT_BY_MASK + 1, SELECT_BY_MASK + 6)
# SPREAD: one number in all lanes; PAIR: two numbers; JOIN: two pairs; WIDER_JOIN: two of four.
MACHINE_ARITY = (*ops.ARITY, 2, 2, 2, 3, 1, 2, 2, 2, 1)  # of the tape's operations and of these
WIDE = len(MACHINE_ARITY)  # added to an operation on vectors among operations on single numbers

_MASK_OF = np.arange(len(MACHINE_ARITY))
_MASK_OF[[ops.LT, ops.LE, ops.EQ]] = MASK_LT, MASK_LE, MASK_EQ


def with_masks(
    op: np.ndarray, operands: np.ndarray, read: np.ndarray, outputs: np.ndarray
) -> list[int]:
    """The operations of a program, with masks; `read` says which operands matter."""
    selects = (op == ops.SELECT) & read[:, 0]
    if not selects.any():
        unchanged: list[int] = op.tolist()
        return unchanged
    conditions = operands[selects, 0]
    is_mask = np.zeros(len(op), bool)
    is_mask[conditions] = np.isin(op[conditions], (ops.LT, ops.LE, ops.EQ))
    is_mask[operands[:, 1:][read[:, 1:]]] = False
    is_mask[operands[~selects & read[:, 0], 0]] = False
    is_mask[outputs] = False
    found = np.where(is_mask, _MASK_OF[op], op)
    found[selects & is_mask[operands[:, 0]]] = SELECT_BY_MASK
    result: list[int] = found.tolist()
    return result
