"""Comparisons that only selections read stay masks of bits: no 1.0 or 0.0 is made and tested again.

The operations below exist in machine code only. A mask is all ones where the comparison is true and
all zeros elsewhere; it is stored and loaded like a number.
"""

import numpy as np

from touchback.symbolic import ops

MASK_LT, MASK_LE, MASK_EQ, SELECT_BY_MASK = range(len(ops.OPS), len(ops.OPS) + 4)
MACHINE_ARITY = (*ops.ARITY, 2, 2, 2, 3)  # of the tape's operations and of these

_MASK_OF = np.arange(len(MACHINE_ARITY))
_MASK_OF[[ops.LT, ops.LE, ops.EQ]] = MASK_LT, MASK_LE, MASK_EQ


def with_masks(
    op: np.ndarray, operands: np.ndarray, read: np.ndarray, outputs: np.ndarray
) -> list[int]:
    """The operations of a program, with masks; `read` says which operands matter."""
    selects = (op == ops.SELECT) & read[:, 0]
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
