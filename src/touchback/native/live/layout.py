"""Flags, rows, messages and histograms of live runs as C has them (live.h, statistics.h)."""

import ctypes

import numpy as np
from numpy.typing import NDArray

from touchback.native.library import LIB

(
    STALE, BAD_NUMBER, STOPPED, BEYOND_LIMIT, HELD, SWAPPED, SWAP_REFUSED, RESUMED, OPEN_LOOP,
    ACTIVE, DAMPED, RESTRUCTURED, DIVERGED, DEVICE_FAILED, LATCHED,
    AT_REST, SINGLE, PLACED, PLACE_REFUSED, RENEWED, OVERLOADED,
) = (
    LIB.constant(f"TB_{name}")
    for name in (
        "STALE", "BAD_NUMBER", "STOPPED", "BEYOND_LIMIT", "HELD", "SWAPPED", "SWAP_REFUSED",
        "RESUMED", "OPEN_LOOP", "ACTIVE", "DAMPED", "RESTRUCTURED", "DIVERGED", "DEVICE_FAILED",
        "LATCHED", "AT_REST", "SINGLE", "PLACED", "PLACE_REFUSED", "RENEWED",
        "OVERLOADED",
    )
)  # fmt: skip

OF_THE_STATE = BAD_NUMBER | OPEN_LOOP | DIVERGED  # faults that another state mends

ROW_HEAD = LIB.constant("TB_ROW_HEAD")  # tick, time, flags, version, offered, substeps, lateness,
# step time, input age
MESSAGE_HEAD = LIB.constant("TB_MESSAGE_HEAD")  # tick, time, flags
SWAP_HEAD = LIB.constant("TB_SWAP_HEAD")  # version, tick, refused, time
PLACE_HEAD = LIB.constant("TB_PLACE_HEAD")  # the same
MEMORY_HEAD = LIB.constant("TB_WARM_START_HEAD")  # tick, t0, steps, flags
BUCKETS = LIB.constant("TB_BUCKETS")


def copied_counts(counts: ctypes.Array[ctypes.c_int64]) -> NDArray[np.int64]:
    """A histogram as it is now, while its thread goes on counting."""
    copy = np.empty(BUCKETS, dtype=np.int64)
    LIB.tb_copy_counts(ctypes.addressof(counts), copy.ctypes.data)
    return copy
