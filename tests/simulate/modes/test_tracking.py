"""Idle coordinates that track: they go where they are to be, and nothing else moves."""

import numpy as np
import pytest

import touchback as tb
from models_with_modes import follower

FORMULATIONS = ("partitioning", "projection", "multipliers", "baumgarte")


@pytest.mark.parametrize("constraints", FORMULATIONS)
@pytest.mark.parametrize("method", ["dopri5", "rk4"])
@pytest.mark.parametrize("on_cart", [False, True])
def test_what_is_followed_feels_nothing_when_tracking_begins(
    on_cart: bool, method: str, constraints: str
) -> None:
    """The slider jumps by decimetres, from the start of the run or by a transition."""
    for first in ("free", "follow"):
        system = follower(on_cart, first).compile()
        run = tb.simulate(system, None, 0.7, method=method, constraints=constraints)
        following = run["mode"] == 1.0
        assert following.any()
        np.testing.assert_allclose(run["cart"], run.time, atol=1e-9)
        np.testing.assert_allclose(run["cart rate"], 1.0, atol=1e-9)
        np.testing.assert_allclose(run["slider"][following], run.time[following] + 0.1, atol=1e-9)


@pytest.mark.parametrize("on_cart", [False, True])
@pytest.mark.parametrize("goal", [1.0, 50.0, 0.02])
def test_what_is_followed_feels_nothing_when_an_input_moves_the_goal(
    goal: float, on_cart: bool
) -> None:
    """Light or heavy, near or far: the slider is the one that gives way."""
    system = follower(on_cart, "follow", goal).compile()
    with tb.live(system, rate=1000, speed=None) as live:
        live.run(0.1)
        live["offset"] = 0.4
        live.run(0.001)
        assert live.read("slider") == pytest.approx(goal * live.read("cart") + 0.4, abs=1e-11)
        assert live.read("cart") == pytest.approx(0.101, abs=1e-9)
        assert live.read("cart rate") == pytest.approx(1.0, abs=1e-9)


def test_a_state_is_assembled_by_moving_what_tracks() -> None:
    system = follower(True, "follow").compile()
    state = system.assemble()
    np.testing.assert_allclose(state.q, [0.0, 0.1], atol=1e-12)
    np.testing.assert_allclose(state.v, [1.0, 1.0], atol=1e-12)
    moved = system.assemble(inputs={"offset": 0.3}, rates={"cart": 2.0}, cart=0.2)
    np.testing.assert_allclose(moved.q, [0.2, 0.5], atol=1e-12)
    np.testing.assert_allclose(moved.v, [2.0, 2.0], atol=1e-12)


def test_what_tracks_may_be_told_where_it_stands_and_then_the_others_move() -> None:
    system = follower(False, "follow").compile()
    state = system.assemble(slider=0.5, rates={"slider": 3.0})
    np.testing.assert_allclose(state.q, [0.4, 0.5], atol=1e-12)
    np.testing.assert_allclose(state.v, [3.0, 3.0], atol=1e-12)
