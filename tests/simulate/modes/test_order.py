"""Fixed steps: transitions are compensated within the step, so that the method keeps its order."""

import numpy as np
import pytest

import touchback as tb
from models_with_modes import G, bouncing_ball, striking_rods
from touchback.native import FixedStep
from touchback.native.modes.native_modes import Modes


def swinging_door() -> tb.Model:
    """A pendulum that strikes a wall to the left of its lowest position."""
    m = tb.Model("door", gravity=(0, 0, -G))
    bar = m.body("bar", mass=1.0, com=(0, 0, -0.5), inertia=(0.1, 0.1, 0.01))
    m.joint("bar", tb.Revolute("y"), m.ground, bar, position=1.2)
    m.constrain("wall", m.coordinate("bar") + 0.35)
    m.mode("swing")
    m.transition(
        "strike", "swing", "swing", when=m.coordinate("bar") + 0.35, impact=["wall"],
        restitution=0.8,
    )  # fmt: skip
    return m


def end(system: tb.System, step: float, compensated: bool, duration: float = 2.4) -> np.ndarray:
    modes = Modes(system.modes_data(), compensated=compensated)
    problem = modes.problem(np.zeros(1), system.parameter_block())
    run = FixedStep(problem, "rk4", system.initial_state().x, 0.0, step)
    run.advance(round(duration / step), 10**9)
    assert len(modes.take_log()) == 2
    return run.x.copy()


def test_compensation_keeps_the_order_of_the_method_and_without_it_first_order_is_left() -> None:
    system = swinging_door().compile()
    exact = tb.simulate(system, None, 2.4, rtol=1e-13, atol=1e-15)
    goal = np.array([exact["bar"][-1], exact["bar rate"][-1]])
    counts = [(113, 127, 139), (227, 241, 257), (449, 461, 479), (907, 929, 947)]
    errors = {  # means over steps that end at different places: chance decides a single one
        kind: [
            np.mean([np.abs(end(system, 2.4 / n, kind)[:2] - goal).max() for n in group])
            for group in counts
        ]
        for kind in (True, False)
    }
    lengths = [2.4 / group[1] for group in counts]
    orders = {kind: np.polyfit(np.log(lengths), np.log(errors[kind]), 1)[0] for kind in errors}
    assert orders[True] == pytest.approx(4.0, abs=0.2)
    assert orders[False] == pytest.approx(1.0, abs=0.4)
    assert errors[True][-1] < 1e-8 and errors[False][-1] > 1e-3


def test_several_transitions_fit_into_one_step() -> None:
    """The last step of 100 ms holds six bounces of a ball that is about to rest."""
    m = tb.Model("ball", gravity=(0, 0, -G))
    m.joint("height", tb.Prismatic("z"), m.ground, m.body("ball", mass=1.0), position=0.05)
    height = m.coordinate("height")
    m.constrain("floor", height)
    m.mode("flight")
    m.transition("bounce", "flight", "flight", when=height, impact=["floor"], restitution=0.6)
    run = tb.simulate(m.compile(), None, 0.4, method="rk4", step=0.1)
    v = np.sqrt(2 * G * 0.05)
    flights = 2 * v / G * 0.6 ** np.arange(1, len(run.transitions))
    times = v / G + np.concatenate([[0.0], np.cumsum(flights)])
    assert len(run.transitions) >= 8
    np.testing.assert_allclose([each.time for each in run.transitions], times, atol=1e-10)


@pytest.mark.parametrize("step", [1e-3, 2e-2, 1e-1])
def test_bounces_that_are_short_beside_the_step_are_found_as_well(step: float) -> None:
    """Flights of 2 v eᵏ/g with e = 0.5, down to the thousandth of a step that is looked ahead."""
    system = bouncing_ball(0.5, rest=True).compile()
    run = tb.simulate(system, None, 1.5, method="rk4", step=step)
    first = np.sqrt(2 / G)
    flights = 2 * first * 0.5 ** np.arange(1, len(run.transitions))
    times = first + np.concatenate([[0.0], np.cumsum(flights)])
    seen = np.concatenate([[True], flights > 1e-3 * step])
    assert seen.sum() >= 14
    found = np.array([each.time for each in run.transitions])
    np.testing.assert_allclose(found[seen], times[seen], atol=1e-11)


@pytest.mark.parametrize("method", ["dopri5", "radau5", "rk4", "euler"])
def test_of_transitions_at_one_instant_the_one_described_first_is_taken_first(method: str) -> None:
    """Two carts reach their walls together; whoever is first decides where it goes on."""
    m = tb.Model("carts", gravity=(0, 0, 0))
    for name in ("left", "middle", "right"):
        m.joint(name, tb.Prismatic("x"), m.ground, m.body(name, mass=1.0), velocity=1.0)
    for name in ("run", "left", "middle", "right"):
        m.mode(name)
    # the same instant by causes of different slopes
    m.transition("by the middle", "run", "middle", when=0.9 - 3.0 * m.coordinate("middle"))
    m.transition("by the left", "run", "left", when=0.3 - m.coordinate("left"))
    m.transition("by the right", "run", "right", when=0.6 - 2.0 * m.coordinate("right"))
    for start in (0.0, 0.0123, 1000.0):
        run = tb.simulate(m.compile(), None, 0.5, method=method, step=7e-3, start=start)
        assert [each.cause for each in run.transitions] == ["by the middle"]
        assert run.transitions[0].time == pytest.approx(start + 0.3, abs=1e-11)


@pytest.mark.parametrize("method", ["rk4", "euler"])
def test_the_same_bits_come_again(method: str) -> None:
    runs = [
        tb.simulate(striking_rods().compile(), None, 1.0, method=method, step=1e-3)
        for _ in range(2)
    ]
    for name in runs[0]:
        assert np.array_equal(runs[0][name], runs[1][name])


def test_a_run_in_two_parts_is_the_run_in_one() -> None:
    """Nothing but the state tells where a mechanism is."""
    system = striking_rods().compile()
    whole = tb.simulate(system, None, 1.0, method="rk4", step=1e-3)
    first = tb.simulate(system, None, 0.4, method="rk4", step=1e-3)
    middle = [first[name][-1] for name in system.state_names]
    second = tb.simulate(system, middle, 0.6, method="rk4", step=1e-3, start=0.4)
    for name in system.state_names:
        np.testing.assert_allclose(second[name][-1], whole[name][-1], rtol=1e-11, atol=1e-11)
