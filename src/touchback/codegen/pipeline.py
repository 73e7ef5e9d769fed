"""Operations in an order that keeps a pipelined processor busy.

The derivation writes long chains of dependent operations one after the other. A processor looks
past those that wait, but not far: what can start comes first, the longest chain before the others.
"""

import numpy as np

from touchback.codegen.abi import CALLED
from touchback.codegen.conditions import LANE, MACHINE_ARITY, SPREAD
from touchback.native import reorder
from touchback.symbolic.ops import ADD, DIV, MUL, SQRT, SUB

# Cycles on cores from Neoverse N1 to Zen and Golden Cove differ little; 4 for what is not named.
_LATENCY = np.full(len(MACHINE_ARITY), 4)
_LATENCY[[ADD, SUB]] = 2
_LATENCY[[MUL, SPREAD]] = 3
_LATENCY[DIV] = 12
_LATENCY[SQRT] = 14
_IS_CALL = np.isin(np.arange(len(MACHINE_ARITY)), list(CALLED))


def pipelined(
    op: np.ndarray,
    operands: np.ndarray,
    present: np.ndarray,
    order: list[int],
    stops: list[int],
    window: int,
) -> list[int]:
    """The nodes of `order` so that few wait for others; none moves across a call or one of the
    `stops`, positions in `order`.
    """
    nodes = np.array(order, dtype=int)
    position = np.full(len(op), -1)
    position[nodes] = np.arange(len(nodes))
    read = np.where(present[nodes], operands[nodes], 0)
    read = np.where(op[read] == LANE, operands[read, 0], read)  # there as soon as its vector is
    rows = np.where(present[nodes], position[read], -1)
    rows[rows[:, 1] == rows[:, 0], 1] = -1
    rows[(rows[:, 2] == rows[:, 0]) | (rows[:, 2] == rows[:, 1]), 2] = -1
    calls = np.flatnonzero(_IS_CALL[op[nodes]]).tolist()
    fences = np.array(sorted({*stops, *calls, *(call + 1 for call in calls)}), dtype=int)
    found: list[int] = nodes[reorder(rows, _LATENCY[op[nodes]], window, fences)].tolist()
    return found
