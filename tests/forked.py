"""Scripts as users run them, each in a process of its own, but forked from one in which slow
imports are done: to import them anew takes longer than most scripts."""

import multiprocessing
import os
import runpy
import sys
import tempfile
import traceback
from dataclasses import dataclass
from pathlib import Path

import matplotlib

SLOW = ["touchback", "scipy.integrate", "scipy.optimize", "matplotlib.pyplot"]
PATIENCE = 120.0  # seconds

_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(SLOW)


@dataclass(frozen=True)
class Done:
    """What a script said, and its exit code."""

    returncode: int | None
    stdout: str
    stderr: str


def run(script: Path, folder: Path) -> Done:
    """Runs a script in a folder, which only has what the script wrote afterwards."""
    with tempfile.TemporaryDirectory(prefix="said-") as said:
        out, complaints = Path(said, "out"), Path(said, "err")
        process = _processes.Process(target=_work, args=(script, folder, out, complaints))
        process.start()
        process.join(PATIENCE)
        if process.is_alive():
            process.kill()
            process.join()
        return Done(process.exitcode, out.read_text("utf-8"), complaints.read_text("utf-8"))


def _work(script: Path, folder: Path, out: Path, complaints: Path) -> None:
    """In the forked process: the script as the main module, as the interpreter would run it."""
    for number, path in ((1, out), (2, complaints)):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), number)
    os.chdir(folder)
    matplotlib.use("Agg")
    sys.argv = [str(script)]
    sys.path[0] = str(script.parent)
    try:
        runpy.run_path(str(script), run_name="__main__")
    except Exception:
        traceback.print_exc()
        raise SystemExit(1) from None
