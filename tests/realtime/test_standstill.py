"""Ticks that stood still: what was before is not gone on with."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import touchback as tb
from touchback import gallery
from touchback.devices import GuardedOutput, WatchedInput
from touchback.native.live.mailbox import clock_now
from touchback.realtime import Live, open_recording
from waiting import until

AT_REST = 16384  # flag of a tick

SCRIPT = """
import sys, threading, time
import touchback as tb
from touchback import gallery
from touchback.devices import GuardedOutput, WatchedInput

m = tb.Model("push")
m.sensor("force", tb.Signal(1.0 + 0.0 * m.input("place"), "N"))
with tb.live(m.compile(), rate=500, record=sys.argv[1], inputs={"place": WatchedInput(max_age=0.1)},
             outputs={"force": GuardedOutput(safe=0.0, low=-2.0, high=2.0)}) as live:
    live["place"] = 0.5
    while live.read("force") != 1.0:
        live["place"] = 0.5
    print("goes", flush=True)
    sys.stdin.readline()  # nobody writes a message any more
    live.run(0.05)
"""


def test_an_output_is_safe_in_the_first_tick_after_a_standstill(tmp_path: Path) -> None:
    """The process is stopped right after a message: by ticks it would still be fresh for 0.1 s."""
    path = tmp_path / "run.mcap"
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    try:
        assert process.stdin is not None and process.stdout is not None
        assert process.stdout.readline() == "goes\n"
        os.kill(process.pid, signal.SIGSTOP)
        time.sleep(0.3)
        os.kill(process.pid, signal.SIGCONT)
        process.communicate("\n", timeout=60)
        assert process.returncode == 0
    finally:
        process.kill()
        process.wait()
    recording = open_recording(path)
    age, force = 1e-9 * recording.column("input age"), recording.column("force")
    assert age.max() > 0.25  # it did stand still
    assert np.all(force[age > 0.13] == 0.0)  # 0.1 s, a tick, and 20 ms


def pushing() -> tb.System:
    """A force that is always on, whatever the place is; only silence takes it away."""
    m = tb.Model("push")
    m.sensor("force", tb.Signal(1.0 + 0.0 * m.input("place"), "N"))
    return m.compile()


def watched(system: tb.System, path: Path, max_age: float, **more: int) -> Live:
    return tb.live(
        system, rate=500, inputs={"place": WatchedInput(max_age=max_age)}, record=path,
        outputs={"force": GuardedOutput(safe=0.0, low=-2.0, high=2.0)}, **more,
    )  # fmt: skip


def until_it_pushes(live: Live, write: Callable[[], None]) -> None:
    """Writes again and again until a tick has pushed: what was written long before the next tick of
    a busy machine is old. No tick is overlooked."""
    forces: list[float] = []

    def pushes() -> bool:
        write()
        return 1.0 in forces

    live.tap(lambda rows, columns: forces.extend(rows[:, columns.index("force")]))
    until(pushes)


def test_a_message_that_waited_through_a_standstill_is_as_old_as_it_is(tmp_path: Path) -> None:
    """Ticks rest, a message is handed over, and the tick that takes it comes 0.3 s later."""
    with watched(pushing(), tmp_path / "run.mcap", 0.1) as live:
        live["place"] = 0.5
        live.pause()
        live["place"] = 0.6
        time.sleep(0.3)
        live.go()
        until(lambda: live.faults == ("stale input",))
        until_it_pushes(live, lambda: live.write("place", 0.7))  # by itself
    run = open_recording(tmp_path / "run.mcap")
    age, force, place = 1e-9 * run.column("input age"), run.column("force"), run.column("place")
    assert age[place == 0.6].min() >= 0.3 and np.all(force[place == 0.6] == 0.0)
    assert force[place == 0.7].max() == 1.0


def test_a_message_from_the_future_is_no_fresher_than_one_of_now(tmp_path: Path) -> None:
    with watched(pushing(), tmp_path / "run.mcap", 0.1) as live:
        until_it_pushes(live, lambda: live.write("place", 0.5, stamp=clock_now() + 10**12))
        live.pause()
        time.sleep(0.3)
        live.go()
        until(lambda: live.faults == ("stale input",))
    run = open_recording(tmp_path / "run.mcap")
    force, flags = run.column("force"), run.column("flags").astype(int)
    rest = np.flatnonzero(flags & AT_REST)[-1]
    assert force[:rest].max() == 1.0 and np.all(force[rest:] == 0.0)


def test_what_a_step_makes_of_a_message_is_not_used_when_the_step_itself_stood_still(
    tmp_path: Path,
) -> None:
    """Half a million evaluations take longer than a tick, 2 ms, and 20 ms more on any machine."""
    m = gallery.entry("seven-joint-arm").make()
    m.sensor("force", tb.Signal(1.0 + 0.0 * m.input("place"), "N"))
    with watched(m.compile(), tmp_path / "run.mcap", 0.002, substeps=100_000) as live:
        while live.read("tick") < 3:
            live["place"] = 0.5
    run = open_recording(tmp_path / "run.mcap")
    age, step = 1e-9 * run.column("input age"), 1e-9 * run.column("step time")
    slow = (age >= 0.0) & (age < 0.01) & (step > 0.03)  # was fresh when it was taken
    assert slow.any()
    assert np.all(run.column("force")[slow] == 0.0)
