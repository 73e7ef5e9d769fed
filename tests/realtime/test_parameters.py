"""Parameters change at a tick, are checked before, and their energy is booked."""

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback.realtime.build import block_of


def test_a_change_takes_effect_at_the_next_tick(cart: tb.System) -> None:
    with tb.live(cart, rate=100, speed=None, record=True) as live:
        live.run(0.05)
        live["stiffness"] = 50.0
        live.run(0.05)
    run = live.recorded()
    assert list(run["version"]) == [0.0] * 5 + [1.0] * 5
    # from tick 5 on, m ẍ = −k x with k = 50 continues from there; RK4 errs by (ω h)⁵/120 a step
    x, v, t = run["slide"][4], run["slide rate"][4], run.time[5:] - run.time[4]
    expected = x * np.cos(5.0 * t) + v / 5.0 * np.sin(5.0 * t)
    assert run["slide"][5:] == pytest.approx(expected, abs=1e-8)


def test_the_systems_own_parameters_stay_as_they_are(cart: tb.System) -> None:
    with tb.live(cart, rate=100, speed=None, parameters={"mass": 3.0}) as live:
        assert live["mass"] == 3.0
        live["mass"] = 4.0
        assert live["mass"] == 4.0
    assert cart["mass"] == 2.0


def test_the_energy_of_a_change_is_booked(cart: tb.System) -> None:
    with tb.live(cart, rate=100, speed=None) as live:
        live.run(0.3)
        v = live.read("slide rate")
        live["mass"] = 5.0
        live.run(0.01)
    (change,) = live.report().parameter_changes
    assert change["tick"] == 31
    assert change["energy"] == pytest.approx(0.5 * (5.0 - 2.0) * v**2, rel=1e-12)
    assert live.report().parameter_energy == change["energy"]


def test_a_loop_stays_closed_when_its_geometry_changes(
    slider_crank: tb.System, turning: tb.State
) -> None:
    with tb.live(slider_crank, turning, rate=1000, speed=None, record=True) as live:
        live.run(0.02)
        live["crank radius"] = 0.12
        live.run(0.02)
    run = live.recorded()
    a, b, x = (run[name][20:] for name in ("crank", "rod", "slider"))
    # the rod's end meets the slider: r cos a + 0.4 cos (a + b) = x, and the same for z
    assert 0.12 * np.cos(a) + 0.4 * np.cos(a + b) == pytest.approx(x, abs=1e-12)
    assert 0.12 * np.sin(a) + 0.4 * np.sin(a + b) == pytest.approx(0.0, abs=1e-12)
    assert live.report().parameter_energy != 0.0


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("mass", 100.0, "outside its range"),
        ("mass", float("nan"), "outside its range"),
        ("stiffness", float("inf"), "aren't finite"),
        ("masss", 1.0, "did you mean 'mass'"),
        ("force", float("nan"), "outside its range"),
        ("force", 11.0, "outside its range"),
    ],
)
def test_what_can_not_be_is_refused_and_the_run_goes_on_untouched(
    cart: tb.System, name: str, value: float, complaint: str
) -> None:
    bounds = {"force": tb.WatchedInput(low=-10.0, high=10.0)}
    with tb.live(cart, rate=100, speed=None, inputs=bounds, record=True) as live:
        live.run(0.05)
        with pytest.raises(tb.InputError, match=complaint):
            live[name] = value
        live.run(0.05)
    with tb.live(cart, rate=100, speed=None, record=True) as plain:
        plain.run(0.1)
    assert np.array_equal(live.recorded()["slide"], plain.recorded()["slide"])
    assert live.report().counts["swaps"] == 0


def test_a_geometry_that_can_not_close_is_refused(four_bar: tb.System) -> None:
    with tb.live(four_bar, four_bar.assemble(), rate=1000, speed=None) as live:
        live.run(0.01)
        with pytest.raises(tb.InputError, match="loops don't close"):
            live["coupler length"] = 0.05  # 0.1 + 0.05 + 0.3 < 0.5
        live.run(0.05)
        assert live["coupler length"] == 0.4
        assert live.faults == ()
        q = [live.read(name) for name in four_bar.coordinates]
        assert np.abs(four_bar.constraint_error(q)).max() <= 1e-12
        assert live.report().counts["swaps"] == 0


def test_a_storm_of_changes_from_threads_ends_with_the_last(cart: tb.System) -> None:
    with tb.live(cart, rate=5000) as live:

        def storm(name: str, last: float) -> None:
            for k in range(200):
                live[name] = last + (199 - k) * 1e-3

        threads = [
            threading.Thread(target=storm, args=pair)
            for pair in (("mass", 3.0), ("stiffness", 9.0))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        live.run(0.01)
        assert (live["mass"], live["stiffness"]) == (3.0, 9.0)
        changes = live.report().parameter_changes
        assert changes[-1]["values"] == {"mass": 3.0, "stiffness": 9.0}
        assert 1 <= live.report().counts["swaps"] <= 400


def test_changes_of_long_ago_are_forgotten(
    cart: tb.System, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("touchback.realtime.parameters._REMEMBERED", 10)
    path = tmp_path / "run.mcap"
    with tb.live(cart, rate=1000, speed=None, record=path) as live:
        for k in range(50):
            live["mass"] = 2.0 + 0.01 * k
            live.run(0.001)
    assert len(live.report().parameter_changes) <= 11
    assert live.report().counts["swaps"] == 50
    assert live.report().parameter_energy != 0.0
    assert tb.replay(path).same  # the recording has them all


def test_parameters_are_taken_while_the_model_is_held(
    slider_crank: tb.System, turning: tb.State
) -> None:
    with tb.live(slider_crank, turning, rate=1000, speed=None) as live:
        live["motor torque"] = -1.0  # its root is NaN
        live.run(0.01)
        assert live.faults == ("not finite",)
        live["crank radius"] = 0.12
        live.run(0.01)
        assert live.report().counts["swaps"] == 1
        live["motor torque"] = 0.1
        live.resume()
        live.run(0.05)
        assert live.faults == ()
        a, b, x = (live.read(name) for name in ("crank", "rod", "slider"))
        assert 0.12 * np.cos(a) + 0.4 * np.cos(a + b) == pytest.approx(x, abs=1e-12)


def test_a_nan_in_the_tick_of_a_change_leaves_a_state_that_meets_the_new_geometry(
    slider_crank: tb.System, turning: tb.State
) -> None:
    with tb.live(slider_crank, turning, rate=1000, speed=None) as live:
        live.run(0.01)
        live["crank radius"] = 0.12
        live["motor torque"] = -1.0  # its root is NaN
        live.run(0.001)
        assert live.faults == ("not finite",)
        a, b, x = (live.read(name) for name in ("crank", "rod", "slider"))
        assert 0.12 * np.cos(a) + 0.4 * np.cos(a + b) == pytest.approx(x, abs=1e-12)


def test_a_block_that_the_tick_can_not_settle_is_given_back(four_bar: tb.System) -> None:
    with tb.live(four_bar, four_bar.assemble(), rate=1000, speed=None) as live:
        live.run(0.01)
        # past the check on the twin, as if the mechanism had moved on since
        impossible = block_of(four_bar, "rk4", None, {"coupler length": 0.05})
        live._parameters.changes[1] = type(live._parameters.changes[0])(1, {})
        live._loop.offer(impossible, 1)
        live.run(0.05)
        assert live.faults == ()
        assert live.report().counts["swaps_refused"] == 1
        q = [live.read(name) for name in four_bar.coordinates]
        assert np.abs(four_bar.constraint_error(q)).max() <= 1e-12


def test_rows_are_kept_before_the_energies_of_many_changes_are_booked(
    cart: tb.System, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with tb.live(cart, rate=100, speed=None, record=tmp_path / "run.mcap") as live:
        loop, stored = live._loop, cart.stored_energy
        capacity = int(loop.struct.ring.capacity)
        for k in range(100):
            live["stiffness"] = 8.0 + k
            loop.advance(1)

        def slow(*given: Any) -> float:
            """Ticks go on while an energy is computed: all of them fill the ring five times."""
            loop.advance(capacity // 40)
            return stored(*given)

        monkeypatch.setattr(cart, "stored_energy", slow, raising=False)
        live._drain()
        monkeypatch.undo()
        report = live.report()
    assert report.counts["ticks"] > 4 * capacity
    assert report.counts["lost_rows"] == 0
    assert len(report.parameter_changes) == 100
    again = tb.replay(tmp_path / "run.mcap")
    assert again.same
    assert again.ticks == report.counts["ticks"]


def test_a_change_is_refused_rather_than_a_row_lost(
    cart: tb.System, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tb.live(cart, rate=100, speed=None, record=True) as live:
        live._loop.advance(int(live._loop.struct.ring.capacity) // 2 + 1)
        monkeypatch.setattr(live, "_drain", lambda: None)  # as if a disk were slow
        with pytest.raises(tb.InputError, match=r"'mass': 0 changes and 50 % .* less often"):
            live["mass"] = 3.0
        monkeypatch.undo()
        live["mass"] = 3.0
        live.run(0.01)
        assert live.report().parameter_changes[-1]["values"]["mass"] == 3.0


def test_changes_that_wait_are_bounded(cart: tb.System) -> None:
    with tb.live(cart, rate=100, speed=None, record=True) as live:
        for k in range(2000):
            live["mass"] = 2.0 + 1e-3 * k
        assert len(live._parameters.changes) <= 1300
        live.run(0.01)
        assert live.report().parameter_changes[-1]["values"]["mass"] == 2.0 + 1.999
        for k in range(1000):  # each taken by a tick, and none drained
            live["mass"] = 2.0 + 1e-3 * k
            live._loop.advance(1)
        assert live.report().counts["swaps"] == 1001
        assert live.report().parameter_energy == pytest.approx(
            sum(each["energy"] for each in live.report().parameter_changes)
        )
