"""Recordings survive `kill -9`, hold what a replay needs, and refuse what isn't theirs."""

import contextlib
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from command import touchback
from touchback.realtime import open_recording
from touchback.recording.live_recording import Recorder
from waiting import until

RUNS_UNTIL_KILLED = """
import sys
import touchback as tb
from touchback import gallery
system = gallery.entry("motor-arm").make().compile()
with tb.live(system, rate=1000, record=sys.argv[1]) as live:
    live["voltage"] = 2.0
    print("running", flush=True)
    k = 0
    while True:
        live.run(0.01)
        k += 1
        live["voltage"] = 2.0 + k % 7
"""


def test_a_killed_run_leaves_a_recording_that_replays_up_to_its_last_chunk(tmp_path: Path) -> None:
    path = tmp_path / "killed.mcap"

    def kept() -> bool:
        with contextlib.suppress(tb.TouchbackError):  # of a file that has no chunk yet
            found = open_recording(path)
            return len(found.rows) > 100 and set(found.column("voltage")) > {2.0, 3.0}
        return False

    with subprocess.Popen(
        [sys.executable, "-c", RUNS_UNTIL_KILLED, str(path)], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None and process.stdout.readline() == "running\n"
            until(kept)
        finally:
            process.kill()
    assert process.returncode == -signal.SIGKILL
    recording = open_recording(path)
    assert not recording.complete
    assert len(recording.rows) > 100
    assert np.array_equal(recording.column("tick"), np.arange(1, len(recording.rows) + 1))
    assert set(recording.column("voltage")) > {2.0, 3.0}
    assert tb.replay(path).same


def test_any_cut_leaves_what_came_before(cart: tb.System, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(cart, rate=1000, speed=None, record=path) as live:
        for _ in range(5):
            live.run(0.01)
    whole = open_recording(path)
    assert whole.complete
    data = path.read_bytes()
    lengths = []
    for cut in np.linspace(1000, len(data) - 1, 40).astype(int):
        path.write_bytes(data[:cut])
        try:
            part = open_recording(path)
        except tb.InputError:  # not even the description is there
            lengths.append(0)
            continue
        lengths.append(len(part.rows))
        assert len(part.rows) % 10 == 0  # chunks are whole
        assert np.array_equal(part.rows, whole.rows[: len(part.rows)])
    assert lengths == sorted(lengths)
    assert set(lengths) >= {10, 20, 30, 40, 50}


def test_a_damaged_chunk_is_noticed_by_its_checksum(cart: tb.System, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(cart, rate=1000, speed=None, record=path) as live:
        live.run(0.01)
        live.run(0.01)
    data = bytearray(path.read_bytes())
    place = data.index(np.array([15.0, 0.015]).tobytes())
    data[place + 70] ^= 1
    path.write_bytes(data)
    recording = open_recording(path)
    assert not recording.complete
    assert len(recording.rows) == 10


def test_a_recording_holds_model_parameters_settings_and_versions(
    cart: tb.System, tmp_path: Path
) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(
        cart, rate=500, speed=None, substeps=2, method="euler", parameters={"mass": 3.0},
        record=path,
    ) as live:  # fmt: skip
        live.run(0.01)
        live["mass"] = 4.0
        live["stiffness"] = 2.0
        live.run(0.01)
    recording = open_recording(path)
    about = recording.about
    assert about["parameters"] == {"mass": 3.0, "stiffness": 8.0}
    assert (about["rate"], about["substeps"], about["method"]) == (500.0, 2, "euler")
    assert set(about["versions"]) == {"touchback", "numpy"}
    assert recording.parameters[2] == {"mass": 4.0, "stiffness": 2.0}
    assert list(recording.column("version")) == [0.0] * 5 + [2.0] * 5
    assert tb.replay(path).same  # with the model of the file
    assert tb.replay(path, cart).same


def test_a_full_disk_ends_the_recording_but_not_the_run(
    cart: tb.System, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(cart, rate=1000, speed=None, record=path) as live:
        live.run(0.01)

        def full(rows: np.ndarray) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(live._recorder._recorder, "write", full)
        live.run(0.05)
        assert live.ticks == 60
    assert "recording ended early (No space left on device)" in str(live.report())
    assert len(open_recording(path).rows) == 10


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.mcap"
    with pytest.raises(tb.InputError, match="There is no file"):
        open_recording(path)
    path.write_bytes(b"something else")
    with pytest.raises(tb.InputError, match="not a recording"):
        open_recording(path)


def test_a_replay_with_another_system_is_refused(
    cart: tb.System, slider_crank: tb.System, tmp_path: Path
) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(cart, rate=500, speed=None, record=path) as live:
        live.run(0.01)
    with pytest.raises(tb.InputError, match="the system given has"):
        tb.replay(path, slider_crank)


def test_without_a_recording_there_is_nothing_to_show(cart: tb.System) -> None:
    with tb.live(cart, rate=500, speed=None) as live:
        live.run(0.01)
    with pytest.raises(tb.InputError, match="record=True"):
        live.recorded()


def test_a_recording_opens_as_a_run_with_units_like_one_kept_in_memory(
    cart: tb.System, tmp_path: Path
) -> None:
    path = tmp_path / "run.mcap"
    runs = {}
    for record in (True, path):
        with tb.live(cart, rate=1000, speed=None, record=record) as live:
            live[cart.input_names[0]] = 2.0
            live.run(0.05)
            live["mass"] = 3.0
            live.run(0.05)
        runs[record] = live.recorded() if record is True else tb.open(path)
    kept, opened = runs.values()
    assert opened.names == kept.names
    assert opened.units == kept.units
    units = [*cart.input_units, *cart.state_units, *cart.output_units]
    names = [*cart.input_names, *cart.state_names, *cart.output_names]
    assert [opened.units[name] for name in names] == units
    assert np.array_equal(opened.time, kept.time)
    for name in names:
        assert np.array_equal(opened[name], kept[name])
    assert opened.metadata["rate"] == 1000.0
    assert opened.metadata["complete"]
    assert f"reproduce: tb.replay({str(path)!r})" in str(opened)


def test_a_recording_of_two_structures_opens_as_one_run(cart: tb.System, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    other = tb.Model("other")
    other.joint("swing", tb.Revolute("y"), other.ground, other.body("bob", mass=1.0, com=(1, 0, 0)))
    with tb.live(cart, rate=1000, speed=None, record=path) as live:
        live.run(0.01)
        live.swap(other)
        live.run(0.01)
    run = tb.open(path)
    assert np.array_equal(run["tick"], np.arange(1, live.ticks + 1))
    assert np.isnan(run["swing"][0]) and np.isfinite(run["swing"][-1])
    assert run.units["swing"] == "rad"


def test_a_recording_that_was_cut_opens_up_to_its_last_chunk(
    cart: tb.System, tmp_path: Path
) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(cart, rate=1000, speed=None, record=path) as live:
        live.run(0.01)
        live.run(0.01)
    data = path.read_bytes()
    path.write_bytes(data[: data.index(np.array([15.0, 0.015]).tobytes())])  # within the second
    run = tb.open(path)
    assert len(run) == 10
    assert not run.metadata["complete"]


def test_a_recording_without_a_tick_is_empty(cart: tb.System, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(cart, rate=1000, speed=None, record=path):
        begun = path.read_bytes()
    ended = tb.open(path)
    path.write_bytes(begun)  # as of a run that was killed before its first tick
    killed = tb.open(path)
    assert len(ended) == len(killed) == 0
    assert ended.names == killed.names
    assert set(cart.state_names) < set(ended.names)
    assert ended.metadata["complete"] and not killed.metadata["complete"]


def test_the_command_fails_when_its_recording_ended_early_and_still_reports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Recorder, rows: np.ndarray) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Recorder, "write", full)
    words = ["live", "pendulum", "--seconds", "0.05", "--speed", "0", "--record"]
    done = touchback(*words, tmp_path / "run.mcap")
    assert done.returncode == 1
    assert "50 ticks" in done.stdout
    assert "the recording ended early (No space left on device)" in done.stderr
    again = touchback("replay", tmp_path / "run.mcap")
    assert again.returncode == 1
    assert "'pendulum' holds no ticks" in again.stderr
