"""A clock that only sleeps (live/witness.h), by itself: how late this machine wakes a thread."""

import ctypes
import os
from types import TracebackType
from typing import Self

from touchback.errors import SolveError
from touchback.native.live.locked_arena import Arena, struct_bytes
from touchback.native.live.tick_layout import Pace
from touchback.native.shared_library import LIB


def set_clock(witness: ctypes.Structure, pace: Pace, spins: bool = False) -> None:
    """Lets a witness keep the time of ticks: half a period after them, at most a thousand times a
    second. A priority above theirs keeps their work from delaying it."""
    period = 1e9 / (pace.rate * (pace.speed or 1.0))
    witness.period = period if spins else period * max(1, round(1e6 / period))
    witness.phase = 1.5 * period
    witness.lead, witness.spins = int(1e9 * pace.spin), spins
    witness.late_limit = int(period / 10)
    witness.priority, witness.cpu = min(pace.priority + 1, 99) if pace.priority else 0, pace.cpu


class IdleClock:
    """Wakes at the instants of ticks of a pace, spinning as they do; runs within `with`."""

    def __init__(self, pace: Pace) -> None:
        self.arena = Arena(Arena.need(struct_bytes("tb_witness")))
        self.struct = self.arena.struct("tb_witness")
        set_clock(self.struct, pace, spins=True)

    def __enter__(self) -> Self:
        error = LIB.tb_witness_start(ctypes.addressof(self.struct))
        if error:
            raise SolveError(f"A thread that keeps time can't be started: {os.strerror(error)}.")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        LIB.tb_witness_join(ctypes.addressof(self.struct))
