"""Mechanisms that change their constraints while they run, against closed forms."""

import numpy as np
import pytest

import touchback as tb
from models_with_modes import G, block_on_belt, bouncing_ball, clutch, pegged_pendulum

METHODS = ("dopri5", "radau5", "rk4")


def bounce_times(restitution: float, count: int) -> list[float]:
    """√(2 h/g), then flights of 2 v eᵏ/g."""
    v = np.sqrt(2 * G)
    flights = [2 * v * restitution**k / G for k in range(1, count)]
    return list(v / G + np.concatenate([[0.0], np.cumsum(flights)]))


@pytest.mark.parametrize("method", METHODS)
def test_a_ball_bounces_when_it_must_and_loses_what_it_must(method: str) -> None:
    run = tb.simulate(bouncing_ball(0.9).compile(), None, 5.0, method=method)
    expected = bounce_times(0.9, len(run.transitions))
    assert len(run.transitions) == 8
    np.testing.assert_allclose([each.time for each in run.transitions], expected, atol=1e-10)
    lost = [-G * 0.81**k * (1 - 0.81) for k in range(8)]
    np.testing.assert_allclose([each.energy for each in run.transitions], lost, rtol=1e-9)
    assert {each.cause for each in run.transitions} == {"bounce"}
    assert run["height"].min() > -1e-9


def test_two_inertias_share_their_momentum_when_a_clutch_engages() -> None:
    """ω = (I₁ ω₁ + I₂ ω₂)/(I₁ + I₂); lost is ½ I₁ I₂/(I₁ + I₂) (ω₁ − ω₂)²."""
    for method in METHODS:
        run = tb.simulate(clutch().compile(), None, 1.0, method=method)
        (engaged,) = run.transitions
        assert engaged.time == pytest.approx(0.5, abs=1e-12)
        assert engaged.energy == pytest.approx(-0.5 * 0.1 / 0.7 * 90.0**2, rel=1e-12)
        together = (0.2 * 100.0 + 0.5 * 10.0) / 0.7
        for name in ("motor rate", "load rate"):
            assert run[name][-1] == pytest.approx(together, rel=1e-12)
        assert list(run["mode"][[0, -1]]) == [0.0, 1.0]


@pytest.mark.parametrize("method", METHODS)
def test_a_pendulum_that_winds_on_a_peg_keeps_its_energy(method: str) -> None:
    """The string catches the peg in passing below it, where both circles touch: nothing is lost,
    and both sides are left at the same height."""
    system = pegged_pendulum().compile()
    start = system.assemble(mode="long", **{"bob.x": -0.6, "bob.z": -0.8})
    run = tb.simulate(system, start, 4.0, method=method, rtol=1e-10, atol=1e-12)
    names = [each.target for each in run.transitions]
    assert names == ["short", "long", "short", "long"]
    assert np.ptp(run["energy"]) < 3e-8
    assert np.abs([each.energy for each in run.transitions]).max() < 1e-12
    highest = run["bob.z"][run["mode"] == 1.0].max()
    assert highest == pytest.approx(-0.8, abs=1e-4)
    long, short = run["mode"] == 0.0, run["mode"] == 1.0
    x, z = run["bob.x"], run["bob.z"]
    np.testing.assert_allclose(np.hypot(x, z)[long], 1.0, atol=1e-12)
    np.testing.assert_allclose(np.hypot(x, z + 0.4)[short], 0.6, atol=1e-12)
    assert (run["string"][short] == 0.0).all()  # a constraint that rests pulls at nothing


@pytest.mark.parametrize("method", METHODS)
def test_a_block_sticks_to_its_belt_and_slips_as_long_as_it_must(method: str) -> None:
    """It breaks away where k x = μ_s m g; y = x − μ_k m g/k then swings freely, and catches up with
    the belt after ω t = 2π − 2 arctan(y₀ ω/v)."""
    system = block_on_belt().compile()
    run = tb.simulate(system, None, 4.0, method=method, rtol=1e-10, atol=1e-12)
    away, omega, belt = 0.5 * G / 25.0, 5.0, 0.5
    slip = (2 * np.pi - 2 * np.arctan(0.2 * G / 25.0 * omega / belt)) / omega
    back = 2 * 0.3 * G / 25.0 - away
    expected = [away / belt, away / belt + slip]
    while expected[-1] < 4.0:
        expected += [expected[-1] + (away - back) / belt]
        expected += [expected[-1] + slip]
    times = [each.time for each in run.transitions]
    np.testing.assert_allclose(times, expected[: len(times)], atol=2e-9)
    assert len(times) >= 4
    stuck = run["mode"] == 0.0
    np.testing.assert_allclose(run["block rate"][stuck], belt, atol=1e-12)
    np.testing.assert_allclose(run["grip force"][stuck], 25.0 * run["block"][stuck], atol=1e-9)
