"""Plans by sampling: the best one known by least squares, a swing-up, an arm against a clock."""

import math
import threading
import time
from typing import Any

import numpy as np
import pytest

import touchback as tb
from benchmarks.planned_mechanisms import GOAL, arm, cart_pole, reaching, upright


def slider() -> tb.System:
    m = tb.Model("slider")
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("block", mass=1.0))
    m.force("motor", tb.JointEffort("x", m.input("push", unit="N")))
    return m.compile()


def squares(r: tb.planning.Rollouts) -> np.ndarray:
    return r["x"] ** 2 + 0.01 * r["push"] ** 2


def test_many_passes_come_close_to_the_best_plan_of_all() -> None:
    """ẍ = u from x = 1 with squares as cost: the best knots follow by least squares, with rows of
    x and u at each time (Runge and Kutta's method is exact for forces that are linear in time)."""
    planner = tb.planning.MPPI(
        slider(), squares, {"push": 1.0}, horizon=1.0, knots=5, step=0.05, samples=256, passes=60,
        temperature=0.05,
    )  # fmt: skip
    found = planner.plan({"x": 1.0})
    times, knots = np.linspace(0.0, 1.0, 21), np.linspace(0.0, 1.0, 5)
    fine = np.linspace(0.0, 1.0, 2001)
    hats = np.array([np.interp(fine, knots, row) for row in np.eye(5)])
    once = np.cumsum(hats, axis=1) * 5e-4
    twice = np.array([np.interp(times, fine, row) for row in np.cumsum(once, axis=1) * 5e-4])
    shown = np.array([np.interp(times, knots, row) for row in np.eye(5)])
    A, b = np.vstack([twice.T, 0.1 * shown.T]), np.concatenate([-np.ones(21), np.zeros(21)])
    left = A @ np.linalg.lstsq(A, b, rcond=None)[0] - b
    best = left @ left / 21
    assert best * 0.99 < found.cost < best * 1.05
    assert found.cost < 0.8  # doing nothing costs 1


def test_a_pole_that_hangs_is_swung_up_and_held() -> None:
    system = cart_pole()
    planner = tb.planning.MPPI(
        system, upright, {"push": 5.0}, horizon=1.0, knots=11, step=0.02, samples=192,
        temperature=0.1,
    )  # fmt: skip
    run = planner.control(system.assemble(pole=math.pi), 3.5, 0.04)
    off = np.abs((run["pole"] + np.pi) % (2 * np.pi) - np.pi)
    assert off[0] > 3.0 and off[run.time > 3.0].max() < 0.2
    assert np.abs(run["push"]).max() <= 15.0
    assert np.allclose(np.diff(run.time), 0.02)


def test_an_arm_reaches_its_goal_against_the_clock_and_becomes_safe_without_plans() -> None:
    system = arm()
    watched = {f"speed {i}": tb.devices.WatchedInput(max_age=0.2, safe=0.0) for i in range(3)}
    start = system.assemble({"joint 1": 0.3})
    with tb.live(system, start, rate=500, inputs=watched) as live:
        with reaching(system).drive(live) as driving:
            for _ in range(1000):  # until it is there, however busy the machine
                live.run(0.02)
                at = live.snapshot()
                if math.dist([at[f"hand.{axis}"] for axis in GOAL], GOAL.values()) < 0.03:
                    break
            else:
                pytest.fail(f"the hand never came near: {driving}")
            assert "plans, " in str(driving) and driving.oldest > 0.0
        while "stale" not in " ".join(live.faults):
            live.run(0.02)
    assert live.report().counts["not_finite"] == 0


def test_planning_has_ended_when_close_returns_and_inputs_get_nothing_more() -> None:
    """Closed in the midst of a plan, which takes 0.1 s at least."""
    begun = threading.Event()

    def slow(r: tb.planning.Rollouts) -> np.ndarray:
        begun.set()
        time.sleep(0.1)
        return squares(r)

    planner = tb.planning.MPPI(slider(), slow, {"push": 1.0}, step=0.1, samples=4)
    with tb.live(planner.system, [1.0, 0.0], rate=100) as live:
        driving = planner.drive(live)
        assert begun.wait(60.0)
        driving.close()
        assert "touchback planner" not in [each.name for each in threading.enumerate()]
        assert driving.plans == 1 and driving.value("push") is None


@pytest.mark.parametrize(("ticks", "values"), [(20.0, 20.0), (100.0, 100.0), (1000.0, 250.0)])
def test_an_input_gets_a_value_each_tick_but_no_more_than_250_a_second(
    ticks: float, values: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    planner = tb.planning.MPPI(slider(), squares, {"push": 1.0}, step=0.1, samples=4)
    with tb.live(planner.system, [1.0, 0.0], rate=ticks) as live:
        rates, connect = [], live.connect
        monkeypatch.setattr(
            live, "connect", lambda name, device, rate: rates.append(rate) or connect(name, device)
        )
        planner.drive(live).close()
    assert rates == [values]


@pytest.mark.parametrize(
    ("option", "least", "most"),
    [("knots", 2, 10_000), ("passes", 1, 1000), ("temperature", 1e-9, 100.0)],
)
def test_the_limits_of_options_are_taken_themselves(option: str, least: float, most: float) -> None:
    def made(value: float) -> tb.planning.MPPI:
        return tb.planning.MPPI(slider(), squares, {"push": 1.0}, samples=2, **{option: value})

    for value in (least, most):
        made(value)
    for value in (0, 1.001 * most):
        with pytest.raises(tb.InputError, match=option):
            made(value)


@pytest.mark.parametrize(("duration", "every"), [(0.5, 0.2), (0.1, 0.2), (0.3, 0.1)])
def test_a_controlled_run_lasts_as_long_as_it_was_asked_to(duration: float, every: float) -> None:
    planner = tb.planning.MPPI(slider(), squares, {"push": 1.0}, step=0.05, samples=4)
    run = planner.control([1.0, 0.0], duration, every)
    np.testing.assert_allclose(run.time, np.arange(0.0, duration + 0.01, 0.05), atol=1e-12)


def test_more_plans_than_end_in_a_day_are_refused_before_the_first() -> None:
    planner = tb.planning.MPPI(slider(), squares, {"push": 1.0}, step=0.05, samples=4)
    with pytest.raises(tb.InputError, match=r"takes 5e\+08 plans.*plan each 5e-07 s or more"):
        planner.control([1.0, 0.0], 0.5, every=1e-9)
    assert planner.newest is None


def test_a_plan_goes_on_from_the_one_before() -> None:
    planner = tb.planning.MPPI(
        slider(), squares, {"push": 1e-9}, horizon=1.0, knots=3, step=0.1, samples=2
    )
    planner.newest = tb.planning.Plan(
        ("push",), np.array([0.0, 0.5, 1.0]), np.array([[0.0], [1.0], [3.0]]), 0.0
    )
    found = planner.plan({"x": 1.0}, 0.25)
    assert found.times.tolist() == [0.25, 0.75, 1.25]
    assert found.values[:, 0] == pytest.approx([0.5, 2.0, 3.0], abs=1e-6)
    assert found.at(0.5)["push"] == pytest.approx(1.25, abs=1e-6)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"spread": {"pusch": 1.0}}, "pusch.*push"),
        ({"spread": {}}, "spread: name at least one input"),
        ({"spread": {"push": -1.0}}, "spread of 'push' must be a positive number"),
        ({"samples": 1}, "samples must be a whole number of at least 2, got 1"),
        ({"knots": 1}, "knots"),
        ({"knots": 9999, "samples": 1 << 24}, "16777216 rows of 9999 numbers take 1.34e.03 GB"),
        ({"horizon": 0.0}, "horizon must be a positive number"),
        ({"horizon": 0.05}, "horizon 0.05 s holds no step of 0.1 s"),
        ({"temperature": 0.0}, "temperature"),
        ({"cost": lambda r: r["x"].mean(axis=1)}, "cost: 16 instances at 11 times are expected"),
        ({"cost": lambda r: r["y"]}, "signal 'y'"),
        ({"cost": 5}, "cost: a function of the rollouts is expected.*got 5"),
        ({"seed": -1}, "seed must be a whole number from 0 on, got -1"),
    ],
)
def test_what_cant_be_planned_is_refused(options: dict[str, Any], said: str) -> None:
    given: dict[str, Any] = {"cost": squares, "spread": {"push": 1.0}, "samples": 16, "step": 0.1}
    with pytest.raises(tb.InputError, match=said):
        tb.planning.MPPI(slider(), **{**given, **options}).plan({"x": 1.0})


@pytest.mark.parametrize("size", [1e200, 1e-320])
def test_what_a_cost_is_measured_in_doesnt_matter(size: float) -> None:
    options: dict[str, Any] = {"spread": {"push": 1.0}, "samples": 16, "step": 0.1}
    usual, found = (
        tb.planning.MPPI(slider(), lambda r, s=s: s * squares(r), **options).plan({"x": 1.0})
        for s in (1.0, size)
    )
    assert found.values == pytest.approx(usual.values, rel=1e-2)  # tiny numbers have few digits


def test_rollouts_that_all_run_away_are_told() -> None:
    planner = tb.planning.MPPI(slider(), squares, {"push": 1e300}, step=0.1, samples=4, seed=1)
    planner.newest = tb.planning.Plan(("push",), np.array([0.0, 1.0]), np.full((2, 1), 1e308), 0.0)
    with pytest.raises(tb.SolveError, match="none of 4 rollouts stayed finite for 1 s"):
        planner.plan({"x": 1e308})
