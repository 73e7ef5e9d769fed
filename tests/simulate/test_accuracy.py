"""Runs are as accurate as their methods promise, against closed forms and SciPy."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import ellipj, ellipk

from hand_made_systems import GRAVITY, LENGTH, HandMadeSystem
from touchback.simulate import simulate
from touchback.simulate.solvers import Capability, integrators


def exact_angle(t: np.ndarray) -> np.ndarray:
    """The pendulum released at rest at 1 rad: θ = 2 asin(k sn(K − ω t)), k = sin(1/2)."""
    k = math.sin(0.5)
    omega = math.sqrt(GRAVITY / LENGTH)
    return 2 * np.arcsin(k * ellipj(ellipk(k**2) - omega * t, k**2)[0])


def error(system: HandMadeSystem, **settings: object) -> float:
    run = simulate(system, duration=2.0, **settings)  # type: ignore[arg-type]
    return float(np.abs(run["angle"] - exact_angle(run.time)).max())


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("euler", 1)])
def test_fixed_step_methods_have_their_order(
    pendulum: HandMadeSystem, method: str, order: int
) -> None:
    coarse, fine = (error(pendulum, method=method, step=step) for step in (0.01, 0.005))
    assert math.log2(coarse / fine) == pytest.approx(order, abs=0.15)


def test_dopri5_error_falls_as_the_tolerance(pendulum: HandMadeSystem) -> None:
    """Error per step is held at rtol, so the global error is proportional to about rtol^(5/5)."""
    tolerances = np.array([1e-5, 1e-7, 1e-9])
    errors = [error(pendulum, rtol=rtol, atol=rtol) for rtol in tolerances]
    slope = np.polyfit(np.log(tolerances), np.log(errors), 1)[0]
    assert 0.8 < slope < 1.2
    assert all(error < 10 * rtol for error, rtol in zip(errors, tolerances))


def test_dopri5_steps_grow_with_the_fifth_root_of_the_tolerance(pendulum: HandMadeSystem) -> None:
    """A method of order five: 10⁵ times the accuracy costs about ten times the steps."""
    steps = []
    for rtol in (1e-6, 1e-11):
        run = simulate(pendulum, duration=20.0, rtol=rtol, atol=rtol)
        steps.append(run.metadata["statistics"]["accepted"])
    assert steps[1] / steps[0] == pytest.approx(10.0, rel=0.15)


@pytest.mark.parametrize("peer", ["RK45", "DOP853"])
def test_dopri5_agrees_with_scipys_own_integration(pendulum: HandMadeSystem, peer: str) -> None:
    def rate(t: float, x: np.ndarray) -> list[float]:
        return [x[1], -GRAVITY / LENGTH * math.sin(x[0])]

    run = simulate(pendulum, duration=5.0, rtol=1e-10, atol=1e-12)
    expected = solve_ivp(rate, (0, 5), [1.0, 0.0], peer, run.time, rtol=1e-11, atol=1e-13)
    # Both follow the solution to about 1e-9 over 5 s; RK45's dense output is the weakest part.
    np.testing.assert_allclose(run["angle"], expected.y[0], atol=5e-9)
    np.testing.assert_allclose(run["speed"], expected.y[1], atol=2e-8)


@pytest.mark.parametrize(
    "method", [name for name, each in integrators().items() if Capability.ADAPTIVE in each.can]
)
def test_every_adaptive_method_follows_the_closed_form(
    pendulum: HandMadeSystem, method: str
) -> None:
    # Multistep and low-order methods add up their local errors of 1e-6 over the run.
    assert error(pendulum, method=method, rtol=1e-6, atol=1e-8) < 2e-3


def test_rk4_keeps_the_energy_of_a_pendulum(pendulum: HandMadeSystem) -> None:
    run = simulate(pendulum, duration=20.0, method="rk4", step=1e-3)
    initial = GRAVITY * LENGTH * (1 - math.cos(1.0))
    assert run["energy"][0] == pytest.approx(initial, rel=1e-14)
    np.testing.assert_allclose(run["energy"], initial, rtol=1e-9)


def test_semi_implicit_euler_lets_the_energy_swing_but_not_drift(pendulum: HandMadeSystem) -> None:
    run = simulate(pendulum, duration=200.0, method="euler", step=1e-2)
    initial = run["energy"][0]
    early, late = (np.ptp(run["energy"][part]) for part in (slice(0, 1000), slice(-1000, None)))
    assert late == pytest.approx(early, rel=0.02)
    # First order: the energy swings by about h ω in proportion, here 0.01 · 3.7.
    assert early < 0.1 * initial
