"""Rows of grand piano actions in our live loop, unclocked: every tick with inputs, outputs, guards
and the recording ring, timed alone from C."""

import ctypes
from time import sleep
from typing import Any

import numpy as np

import touchback as tb
from benchmarks.engines.build import HERE, OPTIMISED, compiled
from benchmarks.timing import Floats
from touchback.instruments.piano.piano_action import grand_piano_action
from touchback.native.shared_library import LIB

REPORTED = ("key depth", "key speed", "string gap", "hammer velocity")
METHOD, STEP = "euler", 62.5e-6
PAUSE = 0.25  # of the time of a chunk: Linux stops real-time threads that take 95 % of a second
WARM = 10  # ticks that are not counted after Python has emptied the ring


class _LiveRun(ctypes.Structure):
    """live_run of ticks.c."""

    _fields_ = [
        *[(name, ctypes.c_void_p) for name in ("tick", "live", "write", "boxes")],
        ("inputs", ctypes.c_long),
    ]


def action() -> tb.System:
    """One action under a finger, with what a keyboard needs as outputs."""
    m = grand_piano_action("finger")
    m.report(*REPORTED)
    return m.compile()


def resting(system: tb.System) -> Floats:
    """The state in which an action comes to rest."""
    run = tb.simulate(system, duration=0.5, rtol=1e-6, atol=1e-9, progress=False)
    x = np.array([run[name][-1] for name in system.state_names])
    x[len(system.coordinates) :] = 0.0
    return x


class PianoLive:
    """A row of `count` actions at a rate [Hz]."""

    def __init__(self, system: tb.System, rest: Floats, count: int, rate: float) -> None:
        self._ticks = ctypes.CDLL(str(compiled([HERE / "ticks.c"], [*OPTIMISED, "-lm"])))
        row: Any = tb.copies(system, [str(k) for k in range(count)])
        half = len(system.coordinates)
        start = np.concatenate([np.tile(rest[:half], count), np.tile(rest[half:], count)])
        substeps = round(1 / rate / STEP)
        self.live = tb.live(row, start, rate=rate, speed=None, method=METHOD, substeps=substeps)
        loop, boxes = self.live._loop, self.live._ports.mailboxes
        self._boxes = np.array([boxes[name].address for name in row.input_names], np.uint64)
        self._run = _LiveRun(
            _address(LIB.tb_live_tick), loop.address, _address(LIB.tb_mailbox_write),
            self._boxes.ctypes.data, len(self._boxes),
        )  # fmt: skip
        self._chunk = int(loop.struct.ring.capacity)

    def ticks(self, motions: Floats) -> Floats:
        """Seconds of each tick under motions (ticks × inputs), but for the first of each chunk."""
        kept = []
        with self.live as live:
            for start in range(0, len(motions), self._chunk):
                chunk = np.ascontiguousarray(motions[start : start + self._chunk])
                spent = np.empty(len(chunk), np.int64)
                self._ticks.ticks_of_live(
                    ctypes.byref(self._run), ctypes.c_void_p(chunk.ctypes.data),
                    ctypes.c_long(len(chunk)), ctypes.c_void_p(spent.ctypes.data),
                )  # fmt: skip
                live._drain()
                sleep(PAUSE * 1e-9 * int(spent.sum()))
                kept.append(1e-9 * spent[WARM:])
            report = live.report()
        if report.counts["lost_rows"] or report.counts["not_finite"]:
            raise ArithmeticError(f"The passage did not run as it should:\n{report}")
        return np.concatenate(kept)


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0
