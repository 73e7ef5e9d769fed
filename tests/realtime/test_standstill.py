"""Ticks that stood still: what was before is not gone on with."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from touchback.realtime import open_recording

SCRIPT = """
import sys, threading, time
import touchback as tb
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
