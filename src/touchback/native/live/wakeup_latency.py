"""How late this machine wakes a thread: a clock that only sleeps (live/wakeup_monitor.h)."""

import ctypes
import os
from types import TracebackType
from typing import Self

from touchback.errors import SolveError
from touchback.native.live.locked_arena import Arena, struct_bytes
from touchback.native.live.tick_layout import Pace
from touchback.native.shared_library import LIB


def set_clock(monitor: ctypes.Structure, pace: Pace, spins: bool = False) -> None:
    """Lets a monitor keep the time of ticks: half a period after them, at most a thousand times a
    second. A priority above theirs keeps their work from delaying it."""
    period = 1e9 / (pace.rate * (pace.speed or 1.0))
    monitor.period = period if spins else period * max(1, round(1e6 / period))
    monitor.phase = 1.5 * period
    monitor.lead, monitor.spins = int(1e9 * pace.spin), spins
    monitor.late_limit = int(period / 10)
    monitor.priority, monitor.cpu = min(pace.priority + 1, 99) if pace.priority else 0, pace.cpu


class IdleClock:
    """Wakes at the instants of ticks of a pace, spinning as they do; runs within `with`."""

    def __init__(self, pace: Pace) -> None:
        self.arena = Arena(Arena.need(struct_bytes("tb_wakeup_monitor")))
        self.struct = self.arena.struct("tb_wakeup_monitor")
        set_clock(self.struct, pace, spins=True)

    def __enter__(self) -> Self:
        error = LIB.tb_wakeup_monitor_start(ctypes.addressof(self.struct))
        if error:
            raise SolveError(f"A thread that keeps time can't be started: {os.strerror(error)}.")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        LIB.tb_wakeup_monitor_join(ctypes.addressof(self.struct))
