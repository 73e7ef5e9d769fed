"""Flags, rows, messages and histograms of live runs as C has them (live.h, statistics.h)."""

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from touchback.native.c_struct import FunctionData
from touchback.native.shared_library import LIB

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


@dataclass(frozen=True)
class Guard:
    """What stands between an output and its device (live/safety.h), in units of ticks."""

    output: int
    low: float = -np.inf
    high: float = np.inf
    slew: float = np.inf  # a tick
    safe: float | None = 0.0  # None: hold the last good value
    fall: float = 1.0  # of the blend, a tick
    rise: float = 1.0
    trips: bool = False


@dataclass(frozen=True)
class EnergyPort:
    """A port whose energy is watched (live/energy.h): places of forces among the outputs and of
    motions in u; without damping the limit trips."""

    forces: Sequence[int]
    motions: Sequence[int]
    limit: float
    by_position: bool = False
    damping: float = 0.0
    trip: float = np.inf


@dataclass(frozen=True)
class Measured:
    """The sensors of a system: their function and how many there are."""

    function: FunctionData
    count: int


@dataclass(frozen=True)
class Watch:
    """Of an input: ticks without a message that may pass (−1: any number), and its value while it
    is silent for longer, NaN for what it said last."""

    quiet_limit: int = -1
    safe: float = np.nan


@dataclass(frozen=True)
class Pace:
    """The clock: ticks a second of the model, how fast its time goes (None: unclocked), substeps
    of a tick, what the thread asks for, and how many seconds of periods it may leave out."""

    rate: float
    speed: float | None = 1.0
    substeps: int = 1
    spin: float = 20e-6
    catch_up: int = 10
    priority: int = 0
    cpu: int = -1
    max_slip: float = np.inf
