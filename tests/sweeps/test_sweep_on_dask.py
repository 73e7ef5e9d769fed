"""A sweep on a scheduler of dask, with workers in processes of their own, survives `kill -9`."""

import contextlib
import json
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import cloudpickle
import distributed
import numpy as np
import pyarrow.parquet as pq
import pytest

import swept
import touchback as tb
from touchback.sweeps import Grid
from waiting import until

TESTS = Path(__file__).parents[1]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
CLIENT = """
import sys
from functools import partial
import swept
import touchback as tb
address, out, log, runs = sys.argv[1:]
design = tb.sweeps.Grid({"index": range(int(runs))})
tb.sweep(partial(swept.logged, log=log), design, out=out, cluster=address)
"""


def started(*arguments: str, said: int = subprocess.DEVNULL) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, *arguments], env=ENVIRONMENT, stderr=said)


def address_in(about: Path) -> str | None:
    """None until all of the scheduler's file is written."""
    with contextlib.suppress(FileNotFoundError, json.JSONDecodeError):
        return json.loads(about.read_text())["address"]
    return None


@contextlib.contextmanager
def cluster_of(workers: int, folder: Path) -> Iterator[tuple[str, list[subprocess.Popen]]]:
    """The address of a scheduler, and its workers, each a process of its own."""
    about = folder / "scheduler.json"
    local = ("--host", "127.0.0.1", "--no-dashboard")
    cli = "distributed.cli.dask_"
    processes = [
        started("-m", f"{cli}scheduler", "--port", "0", "--scheduler-file", str(about), *local)
    ]
    worker = ("-m", f"{cli}worker", "--scheduler-file", str(about), "--nthreads", "1", "--no-nanny")
    place = ("--local-directory", str(folder))
    processes += [started(*worker, *local, *place) for _ in range(workers)]
    try:
        yield until(lambda: address_in(about)), processes[1:]
    finally:
        for process in processes:
            process.kill()
            process.communicate()


@pytest.fixture
def cluster(tmp_path) -> Iterator[tuple[str, list[subprocess.Popen]]]:
    """Two workers that a test may kill."""
    with cluster_of(2, tmp_path) as running:
        yield running


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[str]:
    """The scheduler of a cluster that stays."""
    with cluster_of(1, tmp_path_factory.mktemp("cluster")) as (found, _):
        yield found


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


def documented_script() -> str:
    """The first block of the page on sweeps."""
    page = (TESTS.parent / "docs" / "sweeps.md").read_text(encoding="utf-8")
    return page.split("```python\n")[1].split("```")[0]


def test_the_documented_script_sweeps_on_a_cluster(address, tmp_path) -> None:
    """As `python doors.py`: its functions are those of `__main__`, and they use `tb`."""
    text = documented_script()
    for local, few in (
        ("runs=200)", "runs=4)"), ('out="doors")', f'out="doors", cluster={address!r})')
    ):  # fmt: skip
        assert text.count(local) == 1
        text = text.replace(local, few)
    script = tmp_path / "doors.py"
    script.write_text(text, encoding="utf-8")
    ran = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    found = pq.read_table(tmp_path / "doors" / "runs.parquet").to_pydict()
    assert len(found["time [s]"]) == 4
    assert np.isfinite(found["time [s]"]).any()
    words = [each for each in found["failure"] if each]
    assert all("the door stays open" in each for each in words)


NOTEBOOK = """
import functools
import touchback as tb

@functools.cache
def system():
    m = tb.Model("mass")
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("mass", 2.0))
    m.force("push", tb.JointEffort("x", m.parameter("force", 1.0)))
    return m.compile()

held = system()

def speed(force, duration=1.0):
    assert system() is system()
    run = tb.simulate(system(), duration=duration, parameters={"force": force}, progress=False)
    return {"speed": float(run["x rate"][-1])}

def maker():
    factor = 2.0
    def doubled(force):
        return speed(factor * force)
    return doubled

class Speed:
    def __init__(self, duration):
        self.duration = duration

    def __call__(self, force):
        return speed(force, self.duration)

FUNCTIONS = {
    "def": speed,
    "lambda": lambda force: speed(force),
    "closure": maker(),
    "partial": functools.partial(speed, duration=2.0),
    "object": Speed(3.0),
    "system": lambda force: {"speed": held.sizes[0] * force},
}
"""


def test_a_sweep_closes_the_client_that_it_opened_and_leaves_others_open(address, tmp_path) -> None:
    """Also where it stops early: the scheduler then has no client more than before."""
    sweep = partial(tb.sweep, partial(swept.logged, log=str(tmp_path / "log")))

    def interrupted(fraction: float) -> None:
        raise KeyboardInterrupt

    with distributed.Client(address) as own:

        def clients() -> set[str]:
            return own.run_on_scheduler(lambda dask_scheduler: set(dask_scheduler.clients))

        before = clients()
        sweep(Grid({"index": range(4)}), out=tmp_path / "own", cluster=own)
        assert own.status == "running"
        sweep(Grid({"index": range(4)}), out=tmp_path / "address", cluster=address)
        until(lambda: clients() == before)
        with pytest.raises(KeyboardInterrupt):
            sweep(
                Grid({"index": range(4)}), out=tmp_path / "early", cluster=address,
                progress=interrupted,
            )  # fmt: skip
        until(lambda: clients() == before)


def test_functions_of_a_notebook_sweep_on_a_cluster(address, tmp_path) -> None:
    """They are written in no file. A force F moves 2 kg from rest to F t/2 within t. One that
    holds a compiled system can't be sent, and how to write it is told."""
    sweep = f"""
for word, function in FUNCTIONS.items():
    forces = tb.sweeps.Grid({{"force": [1.0, 3.0]}})
    try:
        print(word, *tb.sweep(function, forces, out=word, cluster={address!r})["speed"], sep=";")
    except tb.InputError as error:
        print(word, error, sep=";")

"""
    ran = subprocess.run(
        [sys.executable, "-"], input=NOTEBOOK + sweep, cwd=tmp_path, env=ENVIRONMENT,
        capture_output=True, text=True,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    told = dict(line.split(";", 1) for line in ran.stdout.splitlines() if ";" in line)
    refused = told.pop("system")
    assert "can't be sent to a cluster" in refused and "`@functools.cache`" in refused
    times = {"def": 1.0, "lambda": 1.0, "closure": 2.0, "partial": 2.0, "object": 3.0}
    speeds = {word: [float(x) for x in each.split(";")] for word, each in told.items()}
    assert speeds == {word: pytest.approx([t / 2, 3 * t / 2]) for word, t in times.items()}


@pytest.mark.parametrize("pickler", [pickle, cloudpickle], ids=["pickle", "cloudpickle"])
def test_the_package_is_pickled_by_its_name(pickler) -> None:

    assert pickle.loads(pickler.dumps(tb)) is tb
    assert pickle.loads(pickler.dumps(tb)).simulate is tb.simulate
