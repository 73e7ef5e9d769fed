"""The structs of live runs as C lays them out (live.h, live/safety.h, live/statistics.h)."""

import ctypes

import numpy as np
from numpy.typing import NDArray

from touchback.errors import CompileError
from touchback.native.integrate.fixed_step import _FixedStruct
from touchback.native.integrate.problem import CallableStruct, _ProblemStruct
from touchback.native.library import LIB

_P, _L, _D, _I = ctypes.c_void_p, ctypes.c_long, ctypes.c_double, ctypes.c_int64

ROW_HEAD = 9  # tick, time, flags, version, offered, substeps, lateness, step time, input age
MESSAGE_HEAD = 3  # tick, time, flags
SWAP_HEAD = 4  # version, tick, refused, time
BUCKETS, WORST = 608, 100


class InputPortStruct(ctypes.Structure):
    """tb_input_port."""

    _fields_ = [
        ("mailbox", _P),
        *[(name, _L) for name in ("place", "quiet_limit", "quiet")],
        *[(name, _I) for name in ("seen", "stamp", "messages", "contended")],
    ]


class GuardStruct(ctypes.Structure):
    """tb_guard."""

    _fields_ = [
        ("output", _L),
        *[
            (name, _D)
            for name in ("low", "high", "slew", "safe", "fall", "rise", "blend", "delivered")
        ],
        *[(name, _L) for name in ("at_limit", "safe_kind", "started")],
    ]


class EnergyStruct(ctypes.Structure):
    """tb_energy."""

    _fields_ = [
        ("count", _L),
        *[(name, _P) for name in ("forces", "motions")],
        ("by_position", _L),
        *[(name, _D) for name in ("limit", "damping", "trip")],
        *[(name, _P) for name in ("before", "velocity")],
        ("started", _L),
        *[(name, _D) for name in ("energy", "largest", "taken")],
        ("damped", _I),
    ]


class RingStruct(ctypes.Structure):
    """tb_ring."""

    _fields_ = [("rows", _P), *[(name, _I) for name in ("width", "capacity", "written", "read")]]


class TraceStruct(ctypes.Structure):
    """tb_trace."""

    _fields_ = [(name, _I) for name in ("tick", "lateness", "step_time", "input_age", "flags")]


class StatisticsStruct(ctypes.Structure):
    """tb_live_statistics."""

    _fields_ = [
        *[
            (name, _I)
            for name in (
                "ticks", "late", "overruns", "slipped", "stale", "limited", "not_finite",
                "open_loops", "stops", "swaps", "swaps_refused", "contended", "lost_rows",
                "structures", "structures_refused", "chattering", "diverged", "paradoxes",
                "delay_waiting", "delay_steps", "late_by_steps", "backlog", "by_steps",
            )
        ],
        ("largest", _I * 3),
        ("counts", _I * BUCKETS * 3),
        ("worst_count", _I),
        ("worst_mildest", _I),
        ("worst", TraceStruct * WORST),
    ]  # fmt: skip


class WitnessStruct(ctypes.Structure):
    """tb_witness of live/witness.h."""

    _fields_ = [
        *[(name, _D) for name in ("period", "phase")],
        ("lead", _I),
        ("spins", _L),
        ("late_limit", _I),
        *[(name, _L) for name in ("priority", "cpu", "priority_error")],
        *[(name, _I) for name in ("wakes", "late", "delay", "largest")],
        ("counts", _I * BUCKETS),
        ("thread", _I),
        ("stop", _L),
    ]


class CommandsStruct(ctypes.Structure):
    """tb_commands."""

    _fields_ = [
        *[(name, _L) for name in ("stop", "closing", "resume", "substeps", "failed")],
        ("swap", _P),
    ]


class LiveStruct(ctypes.Structure):
    """tb_live."""

    _fields_ = [
        ("problem", _ProblemStruct),
        ("run", _FixedStruct),
        *[(name, _D) for name in ("tick_length", "period")],
        *[(name, _I) for name in ("spin", "late_limit", "catch_up", "epoch", "due", "tick")],
        *[(name, _L) for name in ("flags", "input_count")],
        ("inputs", _P),
        ("guard_count", _L),
        *[(name, _P) for name in ("guards", "gains")],
        ("energy_count", _L),
        ("energies", _P),
        ("outputs", CallableStruct),
        *[(name, _L) for name in ("output_count", "acceleration_count", "multiplier_count")],
        *[
            (name, _P)
            for name in (
                "accelerations", "multipliers", "kept", "output_u", "measured", "trial",
                "delivered", "rate", "good",
            )
        ],
        ("max_speed", _D),
        ("diverged_place", _L),
        ("diverged_value", _D),
        *[(name, _P) for name in ("message", "published")],
        ("blocks", _P * 3),
        *[(name, _L) for name in ("block_size", "active", "newton_start", "parameter_start")],
        *[(name, _I) for name in ("version", "offered_version", "tried_version")],
        *[(name, _L) for name in ("offer", "steps_per_tick", "entered")],
        ("commands", _P),
        *[(name, RingStruct) for name in ("ring", "swaps")],
        ("statistics", _P),
        *[(name, _I) for name in ("thread", "thread_id")],
        *[(name, _L) for name in ("priority", "cpu", "priority_error", "pin_error")],
        *[(name, _I) for name in ("page_faults", "switches_asked", "switches_forced", "queued")],
        ("witness", _P),
        ("running", _L),
    ]  # fmt: skip


class MoveStruct(ctypes.Structure):
    """tb_move of live/swap.h."""

    _fields_ = [(name, _L) for name in ("source", "from_", "target", "to")]


class StagedStruct(ctypes.Structure):
    """tb_staged of live/swap.h."""

    _fields_ = [("first", CallableStruct), ("block", _P), ("second", CallableStruct)]


class SwapStruct(ctypes.Structure):
    """tb_swap of live/swap.h."""

    _fields_ = [
        *[(name, _P) for name in ("from_", "to")],
        ("not_before", _D),
        *[(name, _L) for name in ("move_count", "block_count")],
        *[(name, _P) for name in ("moves", "blocks")],
        *[(name, StagedStruct) for name in ("velocities", "transfer")],
        *[
            (name, _P)
            for name in (
                "transfer_u", "transferred", "inputs", "outputs", "guards", "energies", "after",
            )
        ],
        ("moved", _D),
        ("directory", _P),
        ("next_directory", ctypes.c_uint64),
        *[(name, _I) for name in ("tick", "duration")],
        ("state", _L),
    ]  # fmt: skip


LIB.tb_live_size.restype = LIB.tb_live_statistics_size.restype = _I
LIB.tb_live_energy_size.restype = LIB.tb_live_swap_size.restype = _I
LIB.tb_witness_size.restype = _I


LIB.tb_copy_counts.argtypes, LIB.tb_copy_counts.restype = [_P, _P], None


def copied_counts(counts: ctypes.Array[ctypes.c_int64]) -> NDArray[np.int64]:
    """A histogram as it is now, while its thread goes on counting."""
    copy = np.empty(BUCKETS, dtype=np.int64)
    LIB.tb_copy_counts(ctypes.addressof(counts), copy.ctypes.data)
    return copy


def check_layout() -> None:
    """Refuses a library that was built from other structs."""
    sizes = {
        LiveStruct: LIB.tb_live_size, StatisticsStruct: LIB.tb_live_statistics_size,
        EnergyStruct: LIB.tb_live_energy_size, SwapStruct: LIB.tb_live_swap_size,
        WitnessStruct: LIB.tb_witness_size,
    }  # fmt: skip
    ours, theirs = tuple(map(ctypes.sizeof, sizes)), tuple(size() for size in sizes.values())
    if ours != theirs:
        raise CompileError(
            f"The C library lays live runs out in {theirs} bytes, this Python code in {ours}; "
            "rebuild it with `make` or `pip install -e .`."
        )
