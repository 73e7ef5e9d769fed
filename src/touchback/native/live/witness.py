"""A clock that only sleeps (live/witness.h), by itself: how late this machine wakes a thread."""

import ctypes
import os
from types import TracebackType
from typing import Self

from touchback.errors import SolveError
from touchback.native.library import LIB
from touchback.native.live.live import Pace, set_clock
from touchback.native.live.memory import Arena
from touchback.native.live.structs import WitnessStruct, check_layout

LIB.tb_witness_start.argtypes = LIB.tb_witness_join.argtypes = [ctypes.c_void_p]


class IdleClock:
    """Wakes at the instants of ticks of a pace, spinning as they do; runs within `with`."""

    def __init__(self, pace: Pace) -> None:
        check_layout()
        size = ctypes.sizeof(WitnessStruct)
        self.arena = Arena(Arena.need(size))
        self.struct = WitnessStruct.from_address(self.arena.carve(size))
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
