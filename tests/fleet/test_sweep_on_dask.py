"""A sweep on a scheduler of dask, with workers in processes of their own, survives `kill -9`."""

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import swept
import touchback as tb
from touchback.fleet import Grid
from waiting import until

TESTS = Path(__file__).parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
CLIENT = """
import sys
from functools import partial
import swept
import touchback as tb
address, out, log, runs = sys.argv[1:]
design = tb.fleet.Grid({"index": range(int(runs))})
tb.sweep(partial(swept.logged, log=log), design, out=out, cluster=address)
"""


def started(*arguments: str, said: int = subprocess.DEVNULL) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, *arguments], env=ENVIRONMENT, stderr=said)


def address_in(about: Path) -> str | None:
    """None until all of the scheduler's file is written."""
    with contextlib.suppress(FileNotFoundError, json.JSONDecodeError):
        return json.loads(about.read_text())["address"]
    return None


@pytest.fixture
def cluster(tmp_path) -> Iterator[tuple[str, list[subprocess.Popen]]]:
    """The address of a scheduler, and its two workers."""
    about = tmp_path / "scheduler.json"
    local = ("--host", "127.0.0.1", "--no-dashboard")
    cli = "distributed.cli.dask_"
    processes = [
        started("-m", f"{cli}scheduler", "--port", "0", "--scheduler-file", str(about), *local)
    ]
    worker = ("-m", f"{cli}worker", "--scheduler-file", str(about), "--nthreads", "1", "--no-nanny")
    place = ("--local-directory", str(tmp_path))
    processes += [started(*worker, *local, *place) for _ in range(2)]
    try:
        yield until(lambda: address_in(about)), processes[1:]
    finally:
        for process in processes:
            process.kill()
            process.communicate()


@pytest.mark.parametrize("runs", [600, pytest.param(10_000, marks=pytest.mark.soak)])
def test_a_killed_client_and_a_killed_worker_lose_nothing_and_repeat_nothing(
    runs, cluster, tmp_path
) -> None:
    address, workers = cluster
    log, out = tmp_path / "log", tmp_path / "out"
    arguments = (address, str(out), str(log), str(runs))
    client = started("-c", CLIENT, *arguments, said=subprocess.PIPE)
    until(lambda: len(swept.lines(log)) > runs / 4 or client.poll() is not None)
    assert client.poll() is None, client.communicate()[1].decode()
    client.kill()
    client.communicate()
    killed: list[int] = []

    def kill_a_worker(fraction: float) -> None:
        if fraction > 0.6 and not killed:
            os.kill(workers[0].pid, signal.SIGKILL)
            workers[0].wait()
            killed.append(swept.last_of(log, workers[0].pid))

    table = tb.sweep(
        partial(swept.logged, log=str(log)), Grid({"index": range(runs)}),
        out=out, cluster=address, progress=kill_a_worker,
    )  # fmt: skip
    assert np.array_equal(table["square"], np.arange(runs) ** 2.0) and not table.failures
    begun = swept.begun(log)
    assert sorted(begun) == list(range(runs))
    again = {index: times for index, times in begun.items() if times > 1}
    assert again in ({}, {killed[0]: 2})  # what the worker was in, unless it was between two
