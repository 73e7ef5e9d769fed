"""Parameters follow ramps step by step, and closed loops follow them."""

import threading
from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from touchback.realtime import open_recording
from touchback.realtime.live_parameters import LiveParameters
from waiting import until


def values_by_tick(path: Path, name: str) -> np.ndarray:
    """A parameter at each tick."""
    recording = open_recording(path)
    return np.array([recording.parameters[int(v)][name] for v in recording.column("version")])


def test_a_parameter_moves_by_the_same_small_step_at_each_tick(
    cart: tb.System, tmp_path: Path
) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(cart, rate=1000, speed=None, record=path) as live:
        live.run(0.01)
        live.ramp("mass", 4.0, 0.5)
        assert live["mass"] == 4.0  # where it goes
        live.run(1.0)
    mass = values_by_tick(path, "mass")
    assert np.array_equal(mass[:10], np.full(10, 2.0))
    assert mass[10:510] == pytest.approx(2.0 + 2.0 * np.arange(1, 501) / 500, abs=1e-14)
    assert np.array_equal(mass[509:], np.full(501, 4.0))  # exactly there, and no further
    assert tb.replay(path).same


def test_the_energy_of_a_ramp_is_booked_as_the_work_that_it_does(cart: tb.System) -> None:
    with tb.live(cart, rate=1000, speed=None, parameters={"stiffness": 0.0}) as live:
        live.set_state([0.0, 1.5])
        live.run(0.01)
        v = live.read("slide rate")
        live.ramp("mass", 5.0, 0.2)
        live.run(0.3)
        assert live.read("slide rate") == v  # nothing pushes it
    booked = live.report().parameter_energy
    assert booked == pytest.approx(0.5 * (5.0 - 2.0) * v**2, rel=1e-12)


def test_a_loop_follows_a_ramp_smoothly_and_stays_closed(
    slider_crank: tb.System, turning: tb.State, tmp_path: Path
) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(slider_crank, turning, rate=1000, speed=None, record=path) as live:
        live.run(0.01)
        live.ramp("crank radius", 0.14, 0.1)
        live.run(0.2)
    recording = open_recording(path)
    a, b, x = (recording.column(name) for name in ("crank", "rod", "slider"))
    r = values_by_tick(path, "crank radius")
    assert r[-1] == 0.14
    assert r * np.cos(a) + 0.4 * np.cos(a + b) == pytest.approx(x, abs=1e-12)
    assert r * np.sin(a) + 0.4 * np.sin(a + b) == pytest.approx(0.0, abs=1e-12)
    # the slider goes 1.5 m/s at most by itself, and the ramp moves it by 0.4 mm a tick
    assert np.abs(np.diff(x)).max() < 3e-3
    assert tb.replay(path).same


def test_a_ramp_that_a_loop_can_not_follow_stops_where_it_came(
    four_bar: tb.System, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A coupler of 1 m doesn't fit between a crank of 0.1 m and a rocker of 0.3 m, 0.5 m apart. It
    is known before; but one that moves may come where it can't go on as it could before."""
    path = tmp_path / "run.mcap"
    with tb.live(four_bar, rate=1000, speed=None, record=path) as live:
        with pytest.raises(tb.InputError, match="don't close all the way"):
            live.ramp("coupler length", 1.0, 0.3)
        monkeypatch.setattr(LiveParameters, "_check_closing", lambda *given: None)
        live.ramp("coupler length", 1.0, 0.005)  # five steps; stretched it would reach 0.9
        live.run(0.02)
        reached = live["coupler length"]
        assert reached == pytest.approx(0.4 + 0.6 * 4 / 5, abs=1e-12)
        assert live.report().counts["swaps_refused"] == 1
        assert live.read("flags") == 0.0  # it goes on
        live.ramp("coupler length", 0.45, 0.1)
        live.run(0.2)
        assert live["coupler length"] == 0.45
    (told,) = live.report().faults
    assert f"'coupler length' stays at {reached:.6g}" in str(told["text"])
    recording = open_recording(path)
    a, b, c = (recording.column(name) for name in ("crank", "coupler", "rocker"))
    length = values_by_tick(path, "coupler length")
    gap = 0.1 * np.cos(a) + length * np.cos(a + b) - 0.5 - 0.3 * np.cos(c)
    assert gap == pytest.approx(0.0, abs=1e-9)
    assert tb.replay(path).same


def test_other_changes_do_not_end_a_ramp_and_another_of_the_same_does(
    cart: tb.System, tmp_path: Path
) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(cart, rate=1000, speed=None, record=path) as live:
        live.ramp("mass", 4.0, 0.4)
        live.run(0.1)
        live["stiffness"] = 20.0
        live.run(0.05)
        live.ramp("stiffness", 10.0, 0.1)
        live.run(0.05)
        live["mass"] = 10.0
        live.run(0.2)
        live.ramp("mass", 2.0, 0.2)
        live.run(0.1)
        live.ramp("mass", 3.0, 0.05)  # from where it is
        live.run(0.2)
    mass, stiffness = (values_by_tick(path, name) for name in ("mass", "stiffness"))
    assert mass[:200] == pytest.approx(2.0 + 2.0 * np.arange(1, 201) / 400, abs=1e-13)
    assert np.array_equal(mass[200:400], np.full(200, 10.0))
    assert mass[400:500] == pytest.approx(10.0 - 8.0 * np.arange(1, 101) / 200, abs=1e-13)
    assert mass[500:550] == pytest.approx(6.0 - 3.0 * np.arange(1, 51) / 50, abs=1e-13)
    assert mass[-1] == 3.0
    assert np.array_equal(stiffness[100:150], np.full(50, 20.0))
    assert stiffness[150:250] == pytest.approx(20.0 - np.arange(1, 101) / 10, abs=1e-13)
    assert np.array_equal(stiffness[250:], np.full(len(stiffness) - 250, 10.0))
    assert tb.replay(path).same


def test_a_clocked_run_ramps_tick_by_tick_and_sees_no_jump(cart: tb.System, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(cart, rate=1000, record=path) as live:
        live.run(0.01)
        live.ramp("mass", 4.0, 0.3)
        live.run(0.2)
        live["stiffness"] = 9.0
        until(lambda: live.taken()[1][0] == 4.0)
        live.run(0.01)
    mass = values_by_tick(path, "mass")
    assert mass[-1] == 4.0
    assert np.diff(mass).max() == pytest.approx(2.0 / 300, rel=1e-9)  # never more than a step
    assert tb.replay(path).same


def test_who_reads_parameters_while_they_move_gets_those_of_one_tick(cart: tb.System) -> None:
    """Mass and stiffness move together, so that both are as far on their ways in every copy."""
    place = {name: list(cart.parameters).index(name) for name in ("mass", "stiffness")}
    apart: list[float] = []

    def look() -> None:
        while not done.is_set():
            now = live.taken()[1]
            mass, stiffness = now[place["mass"]], now[place["stiffness"]]
            apart.append(abs((mass - 2.0) / 2.0 - (stiffness - before) / (9.0 - before)))

    with tb.live(cart, rate=1000) as live:
        done, before = threading.Event(), live["stiffness"]
        readers = [threading.Thread(target=look) for _ in range(2)]
        for each in readers:
            each.start()
        live.change({"mass": 4.0, "stiffness": 9.0}, 0.2)
        until(lambda: live.taken()[1][place["mass"]] == 4.0)
        done.set()
        for each in readers:
            each.join()
    assert len(apart) > 100 and max(apart) < 1e-12


def test_ramps_go_on_in_another_structure_and_while_paused(cart: tb.System, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(cart, rate=1000, record=path) as live:
        live.ramp("mass", 4.0, 0.4)
        live.run(0.05)
        live.swap(method="euler")
        live.run(0.05)
        live.pause()
        until(lambda: live.taken()[1][0] == 4.0)
        live.go()
        live.run(0.01)
    assert np.diff(values_by_tick(path, "mass")).max() < 3 * 2.0 / 400
    assert tb.replay(path).same


def test_fast_runs_take_a_step_every_few_ticks(cart: tb.System, tmp_path: Path) -> None:
    path = tmp_path / "run.mcap"
    with tb.live(cart, rate=10_000, speed=None, record=path) as live:
        live.ramp("mass", 4.0, 0.1)
        live.run(0.12)
    mass = values_by_tick(path, "mass")
    steps = np.flatnonzero(np.diff(mass)) + 1
    assert np.array_equal(np.diff(steps), np.full(len(steps) - 1, 10))
    assert mass[1000] == 4.0
    assert tb.replay(path).same


@pytest.mark.parametrize(
    ("name", "value", "seconds", "complaint"),
    [
        ("mass", 100.0, 1.0, "outside its range"),
        ("mass", float("nan"), 1.0, "outside its range"),
        ("masss", 3.0, 1.0, "did you mean"),
        ("force", 3.0, 1.0, "is an input"),
        ("mass", 3.0, -1.0, "a ramp takes"),
        ("mass", 3.0, float("nan"), "a ramp takes"),
        ("mass", 3.0, 1e6, "a ramp takes"),
    ],
)
def test_ramps_that_can_not_be_are_refused(
    cart: tb.System, name: str, value: float, seconds: float, complaint: str
) -> None:
    with tb.live(cart, rate=100, speed=None) as live:
        live.ramp("stiffness", 9.0, 0.5)
        with pytest.raises(tb.InputError, match=complaint):
            live.ramp(name, value, seconds)
        live.run(1.0)
        assert live["mass"] == 2.0
        assert live["stiffness"] == 9.0  # the other one went on
        assert live.taken()[1][1] == 9.0
