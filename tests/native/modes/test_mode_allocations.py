"""Changes of mode ask for no memory: counted inside malloc itself."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from allocation_counter import build

SCRIPT = """
import ctypes
import numpy as np
import touchback as tb
from models_with_modes import block_on_belt
counter = ctypes.CDLL(None)
watched = ctypes.c_long.in_dll(counter, "watched")
counted = ctypes.c_long.in_dll(counter, "counted")
with tb.live(block_on_belt().compile(), rate=2000, record=True) as live:
    live.run(0.001)  # the thread has told its number
    watched.value = live._loop.struct.thread_id
    live.run(1.6)
    print(counted.value, bool(np.ptp(live.recorded()["mode"])))
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="counting needs a C compiler")
def test_changes_of_mode_never_allocate(tmp_path: Path) -> None:
    library = build(tmp_path)
    tests = str(Path(__file__).parents[2])
    path = os.pathsep.join([tests, os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120,
        env={**os.environ, "LD_PRELOAD": str(library), "PYTHONPATH": path},
    )  # fmt: skip
    assert done.stdout == "0 True\n", done.stderr
