"""A sweep on processes of this machine keeps each run once, whatever ends its processes."""

import json
import os
import re
import signal
import sys
import warnings
import zlib
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier, Thread

import numpy as np
import pyarrow.parquet
import pytest

import swept
import touchback as tb
from touchback.sweeps import Grid, LogUniform, MonteCarlo, Sweep, sweep_folder
from touchback.sweeps.sweep_task import TRIES, Task, compute
from waiting import until

RUNS = 600  # two in a row are a part
DESIGN = Grid({"index": range(RUNS)})


class Broken:
    """A progress that is interrupted, as by Ctrl-C, when so much is done."""

    def __init__(self, share: float) -> None:
        self.share = share
        self.seen: list[float] = []

    def __call__(self, fraction: float) -> None:
        self.seen.append(fraction)
        if fraction > self.share:
            raise KeyboardInterrupt


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[Sweep, Path, dict[int, int]]:
    """A sweep that was interrupted and called again; the log of its runs, and how often each had
    begun at the interruption."""
    folder = tmp_path_factory.mktemp("sweep")
    log = folder / "log"
    function = partial(swept.fated, log=str(log))
    with pytest.raises(KeyboardInterrupt) as stopped:
        tb.sweep(function, DESIGN, out=folder / "out", workers=2, progress=Broken(0.5))
    (note,) = stopped.value.__notes__
    assert re.fullmatch(rf"\d+ of {RUNS} runs are kept in .*out; the same call goes on\.", note)
    before = dict(swept.begun(log))
    rest = Broken(1.0)
    table = tb.sweep(function, DESIGN, out=folder / "out", workers=2, progress=rest)
    assert 0.5 < rest.seen[0] <= rest.seen[-1] == 1.0  # it goes on from what was kept
    return table, log, before


def test_runs_begin_again_only_if_their_process_ended_in_them(told) -> None:
    table, log, before = told
    begun = swept.begun(log)
    assert RUNS / 2 < len(before) < RUNS  # it was interrupted in the middle
    assert sorted(begun) == list(range(RUNS))
    again = {index for index, times in begun.items() if times > 1}
    assert begun[swept.KILLED] == 2 and begun[swept.CRASHING] == TRIES
    in_flight = again - {swept.KILLED, swept.CRASHING}
    assert len(in_flight) <= 2 and all(begun[index] == 2 for index in in_flight)  # of two workers
    good = np.ones(RUNS, dtype=bool)
    good[list(table.failures)] = False
    assert np.array_equal(table["square"][good], np.arange(RUNS)[good] ** 2.0)


def test_runs_that_fail_are_kept_with_their_words(told) -> None:
    table = told[0]
    assert table.failures == {
        swept.CRASHING: "Its process was killed or crashed 3 times.",
        swept.RAISING: "ValueError: a spring can't pull",
        swept.WORDY: "Outcome 'square' is to be a number, and this run gave 'large'.",
    }
    assert np.isnan(table["square"][list(table.failures)]).all()
    assert "Sweep of 600 runs over index: square. 3 failed." in repr(table)


def test_a_finished_sweep_computes_nothing_more(told) -> None:
    table, log, _ = told
    before = swept.lines(log)
    again = tb.sweep(partial(swept.fated, log=str(log)), DESIGN, out=table.folder)
    assert swept.lines(log) == before
    assert np.array_equal(again["square"], table["square"], equal_nan=True)


def test_a_finished_sweep_is_read_where_nothing_can_be_written(tmp_path, monkeypatch) -> None:
    """And a table that a full disk kept from being written says that its runs are there."""
    design, log = Grid({"index": [1.0, 2.0]}), str(tmp_path / "log")
    function = partial(swept.logged, log=log)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as disk, pytest.raises(OSError, match="No space") as told:
        disk.setattr(Sweep, "to_parquet", full)
        tb.sweep(function, design, out=tmp_path / "out", workers=1)
    assert told.value.__notes__ == [
        f"All runs are kept in {tmp_path / 'out'}; make room, and the same call goes on."
    ]
    whole = tb.sweep(function, design, out=tmp_path / "out", workers=1)
    monkeypatch.setattr(Sweep, "to_parquet", full)
    again = tb.sweep(function, design, out=tmp_path / "out", workers=1)
    assert np.array_equal(again["square"], whole["square"]) and len(again) == 2


def test_other_programs_read_the_table(told) -> None:
    table = told[0]
    read = pyarrow.parquet.read_table(table.folder / "runs.parquet")
    assert read.column_names == ["index", "square", "failure"]
    assert np.array_equal(read["square"].to_numpy(), table["square"], equal_nan=True)
    assert read["failure"][swept.RAISING].as_py() == "ValueError: a spring can't pull"
    assert json.loads(read.schema.metadata[b"touchback"])["design"] == "Grid"


def test_another_sweep_in_the_folder_is_refused_by_what_differs(told, tmp_path) -> None:
    table, log, _ = told
    function = partial(swept.fated, log=str(log))
    for other, design, what in (
        (
            function,
            Grid({"index": range(599)}),
            "axis 'index' is '600 values from 0.0 to",
        ),
        (function, MonteCarlo({"index": (0, 1)}, 600), "design is 'Grid' there and 'MonteCarlo'"),
        (
            partial(swept.logged, log=str(log)),
            DESIGN,
            "function is 'fated' there and 'logged'",
        ),
    ):
        with pytest.raises(tb.InputError, match=f"holds another sweep: {what}"):
            tb.sweep(other, design, out=table.folder)
    (tmp_path / "letter.txt").touch()
    for place, what in (
        (tmp_path, "holds other things than a sweep"),
        (tmp_path / "letter.txt", "letter.txt' can't hold a sweep"),
        ("a\0b", "can't hold a sweep"),
    ):
        with pytest.raises(tb.InputError, match=what):
            tb.sweep(function, DESIGN, out=place)


def test_of_many_who_begin_a_folder_at_once_one_does_and_all_have_its_sweep(tmp_path) -> None:
    many = 8
    ready = Barrier(many)

    def opened(folder: Path) -> str:
        ready.wait()
        return sweep_folder.open_folder(folder, swept.half_letters, DESIGN)

    with ThreadPoolExecutor(many) as crew:
        for k in range(10):
            begun = set(crew.map(opened, [tmp_path / f"sweep {k}"] * many))
            assert len(begun) == 1


def test_two_who_ask_for_the_same_runs_at_once_compute_each_once(tmp_path) -> None:
    function = partial(swept.logged, log=str(tmp_path / "log"), rest=0.05)
    name = sweep_folder.open_folder(tmp_path / "out", function, DESIGN)
    task = Task(function, str(tmp_path / "out"), name, "me", 0, 0, ("index",), DESIGN.points()[:3])
    other = Thread(target=compute, args=(task,))
    other.start()
    compute(task)
    other.join()
    assert swept.begun(tmp_path / "log") == {0: 1, 1: 1, 2: 1}


def test_a_line_that_was_cut_off_is_left_out_and_written_over(tmp_path) -> None:
    path = tmp_path / "0000.jsonl"
    lines = [(0, "begun", "me"), (0, "ended", {"y": np.nan}), (1, "begun", "me")]
    path.write_bytes(b"".join(sweep_folder.line_of(*each) for each in lines) + b'[1, "en')
    runs = range(2)
    found = sweep_folder.read_part(path, runs)
    assert list(found.outcomes) == [0] and found.begun[1, "me"] == 1
    with sweep_folder.hold_part(path, runs) as kept:
        kept.begin(1, "me")
        kept.end(1, {"y": 0.1})
        assert kept.begun[1, "me"] == 2 and kept.outcomes[1] == {"y": 0.1}
    assert sweep_folder.read_part(path, runs).outcomes[1] == {"y": 0.1}


@pytest.mark.parametrize(
    "line",
    [
        b"[0]", b"5", b"rubbish", b'[2, "ended", {"y": 1.0}]', b'[-1, "ended", {"y": 1.0}]',
        b'["0", "ended", {"y": 1.0}]', b'[true, "ended", {"y": 1.0}]', b'[[0], "begun", "me"]',
        b'[0, "ended", {"y": "1"}]', b'[0, "ended", {"y": null}]', b'[0, "ended", null]',
        b'[0, "failed", {"y": 1.0}]', b'[0, "other", {"y": 1.0}]',
    ],
)  # fmt: skip
def test_a_line_that_nobody_wrote_so_is_refused_by_its_number(tmp_path, line: bytes) -> None:
    path, checked = tmp_path / "0000.jsonl", b'%s, "%08x"]' % (line[:-1], zlib.crc32(line))
    for each in (line, checked):
        path.write_bytes(sweep_folder.line_of(0, "begun", "me") + each + b"\n")
        with pytest.raises(tb.InputError, match=r"0000.jsonl, line 2: .* Delete this file"):
            sweep_folder.read_part(path, range(2))


def test_a_part_with_any_other_bit_is_refused_by_its_line(tmp_path) -> None:
    """Among them digits that would be other numbers, names, and numbers of runs."""
    path, runs = tmp_path / "0000.jsonl", range(100)
    lines = [
        sweep_folder.line_of(0, "begun", "me"),
        sweep_folder.line_of(0, "ended", {"y": 0.125, "z": -3e-7}),
    ]
    good = b"".join(lines)
    path.write_bytes(good)
    assert sweep_folder.read_part(path, runs).outcomes == {0: {"y": 0.125, "z": -3e-7}}
    for bit in range(8 * len(lines[0]), 8 * len(good) - 8):
        damaged = bytearray(good)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        with pytest.raises(tb.InputError, match="line 2: no line of a sweep"):
            sweep_folder.read_part(path, runs)


def test_runs_of_a_damaged_part_are_computed_again_when_it_is_deleted(tmp_path) -> None:
    function, design = partial(swept.logged, log=str(tmp_path / "log")), Grid({"index": range(4)})
    swept_once = partial(tb.sweep, function, design, out=tmp_path / "out", workers=1)
    found = swept_once()
    path = tmp_path / "out" / "parts" / "0000.jsonl"
    path.write_bytes(path.read_bytes().replace(b"begun", b"begum", 1))
    with pytest.raises(tb.InputError, match=r"0000.jsonl, line 1: .*checksum.* Delete this file"):
        swept_once()
    path.unlink()
    again = swept_once()
    assert np.array_equal(again["square"], found["square"])


def _ended(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].startswith("Z")
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_a_worker_that_is_killed_while_it_has_nothing_to_do_is_replaced(tmp_path) -> None:
    done, go = tmp_path / "done", tmp_path / "go"

    def kill(fraction: float) -> None:
        if fraction == 0.5:
            idle = int(done.read_text())
            os.kill(idle, signal.SIGKILL)
            until(lambda: _ended(idle))
            go.touch()

    function = partial(swept.waiting, done=str(done), go=str(go))
    table = tb.sweep(
        function, Grid({"index": [0, 1]}), out=tmp_path / "out", workers=2, progress=kill
    )
    assert not table.failures and table["index"].tolist() == [0.0, 1.0]


def test_what_a_table_can_not_hold_is_said_of_its_run(tmp_path) -> None:
    name = sweep_folder.open_folder(tmp_path / "out", swept.half_letters, DESIGN)
    given = (tmp_path / "out").as_posix(), name, "me", 0, 0, ("index",), DESIGN.points()[:2]
    task = Task(swept.half_letters, *given)
    compute(task)
    unnamed, unsaid = task.stored().values()
    assert str(unnamed).startswith("An outcome has a name of its own")
    assert unsaid == "ValueError: \\ud800"


def test_a_figure_has_a_dot_for_each_run_and_a_tick_for_each_that_failed(tmp_path) -> None:
    design = MonteCarlo({"k": LogUniform(1.0, 100.0), "m": (0, 1)}, runs=50)
    k, m = design.points().T
    failure = np.array(["", "no"] + 48 * [""], dtype=object)
    y = np.where(failure == "", k * m, np.nan)
    table = Sweep(design, {"k": k, "m": m, "y": y, "failure": failure}, tmp_path)
    figure = table.plot("y", path=tmp_path / "sweep.png")
    dots, ticks = figure.axes[0].lines
    assert np.array_equal(dots.get_ydata(), y, equal_nan=True) and ticks.get_xdata() == [k[1]]
    assert figure.axes[0].get_xscale() == "log" and figure.axes[1].get_xscale() == "linear"
    assert [panel.get_xlabel() for panel in figure.axes] == ["k", "m"]
    assert [panel.get_ylabel() for panel in figure.axes] == ["y", ""]
    assert figure.get_suptitle() == "50 runs, 1 failed (ticks below)"
    with pytest.raises(tb.InputError, match="no column 'z', only 'k', 'm', 'y', 'failure'"):
        table.plot("z")
    with pytest.raises(tb.InputError, match=r"33 outcomes over 2 parameters; .* 1 to 64 panels"):
        table.plot(*["y"] * 33)
    good = Sweep(design, {"k": k, "m": m, "y": k * m, "failure": np.full(50, "")}, tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of panels that have no room
        drawn = good.plot(path=tmp_path / "good.png")
    assert all(panel.get_position().width > 0.3 for panel in drawn.axes)  # two in a row
    assert drawn.get_suptitle() == "50 runs"
    rows = Sweep(design, {"k": k, "m": m, "y": y, "z": y, "failure": failure}, tmp_path).plot()
    labels = [(panel.get_xlabel(), panel.get_ylabel()) for panel in rows.axes]
    assert labels == [("", "y"), ("", ""), ("k", "z"), ("m", "")]  # at the edges alone
    none = Sweep(design, {"k": k, "m": m, "failure": np.full(50, "no", dtype=object)}, tmp_path)
    with pytest.raises(tb.InputError, match="all runs failed, the first so: no"):
        none.plot()


def test_without_dask_it_is_said_how_to_get_it(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(tb.InputError, match=r"pip install touchback\[cluster\]"):
        tb.sweep(partial(swept.logged, log=""), DESIGN, out=tmp_path / "out", cluster="head:8786")


def test_calls_that_can_not_be_are_refused(tmp_path) -> None:
    def inside(index: float) -> dict[str, float]:
        return {}

    for function, options, complaint in (
        (swept.logged, {}, "can't be called with the design's 'index': missing .* 'log'"),
        ("logged", {}, "function is what is called at each point"),
        (inside, {}, "must be found by other processes"),
        (partial(swept.logged, log=""), {"workers": 0}, "workers must be a whole number from 1"),
        (partial(swept.logged, log=""), {"workers": 1, "cluster": "x"}, "workers or a cluster"),
        (partial(swept.logged, log=""), {"cluster": 3}, "cluster is a distributed.Client"),
    ):
        with pytest.raises(tb.InputError, match=complaint):
            tb.sweep(function, DESIGN, out=tmp_path / complaint[:8], **options)
    with pytest.raises(tb.InputError, match="design is a Grid"):
        tb.sweep(inside, {"index": 3}, out=tmp_path / "new")
    assert not (tmp_path / "new").exists()
