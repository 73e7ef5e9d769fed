"""Parts of sweeps by themselves: crews of workers, folders, tasks, and limits of designs."""

import os
import stat
from collections.abc import Callable, Iterator
from functools import partial
from multiprocessing import Pipe
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import swept
import touchback as tb
from touchback.errors import SolveError
from touchback.sweeps import (
    Grid,
    LogUniform,
    MonteCarlo,
    Normal,
    Saltelli,
    Sobol,
    Sweep,
    sweep_designs,
    sweep_folder,
    sweep_workers,
)
from touchback.sweeps.sweep_table import columns_of
from touchback.sweeps.sweep_task import Task, _outcome, carry_function, compute, stopped

POINTS = np.arange(6.0)[:, None]


def task(number: int, folder: str = "", sweep: str = "") -> Task:
    rows = POINTS[2 * number : 2 * number + 2]
    return Task(swept.half_letters, folder, sweep, "me", number, 2 * number, ("index",), rows)


# ---- crews ---------------------------------------------------------------------------------------


class Actor:
    """A worker that says its lines, one after each task that it gets; None: it dies."""

    scripts: list[list[str | None]]
    made: list["Actor"]

    def __init__(self, context: object) -> None:
        self.pipe, self._own = Pipe()
        self.lines = self.scripts.pop(0)
        self.task: Task | None = None
        self.begun, self.ended, self.given = False, False, list[int]()
        self.made.append(self)
        self._say()

    def _say(self) -> None:
        if self.lines and (line := self.lines.pop(0)) is not None:
            self._own.send(line)
        else:
            self._own.close()

    def heard(self) -> str | None:
        try:
            return str(self.pipe.recv())
        except EOFError:
            return None

    def give(self, task: Task) -> None:
        self.task = task
        self.given.append(task.number)
        self._say()

    def end(self) -> None:
        self.ended = True


@pytest.fixture
def crew(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[Actor]]:
    def scripted(*scripts: list[str | None]) -> list[Actor]:
        Actor.scripts, Actor.made = list(scripts), []
        monkeypatch.setattr(sweep_workers, "_Worker", Actor)
        return Actor.made

    return scripted


def test_workers_get_one_task_after_the_other_and_end(crew: Callable[..., list[Actor]]) -> None:
    made = crew(["begun", "done", "done", "done"])
    found = [each.number for each in sweep_workers.run_on_processes([task(k) for k in range(3)], 1)]
    assert found == [0, 1, 2] == made[0].given and made[0].ended and made[0].begun
    assert list(sweep_workers.run_on_processes([], 1)) == []
    made = crew(["begun", "done"], ["begun", "done"])
    assert len(list(sweep_workers.run_on_processes([task(0), task(1)], 5))) == 2
    assert len(made) == 2  # no more workers than tasks


def test_the_task_of_a_worker_that_dies_comes_next(crew: Callable[..., list[Actor]]) -> None:
    made = crew(["begun", None], ["begun", "done", "done", "done"])
    found = [each.number for each in sweep_workers.run_on_processes([task(k) for k in range(3)], 1)]
    assert found == [0, 1, 2] and made[1].given == [0, 1, 2] and made[0].ended


def test_a_worker_that_can_not_go_on_stops_the_sweep(crew: Callable[..., list[Actor]]) -> None:
    made = crew(["begun", "OSError: full."])
    with pytest.raises(SolveError, match=r"The sweep stopped: OSError: full\. What has ended"):
        list(sweep_workers.run_on_processes([task(0)], 1))
    assert made[0].ended
    assert str(stopped("no...")).startswith("The sweep stopped: no. What")


def test_workers_that_die_before_they_begin_are_too_many_at_once(
    crew: Callable[..., list[Actor]],
) -> None:
    crew([None])
    with pytest.raises(SolveError, match="ended before it began"):
        list(sweep_workers.run_on_processes([task(0)], 1))
    later = [["begun", None], [None], [None], [None], ["begun", "done"]]
    crew(*later)  # three may, after one has begun
    assert len(list(sweep_workers.run_on_processes([task(0)], 1))) == 1
    crew(["begun", None], [None], [None], [None], [None])
    with pytest.raises(SolveError, match="ended before it began"):
        list(sweep_workers.run_on_processes([task(0)], 1))


def test_a_task_that_kills_every_worker_is_given_up() -> None:
    worker: Any = SimpleNamespace(task=task(1), begun=True)
    deaths, unborn = {1: 0}, sweep_workers._Unborn()
    for _ in range(9):  # three for each of two runs, and three more
        sweep_workers._count_death(worker, deaths, unborn)
    with pytest.raises(SolveError, match="before they compute runs 2 to 3: import"):
        sweep_workers._count_death(worker, deaths, unborn)
    worker.task = None
    sweep_workers._count_death(worker, deaths, unborn)
    assert deaths == {1: 10} and unborn.left == 0


def test_a_sweep_has_a_worker_for_each_core_that_its_process_may_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which is fewer than the machine has where the process is bound to some; platforms that bind
    none, or don't know how many there are, have all, or one."""
    asked: list[int] = []

    def alone(tasks: list[Task], workers: int) -> Iterator[Task]:
        asked.append(workers)
        for each in tasks:
            compute(each)
            yield each

    def sweep(**options: int) -> None:
        out = tmp_path / str(len(asked))
        tb.sweep(swept.half_letters, Grid({"index": range(2)}), out=out, **options)

    monkeypatch.setattr(sweep_workers, "run_on_processes", alone)
    monkeypatch.setattr(os, "sched_getaffinity", {0: {3, 5, 7}}.get, raising=False)
    sweep()
    sweep(workers=2)
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: 6)
    sweep()
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    sweep()
    assert asked == [3, 2, 6, 1]


def test_what_a_cluster_says_of_a_task_is_read() -> None:
    distributed = pytest.importorskip("distributed")

    def future(status: str, error: Exception | None = None) -> Any:
        return SimpleNamespace(status=status, exception=lambda: error)

    assert sweep_workers._lost(future("finished")) is False
    killed = distributed.KilledWorker("task", None, 3)
    assert sweep_workers._lost(future("error", killed)) is True
    with pytest.raises(SolveError, match=r"gave a part of it up \(cancelled\)"):
        sweep_workers._lost(future("cancelled"))
    with pytest.raises(SolveError, match="stopped: OSError: full"):
        sweep_workers._lost(future("error", OSError("full")))


# ---- folders and tasks ---------------------------------------------------------------------------


def test_tasks_know_their_runs_and_where_they_are_kept(tmp_path: Path) -> None:
    name = sweep_folder.open_folder(tmp_path, swept.half_letters, Grid({"index": range(6)}))
    second = task(1, str(tmp_path), name)
    assert (len(second), second.runs, second.part.name) == (2, range(2, 4), "0001.jsonl")
    assert second.stored() == {}
    old = os.umask(0o022)
    try:
        compute(second)
    finally:
        os.umask(old)
    assert list(second.stored()) == [2, 3]
    for path in (second.part, tmp_path / ".lock"):
        assert stat.S_IMODE(path.stat().st_mode) & ~0o022 == 0o644 or path.name == ".lock"
    assert stat.S_IMODE(second.part.stat().st_mode) == 0o644  # 0666 without what the mask takes
    with pytest.raises(tb.InputError, match="isn't the sweep's folder there"):
        compute(task(1, str(tmp_path), "another"))
    with pytest.raises(tb.InputError, match="isn't the sweep's folder there"):
        compute(task(1, str(tmp_path / "none"), name))


def test_runs_that_ended_their_process_three_times_are_given_up(tmp_path: Path) -> None:
    name = sweep_folder.open_folder(tmp_path, swept.half_letters, Grid({"index": range(6)}))
    first = task(0, str(tmp_path), name)
    with sweep_folder.hold_part(first.part, first.runs) as kept:
        for run, times in ((0, 3), (1, 2)):
            for _ in range(times):
                kept.begin(run, "me")
        kept.begin(1, "you")  # another call's doesn't count
    compute(first)
    assert first.stored()[0] == "Its process was killed or crashed 3 times."
    assert first.stored()[1] == "ValueError: \\ud800"


def test_functions_differ_by_what_they_hold() -> None:
    one, other = (partial(swept.logged, log=log) for log in "ab")
    assert sweep_folder._source(one) == sweep_folder._source(partial(swept.logged, log="a"))
    assert sweep_folder._source(one) != sweep_folder._source(other)
    assert sweep_folder._name(one) == "logged"

    def inside(index: float) -> dict[str, float]:  # which pickle doesn't take
        return {}

    digest = sweep_folder._source(inside)
    assert len(digest) == 16 and digest != sweep_folder._source(swept.logged)


def test_outcomes_are_numbers_by_names_of_their_own() -> None:
    def gave(found: object) -> object:
        return _outcome(lambda **_: found, {"index": 1.0})  # type: ignore[arg-type]

    assert gave({"y": np.float32(1.5), "n": 2}) == {"y": 1.5, "n": 2.0}
    for name in ("index", "failure", "a\nb", 3):
        assert str(gave({name: 1.0})).startswith("An outcome has a name of its own")
    assert str(gave({"y": True})).startswith("Outcome 'y' is to be a number")
    assert gave(3.0) == "A run gives numbers by name, {'name': 1.0}, and this one 3.0."
    long = "x" * 100
    assert (
        gave(long)
        == f"A run gives numbers by name, {{'name': 1.0}}, and this one {long!r}."[: -len(long) - 3]
        + repr(long)[:80]
        + "."
    )

    def raising(**_: float) -> dict[str, float]:
        raise ValueError("x" * 3000)

    assert _outcome(raising, {}) == "ValueError: " + "x" * (2000 - 12)


def test_functions_are_carried_once_and_stay_the_same() -> None:
    pytest.importorskip("cloudpickle")
    carried = carry_function(swept.half_letters)
    assert carry_function(carried) is carried
    assert carried.unpacked() is carried.unpacked() is swept.half_letters


# ---- designs and tables --------------------------------------------------------------------------


def test_designs_say_what_tells_them_from_others() -> None:
    few = Grid({"a": range(20), "b": range(21)})
    about = few.about()
    assert about["axis 'a'"] == [float(k) for k in range(20)]
    assert about["axis 'b'"] == "21 values from 0.0 to 20.0"
    drawn = MonteCarlo({"a": (0, 1)}, 5, seed=3).about()
    assert (drawn["design"], drawn["runs"], drawn["seed"]) == ("MonteCarlo", 5, 3)
    assert drawn["axis 'a'"] == "Uniform(low=0.0, high=1.0)"
    assert Saltelli({"a": (0, 1), "b": (0, 1)}, 4).about()["runs"] == 16


def test_designs_have_room_for_so_many_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweep_designs, "MOST_RUNS", 16)
    assert len(Saltelli({"a": (0, 1), "b": (0, 1)}, 4)) == 16 == len(Grid({"a": range(16)}))
    with pytest.raises(tb.InputError, match=r"runs of all its matrices .* 1 to 16, got 24"):
        Saltelli({"a": (0, 1)}, 8)
    with pytest.raises(tb.InputError, match=r"its combinations must .* got 17"):
        Grid({"a": range(17)})
    assert Sobol({"a": (0, 1)}, 1).points().shape == (1, 1)
    with pytest.raises(tb.InputError, match="got 12; give 8 or 16"):
        Sobol({"a": (0, 1)}, 12)


def test_saltellis_matrices_share_all_columns_but_one() -> None:
    a, b, first, second = np.split(Saltelli({"a": (0, 1), "b": (2, 4)}, 8).points(), 4)
    assert not np.isin(a, b).any()
    assert np.array_equal(first, np.column_stack([b[:, 0], a[:, 1]]))
    assert np.array_equal(second, np.column_stack([a[:, 0], b[:, 1]]))


def test_distributions_have_their_ends() -> None:
    shares = np.array([0.0, 0.25, 1.0])
    assert LogUniform(1.0, 16.0).at(shares) == pytest.approx([1.0, 2.0, 16.0])
    assert Normal(1.0, 2.0).at(np.array([0.5, 0.8413447460685429])) == pytest.approx([1.0, 3.0])
    low, high = Normal(0.0, 1.0).at(np.array([0.0, 1.0]))
    assert low == pytest.approx(-high) and 8.0 < high < 8.5  # at 2⁻⁵³


def test_tables_have_a_row_for_each_run() -> None:
    design = Grid({"a": [1.0, 2.0, 3.0, 4.0]})
    columns = columns_of(design, [(1, {"y": 5.0}), (2, "no"), (3, {"z": 6.0})])
    table = Sweep(design, columns, Path("out"))
    assert table.outcomes == ("y", "z") and table.parameters == ("a",) and len(table) == 4
    np.testing.assert_array_equal(table["y"], [np.nan, 5.0, np.nan, np.nan])
    np.testing.assert_array_equal(table["z"], [np.nan, np.nan, np.nan, 6.0])
    assert table.failures == {2: "no"}
    failing = columns_of(design, [(k, f"no {k}") for k in range(4)])
    shown = repr(Sweep(design, failing, Path("out"))).splitlines()
    assert shown == [
        "Sweep of 4 runs over a: nothing. 4 failed.", "  run 0: no 0", "  run 1: no 1",
        "  run 2: no 2",
    ]  # fmt: skip
