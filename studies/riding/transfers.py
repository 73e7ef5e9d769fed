"""Gallo's test manoeuvres (section 4.3.4): every block of 50 seconds, between two processes.

His "transfer time" of 0.43 ms (table 4.5) is the manoeuvre's time over the number of polling loops,
which says nothing of a transfer; and his 112 133 to 167 796 blocks in 50 s contradict one block a
millisecond. Here are the time of a call that drains, the age of what is used, and blocks a call."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

import touchback as tb
from touchback.devices.daq import Daq, Script, SimulatedBoard

STEP = 5e-3  # s, of his simulator
CHANNELS = ("brake", "throttle", "steering")
_LOOK = 0.5  # s between looks at what was drained
_PATIENCE = 30.0  # s beyond the manoeuvre


@dataclass(frozen=True)
class Manoeuvre:
    """What happens besides: stalls of the board (begin, length) and jitter [s], and processes that
    compute all the time."""

    name: str
    stalls: Sequence[tuple[float, float]] = ()
    jitter: float = 0.0
    load: int = 0


def manoeuvres(seconds: float, load: int) -> list[Manoeuvre]:
    """Five, as his: two undisturbed, then with stalls, under load, and with both."""
    stalls = [(0.2 * seconds * k, 0.004 * seconds) for k in range(1, 5)]
    return [
        Manoeuvre("1"),
        Manoeuvre("2, jitter of 2 ms", jitter=2e-3),
        Manoeuvre("3, stalls", stalls),
        Manoeuvre("4, load", load=load),
        Manoeuvre("5, load and stalls", stalls, 2e-3, load),
    ]


@dataclass(frozen=True)
class Transfers:
    """What was measured. Times in s; `used` is the age of the block at each of the simulator's
    steps, from when its oldest value was measured."""

    manoeuvre: Manoeuvre
    seconds: float
    expected: int
    received: int
    torn: int
    reordered: int
    lost: int
    busy: np.ndarray
    blocks: np.ndarray
    age: np.ndarray
    used: np.ndarray
    round_trip: float

    @property
    def per_call(self) -> tuple[int, int, int, int]:
        """Calls that took no block, one, two, and more."""
        counts = [int((self.blocks == k).sum()) for k in range(3)]
        return counts[0], counts[1], counts[2], len(self.blocks) - sum(counts)


def rider() -> tb.System:
    """A simulator that only looks."""
    m = tb.Model("rider")
    for name in CHANNELS:
        m.sensor(f"{name} seen", tb.Signal(1.0 * m.input(name), ""))
    return m.compile()


@contextlib.contextmanager
def busy_processes(count: int) -> Iterator[None]:
    """Processes that compute meanwhile."""
    hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


def transfer(manoeuvre: Manoeuvre, seconds: float = 50.0) -> Transfers:
    """A manoeuvre: a board whose every number tells its block, and a simulator of 5 ms."""
    script = Script(
        duration=seconds, stalls=manoeuvre.stalls, jitter=manoeuvre.jitter,
        counters={"brake": 16, "throttle": 16},
    )  # fmt: skip
    with (
        busy_processes(manoeuvre.load),
        SimulatedBoard(script) as board,
        Daq(board) as daq,
        tb.live(rider(), rate=1.0 / STEP, record=True) as live,
    ):
        for name in CHANNELS:
            live.connect(name, daq)
        end = time.monotonic() + seconds + _PATIENCE
        taken: list[dict[str, np.ndarray]] = []
        calls: list[dict[str, np.ndarray]] = []
        going = True
        while going and time.monotonic() < end:
            going = daq.running
            time.sleep(min(_LOOK, seconds / 4))
            taken.append(daq.blocks())
            calls.append(daq.drains())
        round_trip = daq.clock.round_trip
    run = live.recorded()
    seen = {name: np.concatenate([part[name] for part in taken]) for name in taken[0]}
    drains = {name: np.concatenate([part[name] for part in calls]) for name in calls[0]}
    steering = seen["steering"]
    torn = (seen["brake"] % 65536 != steering % 65536) | (
        seen["throttle"] % 65536 != steering % 65536
    )
    moving = (run["steering"] > 0) & (run["steering"] < script.blocks - 1)  # while blocks came
    return Transfers(
        manoeuvre, seconds, script.blocks, len(steering), int(torn.sum()),
        int((np.diff(steering) <= 0).sum()), script.blocks - len(np.unique(steering)),
        drains["busy"], drains["blocks"], drains["age"][drains["blocks"] > 0],
        1e-9 * run["input age"][moving], round_trip,
    )  # fmt: skip


def processors() -> int:
    """How many processors this program may use."""
    return len(os.sched_getaffinity(0))
