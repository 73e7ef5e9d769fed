"""What a live run does at a call, with ticks that happen only within `run`: to the tick."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback.native.live.mailbox import clock_now
from touchback.realtime import Recording, open_recording
from touchback.realtime.device_io import Service, read_patience
from touchback.realtime.live_replay import Replay
from touchback.realtime.live_report import COUNTS
from touchback.realtime.recording_fork import _same
from touchback.realtime.tick_taps import Tap, Taps
from touchback.recording import Part


def test_a_run_makes_the_ticks_of_its_time_and_no_more(cart: tb.System) -> None:
    with tb.live(cart, rate=1000, speed=None, record=True) as live:
        assert live.state == "running" and live.ticks == 0
        for seconds, ticks in ((0.0, 0), (0.0004, 0), (0.0006, 1), (0.01, 11), (1.0, 1011)):
            live.run(seconds)
            assert live.ticks == ticks
        assert live.read("time") == pytest.approx(1.011)
    run = live.recorded()
    assert len(run) == 1011 and live.state == "stopped"
    np.testing.assert_array_equal(run["tick"], np.arange(1, 1012))


def test_calls_outside_of_a_run_are_refused(cart: tb.System, tmp_path: Path) -> None:
    live = tb.live(cart, speed=None)
    for early in (lambda: live.run(0.1), lambda: live.record(tmp_path / "a.mcap"), live.reset):
        with pytest.raises(tb.InputError, match="The live run is new; use it within"):
            early()
    with pytest.raises(tb.InputError, match="Nothing is kept in memory: ask for it"):
        live.recorded()
    with live:
        with pytest.raises(tb.InputError, match="starts once"):
            live.start()
        for name in ("pause", "go"):
            with pytest.raises(tb.InputError, match=rf"{name}: a run as fast as possible"):
                getattr(live, name)()
        with pytest.raises(tb.InputError, match="set_speed: a run as fast as possible"):
            live.set_speed(0.5)
        with pytest.raises(tb.InputError, match="step: a run as fast as possible"):
            live.step()
    live.stop()  # again: nothing happens
    for name in ("pause", "go", "step", "reset"):
        with pytest.raises(tb.InputError, match="The live run is stopped; use it within"):
            getattr(live, name)()
    with pytest.raises(tb.InputError, match="The live run is stopped"):
        live.record(tmp_path / "a.mcap")
    with pytest.raises(tb.InputError, match="The live run is stopped"):
        live.set_speed(1.0)
    assert not (tmp_path / "a.mcap").exists()


def test_inputs_parameters_and_start_are_told_in_the_order_of_their_names(cart: tb.System) -> None:
    with tb.live(cart, [0.2, -0.5], speed=None, record=True) as live:
        live["force"], live["level"] = 3.0, 4.0
        live.run(0.001)
        u, p = live.taken()
        assert u.tolist() == [3.0, 4.0] and p.tolist() == [2.0, 8.0]
        live.change({"stiffness": 5.0, "mass": 3.0})  # at one tick, by no ramp
        assert live["mass"] == 3.0 and live["force"] == 3.0
        live.run(0.001)
        assert live.taken()[1].tolist() == [3.0, 5.0]
        assert live.start_state.tolist() == [0.2, -0.5]
        live.change({})
        with pytest.raises(tb.InputError, match="'massive'"):
            live.change({"massive": 1.0})
        with pytest.raises(tb.InputError, match="'force' is an input, which follows"):
            live.ramp("force", 1.0, 1.0)
        live.ramp("mass", 5.0, 0.004)
        assert live["mass"] == 5.0
        masses = []
        for _ in range(6):
            live.run(0.001)
            masses.append(float(live.taken()[1][0]))
        assert masses == [3.5, 4.0, 4.5, 5.0, 5.0, 5.0]
        live.reset()
        assert live.read("slide") != 0.2
        live.run(0.001)
        # half of the first step's way: v Δt, and a few micrometres by forces
        assert live.read("slide") == pytest.approx(0.2 - 0.0005, abs=1e-5)
        snapshot = live.snapshot()
        names = {*cart.output_names, *cart.state_names, "tick", "time", "flags"}
        assert set(snapshot) == names and snapshot["tick"] == live.ticks == 9
        assert list(live.columns)[:3] == ["tick", "time", "flags"]


def test_gains_and_the_age_of_messages_count_from_the_next_tick(cart: tb.System) -> None:
    with tb.live(cart, speed=None, record=True) as live:
        live.run(0.001)
        live.write("force", 2.0, clock_now() - 5_000_000_000)  # made five seconds ago
        live.set_gain("second echo", -0.5)
        live.run(0.001)
        assert (live.read("echo"), live.read("second echo")) == (2.0, -2.0)
        live.write("force", 3.0)
        live.run(0.001)
        with pytest.raises(tb.InputError, match="'third echo'"):
            live.set_gain("third echo", 1.0)
        with pytest.raises(tb.InputError, match="gain of 'echo' must be a number"):
            live.set_gain("echo", np.nan)
    ages = live.recorded()["input age"]
    assert ages[0] == -1.0 and 5e9 <= ages[1] < 6e9 and 0.0 <= ages[2] < 1e9  # ns
    report = live.report()
    assert set(report.counts) == set(COUNTS) and report.counts["ticks"] == 3
    assert report.ports["force"]["messages"] == 2 and report.ports["level"]["messages"] == 0


def test_a_faster_structure_spins_for_less_than_a_quarter_of_its_period(cart: tb.System) -> None:
    with tb.live(cart, rate=1000, speed=None, spin=200e-6) as live:
        assert live._pace.spin == 200e-6
        told = live.swap(rate=10_000)
        live.run(0.001)
        assert told.state == "taken" and live._pace.spin == pytest.approx(25e-6)
        assert live._pace.rate == 10_000 and live.ticks == 1
        live.run(0.001)
        assert live.ticks == 11
        live.swap(rate=100)
        live.run(0.01)
        assert live._pace.spin == pytest.approx(25e-6)  # no longer than it was asked for
    assert [each.state for each in live.structures] == ["taken", "taken"]


def test_watches_are_of_inputs_in_ticks(cart: tb.System) -> None:
    with tb.live(cart, rate=1000, speed=None, record=True) as live:
        live["force"] = 4.0
        live.run(0.002)
        live.watch("force", 0.003, safe=1.0)
        live.run(0.006)
        with pytest.raises(tb.InputError, match="'farce'"):
            live.watch("farce", 1.0)
    # the message came with the first tick; three ticks without one may pass
    np.testing.assert_array_equal(live.recorded()["echo"], [4, 4, 4, 4, 1, 1, 1, 1])


def test_replays_count_and_compare_their_ticks(cart: tb.System, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(cart, speed=None, record=path) as live:
        live["force"] = 1.0
        live.run(0.02)
    found = tb.replay(path)
    assert found.ticks == 20 and found.same and found.first_difference is None
    assert found.compared == list(cart.state_names) and found.states.shape == (20, 2)
    other = found.states.copy()
    other[7, 1] = np.nextafter(other[7, 1], 1.0)
    different = Replay(found.recording, [other])
    assert not different.same and different.first_difference == 8
    recording = open_recording(path)
    (part,) = recording.parts
    short = Part(part.about, part.columns, part.rows[[0, 1, 3]])
    with pytest.raises(tb.InputError, match="misses ticks"):
        tb.realtime.live_replay.replay_recording(Recording([short]))
    states = np.array([[0.0, 1.0], [2.0, 3.0]])
    assert _same(states, states + [[0.0, 0.0], [0.0, 1e-15]]).tolist() == [True, False]


def test_recordings_that_begin_later_count_their_own_ticks(cart: tb.System, tmp_path: Path) -> None:
    with tb.live(cart, speed=None) as live:
        live.run(0.01)
        recording = live.record(tmp_path / "late.mcap")
        assert (recording.ticks, recording.kept, recording.bytes) == (0, 0, 0)
        assert 0.0 < recording.room < np.inf
        live.run(0.02)
        ticks = recording.ticks
        assert 0 < ticks <= 20
        live.end_record(recording)
        assert recording.kept == ticks
        with pytest.raises(tb.InputError, match="isn't being recorded any more"):
            live.end_record(recording)
        with pytest.raises(tb.InputError, match="limit of a file must be a positive number of"):
            live.record(tmp_path / "b.mcap", limit=0.5)
        limited = live.record(tmp_path / "limited.mcap", limit=1.0)
        live.run(0.05)
        live.run(0.05)
        assert "ended early" in limited.early_end and limited.room == 0.0
        faults = [each["text"] for each in live.report().faults]
        assert any("record again into another file" in text for text in faults)
    rows = open_recording(tmp_path / "late.mcap").parts[0].rows
    assert len(rows) == ticks and (np.diff(rows[:, 0]) == 1).all()


# ---- services ------------------------------------------------------------------------------------


def test_a_service_exchanges_until_it_is_closed_and_once_more() -> None:
    seen, failed, often = list[int](), list[str](), threading.Event()

    def exchange() -> None:
        seen.append(len(seen))
        if len(seen) >= 3:
            often.set()

    service = Service("force", exchange, 10_000.0, failed.append)
    assert often.wait(10.0)
    service.close()
    count = len(seen)
    assert not service._thread.is_alive() and service.failure is None and failed == []
    assert count >= 4 and len(seen) == count


def test_a_service_that_raises_ends_with_its_words() -> None:
    failed = list[str]()
    done = threading.Event()

    def exchange() -> None:
        raise SystemExit("gone")

    def told(text: str) -> None:
        failed.append(text)
        done.set()

    service = Service("force", exchange, 10.0, told)
    assert done.wait(10.0)
    service.close()
    assert failed == ["'force' is served no more: SystemExit: gone"]
    assert isinstance(service.failure, SystemExit)
    assert read_patience("force", np.inf) == np.inf
    with pytest.raises(tb.InputError, match="'force': patience is a positive number"):
        read_patience("force", 0.0)
    for rate in (0.0, -1.0, np.nan):
        with pytest.raises(tb.InputError, match=r"'force' is served .* times a second"):
            Service("force", exchange, rate, told)


def test_devices_for_ports_give_what_they_have(cart: tb.System) -> None:
    given, failed = [None, 2.5, None], threading.Event()

    def read() -> float | None:
        if given:
            return given.pop()
        failed.set()
        raise OSError("unplugged")

    guarded = {"echo": tb.devices.GuardedOutput()}
    with tb.live(cart, speed=None, outputs=guarded) as live:
        served = live.connect("force", SimpleNamespace(read=read), rate=10_000.0)
        assert isinstance(served, Service) and failed.wait(10.0)
        served._thread.join(10.0)
        live.run(0.001)
        assert live["force"] == live.taken()[0][0] == 2.5
        assert live.read("echo") == 0.0  # safe
        assert "'force' is served no more: OSError: unplugged" in live.latest_fault
        assert live.faults == ("device failed",)
        for name, device, words in (
            ("farce", served, "'farce'"), ("second echo", served, "isn't guarded"),
            ("level", object(), "needs a device with read"),
            ("echo", object(), r"needs a device with write\(value\)"),
        ):  # fmt: skip
            with pytest.raises(tb.InputError, match=words):
                live.connect(name, device)  # type: ignore[arg-type]


# ---- taps ----------------------------------------------------------------------------------------


def test_a_tap_gets_rows_in_order_and_loses_the_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    from touchback.realtime import tick_taps

    monkeypatch.setattr(tick_taps, "_MOST_WAITING", 20)
    got, go, began = list[float](), threading.Event(), threading.Event()

    def callback(rows: np.ndarray, columns: tuple[str, ...]) -> None:
        began.set()
        assert go.wait(10.0) and columns == ("a", "b")
        got.extend(rows[:, 0])

    tap = Tap(callback, print, lambda: None)
    tap.offer((np.zeros((1, 2)), ("a", "b")))
    assert began.wait(10.0)  # it is at the first; the others wait
    for number in range(1, 6):
        tap.offer((np.full((2, 2), float(number)), ("a", "b")))
    assert tap.lost == 0  # twenty numbers may wait
    tap.offer((np.full((3, 2), 6.0), ("a", "b")))
    assert tap.lost == 4  # two blocks of two rows made room
    go.set()
    tap.wait(10.0)
    assert got == [0, 3, 3, 4, 4, 5, 5, 6, 6, 6]
    tap.close()
    assert tap.closed and not tap._thread.is_alive()
    tap.offer((np.zeros((1, 2)), ("a", "b")))
    assert len(tap._waiting) == 0


def test_taps_take_ten_thousand_calls_a_second_at_most() -> None:
    taps, drained = Taps(), threading.Event()

    def nothing(rows: Any, columns: Any) -> None:
        pass

    for rate in (0.9, 10_001.0):
        with pytest.raises(tb.InputError, match="1 to 10000 calls a second"):
            taps.add(nothing, print, drained.set, rate)
    assert not taps.open
    tap = taps.add(nothing, print, drained.set, 10_000.0)
    assert taps.open and drained.wait(10.0)  # nobody drains for it: it does
    slow = taps.add(nothing, print, print, None)
    taps.offer(np.zeros((0, 2)), ["a", "b"])
    tap.close()
    slow.close()
    assert not taps.open
    other = taps.add(nothing, print, print, 1.0)
    assert taps._all == (other,)  # those that are closed are forgotten
    taps.close()
    assert other.closed and taps._all == ()


def test_rows_of_taps_can_not_be_changed() -> None:
    taps, found = Taps(), list[bool]()
    tap = taps.add(lambda rows, columns: found.append(rows.flags.writeable), print, print, None)
    rows = np.zeros((1, 2))
    taps.offer(rows, ["a", "b"])
    taps.wait()
    assert found == [False] and rows.flags.writeable
    tap.close()
