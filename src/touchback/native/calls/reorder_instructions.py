"""Straight-line code in an order that keeps a pipelined processor busy."""

import numpy as np

from touchback.native.c_struct import Indices
from touchback.native.shared_library import LIB, address_of


def reorder(operands: Indices, latency: Indices, window: int, stops: Indices) -> Indices:
    """Positions of operations as they are best done, each at most `window` places early.

    operands: a row of three an operation, the positions of operations before it, −1 for none and
    for repeats; latency: cycles until each result can be used; stops: rising positions that nothing
    moves across."""
    count = len(operands)
    rows = np.ascontiguousarray(operands, np.int32)
    cycles = np.ascontiguousarray(latency, np.int32)
    ends = np.append(stops, count).astype(np.int32)
    work, order = np.zeros(4 * count, np.int32), np.empty(count, np.int32)
    LIB.tb_reorder(
        count, address_of(rows), address_of(cycles), window, address_of(ends), address_of(work),
        address_of(order),
    )  # fmt: skip
    return order
