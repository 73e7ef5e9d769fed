"""Pieces of memory handed to a driver's thread, watched by the compiler's thread sanitizer."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
NATIVE = HERE.parents[2] / "src" / "touchback" / "native"


def test_what_is_handed_over_is_whole_and_used_no_more_when_another_is_taken(tmp_path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc")
    sources = [
        str(HERE / "handover.c"),
        *(str(NATIVE / "live" / f"{name}.c") for name in ("handover", "clock")),
    ]
    program = str(tmp_path / "handover")
    built = subprocess.run(
        ["gcc", "-std=gnu11", "-O1", "-g", "-fsanitize=thread", f"-I{NATIVE}", *sources,
         "-lpthread", "-o", program], capture_output=True, text=True,
    )  # fmt: skip
    if "cannot find" in built.stderr:
        pytest.skip("gcc has no thread sanitizer here")
    assert built.returncode == 0, built.stderr
    plain = ["setarch", "-R"] if shutil.which("setarch") else []  # memory where it expects it
    alone = {name: each for name, each in os.environ.items() if name != "LD_PRELOAD"}
    # beside another sanitizer, which `make sanitize` preloads, this one can't start
    done = subprocess.run([*plain, program], capture_output=True, text=True, env=alone)
    assert (done.returncode, done.stdout) == (0, "0 torn, 0 late\n"), done.stderr
