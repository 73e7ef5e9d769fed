"""Parameters change at a tick, are checked before, and their energy is booked."""

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import touchback as tb
from touchback.gallery import make
from touchback.realtime.live_spec import block_of


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
    bounds = {"force": tb.devices.WatchedInput(low=-10.0, high=10.0)}
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


@pytest.mark.parametrize("refused", [0.05, 1.0])
def test_a_change_that_was_refused_leaves_others_free(four_bar: tb.System, refused: float) -> None:
    """However often: each is judged by its own way alone."""
    with tb.live(four_bar, four_bar.assemble(), rate=1000, speed=None) as live:
        for length in (0.45, 0.38):
            for _ in range(2):
                with pytest.raises(tb.InputError, match="loops don't close"):
                    live["coupler length"] = refused
            live["coupler length"] = length
            live.run(0.002)
            a, b, c = (live.read(name) for name in four_bar.coordinates)
            gap = 0.1 * np.cos(a) + length * np.cos(a + b) - 0.5 - 0.3 * np.cos(c)
            assert gap == pytest.approx(0.0, abs=1e-9)
        assert live.report().counts["swaps"] == 2 and live.faults == ()


def branch(system: tb.System, values: dict[str, float]) -> float:
    """On which side of the line from crank pin to rocker pivot the coupler's other end is."""
    a = values["crank"]
    pin = np.array([0.1 * np.cos(a), -0.1 * np.sin(a)])
    c = values["rocker"]
    end = np.array([0.5 + 0.3 * np.cos(c), -0.3 * np.sin(c)])
    along, across = np.array([0.5, 0.0]) - pin, end - pin
    return float(np.sign(along[0] * across[1] - along[1] * across[0]))


@pytest.mark.parametrize(
    "constraints", ["partitioning", "projection", "baumgarte", "linear-implicit"]
)
@pytest.mark.parametrize("length", [0.55, 0.25, 0.63, 0.21])
def test_a_loop_stays_on_its_branch_through_a_great_change_or_refuses_it(
    four_bar: tb.System, tmp_path: Path, length: float, constraints: str
) -> None:
    """The coupler from 0.4 m to lengths that fold the loop nearly: the mechanism goes there on the
    same side, as a chain of small changes would, and the recording replays."""
    path = tmp_path / "run.mcap"
    start = four_bar.assemble()
    with tb.live(
        four_bar, start, rate=1000, speed=None, constraints=constraints, record=path
    ) as live:
        live.run(0.002)
        side = branch(four_bar, live.snapshot())
        live["coupler length"] = length
        live.run(0.001)
        assert branch(four_bar, live.snapshot()) == side
        assert live.report().counts["swaps"] == 1 and live.faults == ()
        assert abs(live.read("rocker") - start.q[2]) < 1.6  # no turns
        live.run(0.01)
    assert tb.replay(path).same


def four_bar_of(base: float, crank: float, coupler: float, rocker: float) -> tb.Model:
    m = tb.Model("four-bar", gravity=(0, 0, -9.81))
    length = m.parameter("length", coupler, unit="m", min=0.001)
    bars = [m.body(name, 0.5, (0.1, 0, 0), (1e-4, 5e-3, 5e-3)) for name in ("a", "b", "c")]
    m.joint("a", tb.Revolute("y"), m.ground, bars[0])
    m.joint("b", tb.Revolute("y"), bars[0].at(crank, 0, 0), bars[1], position=(0.3,))
    m.joint("c", tb.Revolute("y"), m.ground.at(base, 0, 0), bars[2], position=(-1.5,))
    m.close("pin", tb.PointInPlane("xz"), bars[1].at(length, 0, 0), bars[2].at(rocker, 0, 0))
    return m


@pytest.mark.parametrize(
    ("bars", "angle", "length"),
    [
        ((0.4651, 0.2017, 0.4766, 0.2324), 0.2617, 0.0442),
        ((0.4736, 0.1394, 0.4607, 0.1929), -1.0688, 0.2386),
        ((0.3481, 0.2988, 0.3339, 0.2872), -0.2397, 0.3852),
        ((0.4694, 0.1165, 0.5202, 0.1847), -0.3435, 0.1824),
        ((0.4032, 0.1782, 0.7556, 0.2823), -2.6035, 0.2898),
    ],
)
def test_a_change_goes_where_many_small_ones_lead_or_is_refused_where_they_stop(
    bars: tuple[float, float, float, float], angle: float, length: float
) -> None:
    """Solved at once, Newton's method went up to 24 rad astray in these."""
    system = four_bar_of(*bars).compile()
    start = system.assemble(a=angle)
    expected, reached = walked(system, start.x, bars[2], length)
    with tb.live(system, start, rate=1000, speed=None) as live:
        if reached == length:
            live["length"] = length
            live.run(0.001)
        else:
            with pytest.raises(tb.InputError, match="loops don't close all the way") as caught:
                live["length"] = length
            told = float(str(caught.value).partition("beyond about ")[2].split()[0])
            assert told == pytest.approx(reached, abs=0.02 * abs(length - bars[2]))
            live.run(0.001)
            expected = start.x
        found = [live.read(name) for name in system.coordinates]
        # which coordinate is kept while the others follow may change on the way: the same branch,
        # not the same point of it
        assert found == pytest.approx(expected[:3].tolist(), abs=0.1)
        assert live.faults == () and live["length"] == (length if reached == length else bars[2])


def walked(system: tb.System, x: np.ndarray, start: float, end: float) -> tuple[np.ndarray, float]:
    """Where five hundred small changes lead, and how far they go without a jump."""
    posed = system.problem(parameters={"length": start})
    reached = start
    for value in np.linspace(start, end, 501)[1:]:
        posed.problem.p[:] = system.parameter_block({"length": value})
        after = posed.settled(0.0, x)
        if posed.statistics["not_converged"] or np.abs(after - x)[:3].max() > 0.2:
            return x, reached
        x, reached = after, float(value)
    return x, reached


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
    monkeypatch.setattr("touchback.realtime.live_parameters._REMEMBERED", 10)
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
        impossible = block_of(live.spec, {"coupler length": 0.05})
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


def test_several_parameters_change_at_one_tick(cart: tb.System) -> None:
    with tb.live(cart, rate=100, speed=None, record=True) as live:
        live.run(0.05)
        live.change({"stiffness": 50.0, "mass": 4.0})
        live.run(0.05)
        with pytest.raises(tb.InputError, match="stifness"):
            live.change({"mass": 3.0, "stifness": 60.0})
        assert (live["stiffness"], live["mass"]) == (50.0, 4.0)  # nothing of a refused one is done
    assert list(live.recorded()["version"]) == [0.0] * 5 + [1.0] * 5


def test_a_change_is_judged_from_where_the_mechanism_is_by_now() -> None:
    """A tick may take an earlier change between a look at the state and one at the parameters."""
    system = make("slider-crank").compile()
    with tb.live(system, system.assemble(crank=1.0), rate=1000, speed=None) as live:
        live.run(0.001)
        before = np.array([live.read(name) for name in system.state_names])
        live["crank radius"] = 0.14
        live.run(0.001)
        assert abs(live.read("rod") - before[system.state_names.index("rod")]) > 0.05
        live._parameters.change({"crank radius": 0.15}, live.read("time"), before)
        live.run(0.001)
        assert live["crank radius"] == 0.15
