"""Recordings that begin while a run goes on."""

import os
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import manipulated
import touchback as tb
from full_disk import disk_of
from touchback import gallery
from touchback.errors import InputError
from touchback.realtime import open_recording
from touchback.system import System

LIVE = import_module("touchback.realtime.live")  # the module: the room has a function of its name


@pytest.mark.parametrize("name", ["motor-arm", "double-pendulum"])
def test_a_recording_of_the_middle_of_a_run_replays_to_the_same_bits(
    name: str, tmp_path: Path
) -> None:
    system = gallery.entry(name).make().compile()
    with tb.live(system, rate=1000, speed=None) as live:
        live.run(0.137)
        parameter = next(iter(system.parameters), None)
        if parameter:
            live[parameter] = 1.1 * system.parameters[parameter]
        live.run(0.1)
        take = live.record(tmp_path / "middle.mcap")
        if parameter:
            live[parameter] = 1.2 * system.parameters[parameter]
        live.run(0.2)
        live.end_record(take)
        live.run(0.1)
    assert take.ticks == 200
    recording = open_recording(tmp_path / "middle.mcap")
    assert recording.column("tick").tolist() == list(range(238, 438))
    assert recording.column("time")[0] == pytest.approx(0.238, abs=1e-12)
    again = tb.replay(tmp_path / "middle.mcap")
    assert again.same and again.ticks == 200


@pytest.fixture(scope="module")
def four_bar() -> System:
    """A crank that swings so far that other coordinates are chosen as dependent on the way."""
    return manipulated.four_bar().compile()


@pytest.mark.parametrize(
    "constraints",
    ["partitioning", "projection", "baumgarte", "multipliers", "augmented-lagrangian"],
)
def test_so_does_that_of_a_closed_loop_wherever_it_begins(
    four_bar: System, constraints: str, tmp_path: Path
) -> None:
    """Which coordinates depend on the others hangs on the way that a run has come, and so do the
    multipliers that a step begins with: a recording begins with both."""
    whole = tmp_path / "whole.mcap"
    with tb.live(four_bar, rate=1000, speed=None, constraints=constraints, record=whole) as live:
        for number in range(12):
            live.run(0.12)
            take = live.record(tmp_path / f"{number}.mcap")
            live.run(0.03)
            live.end_record(take)
    replays = [tb.replay(tmp_path / f"{number}.mcap") for number in range(12)]
    assert [(each.ticks, each.same) for each in replays] == [(30, True)] * 12
    assert tb.replay(whole).same


@pytest.mark.parametrize("name", ["motor-arm", "slider-crank", "pendulum"])
def test_one_that_is_asked_for_before_the_first_tick_has_all_of_them(
    name: str, tmp_path: Path
) -> None:
    with tb.live(gallery.make(name).compile(), rate=1000, speed=None) as live:
        take = live.record(tmp_path / "whole.mcap")
        live.run(0.05)
    again = tb.replay(take.path)
    assert again.same
    assert again.recording.column("tick").tolist() == list(range(1, 51))


def test_so_is_one_of_a_clock_so_slow_that_it_has_not_ticked_yet(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(LIVE, "_FIRST_ROW", 0.0)
    with tb.live(gallery.make("pendulum").compile(), rate=20, substeps=10) as live:
        take = live.record(tmp_path / "slow.mcap")
        live.run(0.2)
        live.end_record(take)
        assert live.report().faults == []
    assert take.ticks >= 2 and tb.replay(take.path).same


def test_it_then_reads_nothing_that_the_ticks_of_a_clock_write(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(LIVE, "_FIRST_ROW", 0.0)
    with tb.live(gallery.make("pendulum").compile(), rate=2) as live:
        monkeypatch.delattr(LIVE, "first_row")  # which reads the loop's own arrays
        take = live.record(tmp_path / "slow.mcap")
        live.run(1.0)
        live.end_record(take)
    assert tb.replay(take.path).same


def test_so_does_that_of_a_mechanism_with_modes(tmp_path: Path) -> None:
    """Each set of constraints has a choice of its own."""
    with tb.live(gallery.entry("piano-modes").make().compile(), rate=1000, speed=None) as live:
        live.run(0.1)
        take = live.record(tmp_path / "modes.mcap")
        live.run(0.05)
        live.end_record(take)
    assert tb.replay(take.path).same


def test_beginning_to_record_leaves_the_motion_of_a_closed_loop_as_it_was_to_the_bit(
    four_bar: System, tmp_path: Path
) -> None:
    states = []
    for recorded in (False, True):
        with tb.live(four_bar, rate=1000, speed=None) as live:
            live.run(0.25)
            if recorded:
                live.record(tmp_path / "part.mcap")
            live.run(0.1)
            states.append([live.read(name) for name in four_bar.state_names])
    assert states[1] == states[0]


def test_a_closed_loop_is_recorded_from_a_whole_tick_on_while_it_runs_rests_or_is_slow(
    four_bar: System, tmp_path: Path
) -> None:
    with tb.live(four_bar, rate=1000) as live:
        live.run(0.25)
        first = live.record(tmp_path / "running.mcap")
        live["torque"] = 0.1
        live.run(0.05)
        live.end_record(first)
        live.pause()
        second = live.record(tmp_path / "resting.mcap")
        live.step(20)
        live.end_record(second)
    for take in (first, second):
        again = tb.replay(take.path)
        assert again.same and again.ticks == take.ticks >= 20


def test_it_holds_what_a_recording_of_the_whole_run_holds(tmp_path: Path) -> None:
    system = gallery.entry("motor-arm").make().compile()
    with tb.live(system, rate=1000, speed=None, record=tmp_path / "whole.mcap") as live:
        live.run(0.05)
        live["voltage"] = 3.0
        take = live.record(tmp_path / "part.mcap")
        live.run(0.05)
        live.end_record(take)
        with pytest.raises(InputError, match="isn't being recorded any more"):
            live.end_record(take)
    whole, part = (open_recording(tmp_path / f"{name}.mcap") for name in ("whole", "part"))
    np.testing.assert_array_equal(part.rows[:, :6], whole.rows[50:, :6])
    np.testing.assert_array_equal(part.rows[:, 9:], whole.rows[50:, 9:])


def test_it_follows_a_change_of_structure_and_ends_with_the_run(tmp_path: Path) -> None:
    def bolt(kind: tb.Cylindrical | tb.Revolute) -> tb.Model:
        m = tb.Model("bolt", gravity=(0, 0, -9.81))
        body = m.body("bolt", mass=1.0, com=(0.1, 0, 0.02), inertia=(0.01, 0.01, 0.01))
        m.joint("hinge", kind, m.ground, body, velocity=(0.2, 1.0) if kind.nv == 2 else None)
        return m

    with tb.live(bolt(tb.Cylindrical("x")).compile(), rate=1000, speed=None) as live:
        live.run(0.1)
        live.record(tmp_path / "bolt.mcap")
        live.run(0.05)
        live.swap(bolt(tb.Revolute("x")))
        live.run(0.05)
    recording = open_recording(tmp_path / "bolt.mcap")
    assert [len(part.rows) for part in recording.parts] == [50, 50] and recording.complete
    assert tb.replay(tmp_path / "bolt.mcap").same


def test_against_the_clock_no_tick_is_missing(tmp_path: Path) -> None:
    system = gallery.entry("motor-arm").make().compile()
    with tb.live(system, rate=1000) as live:
        live.run(0.05)
        take = live.record(tmp_path / "clocked.mcap")
        live["voltage"] = 2.0
        live.run(0.1)
        live.end_record(take)
    ticks = open_recording(tmp_path / "clocked.mcap").column("tick")
    assert len(ticks) >= 100 and (np.diff(ticks) == 1).all()
    assert tb.replay(tmp_path / "clocked.mcap").same


def test_a_full_disk_is_told_at_once_and_the_run_goes_on(tmp_path: Path) -> None:
    system = gallery.entry("motor-arm").make().compile()
    with tb.live(system, rate=1000, speed=None) as live:
        live.run(0.01)
        assert live.report().recording == "not recorded"
        good = live.record(tmp_path / "good.mcap")
        assert live.report().recording == f"recorded in {good.path}"
        good_recorder = good._recorder
        assert good_recorder is not None
        os.dup2(os.open("/dev/full", os.O_WRONLY), good_recorder._file.fileno())
        live.run(0.05)
        live._drain(finish=True)
        live.run(0.05)
        assert good.failure is not None
        assert live.report().recording == "not recorded"
        said = [each["text"] for each in live.report().faults]
    assert sum("good.mcap ended early" in text for text in said) == 1
    assert any("No space left on device" in text for text in said)


def test_what_a_full_disk_kept_is_told_as_it_is(tmp_path: Path) -> None:
    system = gallery.entry("motor-arm").make().compile()
    with tb.live(system, rate=1000, speed=None) as live:
        live.run(0.01)
        take = live.record(tmp_path / "cut.mcap")
        with disk_of(60_000):
            while take.failure is None:
                live.run(0.02)
                live._drain(finish=True)
        live.end_record(take)
    kept = len(open_recording(tmp_path / "cut.mcap").column("tick"))
    assert kept == take.kept and 0 < kept < take.ticks
    assert f"its first {kept} ticks are kept: File too large" in take.early_end


def test_a_recording_ends_at_its_limit_and_the_run_goes_on(tmp_path: Path) -> None:
    system = gallery.entry("motor-arm").make().compile()
    with tb.live(system, rate=1000, speed=None) as live:
        live.run(0.01)
        take = live.record(tmp_path / "long.mcap", limit=60_000)
        while take.failure is None:
            assert 60_000 - take.bytes == take.room
            live.run(0.02)
            live._drain(finish=True)
        live.run(0.1)
        live._drain()
        said = [each["text"] for each in live.report().faults]
        live.end_record(take)
        again = live.record(tmp_path / "again.mcap")
        live.run(0.1)
        live.end_record(again)
    assert sum("long.mcap ended early" in text for text in said) == 1
    assert "it has reached 0.0572 MiB; record again into another file" in take.early_end
    ticks = open_recording(tmp_path / "long.mcap").column("tick")
    assert len(ticks) == take.kept > 0 and (np.diff(ticks) == 1).all()
    assert os.path.getsize(take.path) < 2 * 60_000  # a chunk more, and the summary
    assert tb.replay(tmp_path / "long.mcap").same and again.ticks > 50


@pytest.mark.parametrize("limit", [0, -1.0, float("nan"), "2 GiB", None, True])
def test_a_limit_that_is_no_size_is_refused(tmp_path: Path, limit: object) -> None:
    system = gallery.entry("motor-arm").make().compile()
    with tb.live(system, rate=1000, speed=None) as live:
        live.run(0.01)
        with pytest.raises(InputError, match="limit of a file must be a positive number"):
            live.record(tmp_path / "none.mcap", limit=limit)  # type: ignore[arg-type]
    assert not (tmp_path / "none.mcap").exists()


def test_a_disk_without_room_is_said_in_words_and_leaves_no_file(tmp_path: Path) -> None:
    system = gallery.entry("motor-arm").make().compile()
    path = tmp_path / "none.mcap"
    with tb.live(system, rate=1000, speed=None) as live:
        live.run(0.01)
        with disk_of(0), pytest.raises(InputError, match="can't be recorded: File too"):
            live.record(path)
        take = live.record(path)  # it is opened anew at the tick that it begins after
        with disk_of(0):
            live.run(0.05)
            live._drain(finish=True)
        live.end_record(take)
        assert "nothing of it is kept" in take.early_end
    with disk_of(0), pytest.raises(InputError, match="can't be recorded: File too"):
        tb.live(system, rate=1000, record=path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("size", [0, 9000])
def test_a_recording_that_cannot_begin_leaves_no_file_however_much_it_says_first(
    tmp_path: Path, size: int
) -> None:
    """What it says of a model with many names doesn't wait in a buffer for the first chunk."""
    model = gallery.entry("motor-arm").make()
    for i in range(400):
        model.parameter(f"a parameter of no use {i}", 1.0)
    system, path = model.compile(), tmp_path / "none.mcap"
    with tb.live(system, rate=1000, speed=None) as live:
        live.run(0.01)
        with disk_of(size), pytest.raises(InputError, match="can't be recorded: File too"):
            live.record(path)
    with disk_of(size), pytest.raises(InputError, match="can't be recorded: File too"):
        tb.live(system, rate=1000, record=path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["run.csv", "run", "nowhere/run.mcap"])
def test_a_recording_is_an_mcap_file_in_a_folder_that_is_there(tmp_path: Path, name: str) -> None:
    with tb.live(tb.gallery.make("pendulum").compile(), rate=1000, speed=None) as live:
        with pytest.raises(tb.InputError, match="record"):
            live.record(tmp_path / name)
        live.run(0.01)
    assert not list(tmp_path.iterdir())
