"""The clocked thread asks for no memory after its start: counted inside malloc itself."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from allocation_counter import build

SCRIPT = """
import ctypes, threading
import touchback as tb
m = tb.Model("slider-crank", gravity=(0, 0, -9.81))
r = m.parameter("crank radius", 0.10)
crank = m.body("crank", mass=1.0, com=(r / 2, 0, 0), inertia=(1e-4, 8e-4, 8e-4))
rod = m.body("rod", mass=0.5, com=(0.2, 0, 0), inertia=(1e-4, 7e-3, 7e-3))
slider = m.body("slider", mass=0.8)
m.joint("crank", tb.Revolute("y"), m.ground, crank)
m.joint("rod", tb.Revolute("y"), crank.at(r, 0, 0), rod)
m.joint("slider", tb.Prismatic("x"), m.ground, slider)
m.close("pin", tb.PointInPlane("xz"), rod.at(0.4, 0, 0), slider)
m.force("motor", tb.JointEffort("crank", m.input("torque")))
m.sensor("place", tb.Position(slider))
system = m.compile()
start = system.assemble(crank=0.3, guess={"slider": 0.5}, rates={"crank": 10.0})
counter = ctypes.CDLL(None)
watched = ctypes.c_long.in_dll(counter, "watched")
counted = ctypes.c_long.in_dll(counter, "counted")
with tb.live(
    system, start, rate=2000, inputs={"torque": tb.devices.WatchedInput(max_age=0.02)},
    outputs={"place.x": tb.devices.GuardedOutput(high=0.5)}, record=True,
) as live:
    live.run(0.001)  # the thread has told its number
    watched.value = live._loop.struct.thread_id
    assert watched.value > 0
    for k in range(20):
        live["torque"] = 0.1 * k
        live["crank radius"] = 0.1 + 0.001 * k
        live.run(0.01)
    live.set_substeps(3)
    live["torque"] = float(1e300)
    live.run(0.05)
    live.emergency_stop()
    live.run(0.02)
    live["torque"] = 0.0
    live.resume()
    live.run(0.05)
    in_ticks = counted.value
    watched.value = threading.get_native_id()
    made = [bytearray(100_000 + k) for k in range(10)]
    print(in_ticks, counted.value > in_ticks, live.ticks > 500, live.report().counts["swaps"] > 5)
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="counting needs a C compiler")
def test_ticks_never_allocate(tmp_path: Path) -> None:
    library = build(tmp_path)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120,
        env={**os.environ, "LD_PRELOAD": str(library)},
    )  # fmt: skip
    assert done.stdout == "0 True True True\n", done.stderr
