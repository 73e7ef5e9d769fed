"""The clocked thread has its stack whatever else the process has loaded."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

GREEDY = "__thread char much[450 * 1024] = {1}; char first(void) { return much[0]; }\n"
SCRIPT = """
import touchback as tb
m = tb.Model("slider")
m.joint("slide", tb.Prismatic("x"), m.ground, m.body("slider", mass=1.0))
with tb.live(m.compile(), rate=1000) as live:
    live.run(0.002)
print("ticked")
"""


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs a C compiler")
def test_thread_local_memory_of_other_libraries_leaves_it_enough(tmp_path: Path) -> None:
    """Such memory lies on each thread's stack: 450 KiB of it left no room for a tick."""
    source, library = tmp_path / "greedy.c", tmp_path / "greedy.so"
    source.write_text(GREEDY)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", library, source], check=True)
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, timeout=120,
        env={**os.environ, "LD_PRELOAD": str(library)},
    )  # fmt: skip
    assert (done.stdout, done.returncode) == ("ticked\n", 0), done.stderr
