"""The closed-form oscillator against matrix exponentials, and its crossings against SciPy."""

import math

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.optimize import brentq

from touchback.errors import InputError
from touchback.haptics.wall import Oscillator, State

masses = st.floats(0.01, 10.0)
dampings = st.one_of(st.just(0.0), st.floats(1e-4, 500.0))
stiffnesses = st.one_of(st.just(0.0), st.floats(1e-3, 1e5))


@given(masses, dampings, stiffnesses, st.floats(1e-5, 0.5))
def test_the_flow_is_the_matrix_exponential(m: float, b: float, k: float, t: float) -> None:
    flow = Oscillator(m, b, k).flow(t)
    expected = expm(t * np.array([[0, 1, 0], [-k / m, -b / m, 1 / m], [0, 0, 0]]))
    found = np.array([[flow.yy, flow.yv, flow.yf], [flow.vy, flow.vv, flow.vf]])
    # SciPy's exponential loses digits by squaring, about ‖A t‖ of them.
    rounding = 1e-14 * (1.0 + t * max(k / m, b / m, 1 / m))
    scale = np.abs(expected[:2]).max(axis=1, keepdims=True)
    assert np.abs(found - expected[:2]).max() <= rounding * scale.max()


@given(st.floats(0.1, 10.0), st.floats(1e-6, 1e-3), st.floats(1e-3, 10.0))
def test_a_held_force_moves_a_mass_by_half_t_squared_to_the_last_digits(
    m: float, t: float, k: float
) -> None:
    # (1 − cos ωt)/k would lose all digits here; the step response must not.
    expected = 0.5 * t * t / m * (1.0 - k * t * t / (12.0 * m))
    assert Oscillator(m, 0.0, k).flow(t).yf == pytest.approx(expected, rel=1e-14)


def test_two_short_flows_make_a_long_one() -> None:
    oscillator = Oscillator(0.32, 4.75, 5257.0)
    start = State(1e-3, -0.2)
    once = oscillator.after(start, 0.013, -1.3)
    twice = oscillator.after(oscillator.after(start, 0.006, -1.3), 0.007, -1.3)
    assert once == pytest.approx(twice, rel=1e-12)


def test_undamped_energy_is_constant() -> None:
    oscillator = Oscillator(2.0, 0.0, 30.0)
    start = State(0.4, -1.0)
    energies = [oscillator.energy(oscillator.after(start, t, 3.0), 3.0) for t in (0.1, 1.7, 20.0)]
    assert energies == pytest.approx([oscillator.energy(start, 3.0)] * 3, rel=1e-13)


def test_the_time_of_fall_is_the_right_root() -> None:
    # (v + √(v² + 2 g y))/g; eq. 5.7 and 6.32 print others.
    g, y, v = 9.81, 0.7, 1.2
    expected = (v + math.sqrt(v * v + 2 * g * y)) / g
    assert Oscillator(3.0).time_to_cross(State(y, v), -3.0 * g) == pytest.approx(
        expected, rel=1e-14
    )


def test_a_ball_that_leaves_the_floor_returns_after_2v_over_g() -> None:
    assert Oscillator(1.0).time_to_cross(State(0.0, 3.0), -2.0) == pytest.approx(3.0, rel=1e-15)


def test_an_undamped_contact_lasts_as_long_as_eq_5_11_says() -> None:
    g, w, v0 = 1.0, 2.0, -1.5
    c1, c2 = g / w**2, v0 / w
    expected = (math.pi + math.atan2(c1, -c2) + math.asin(c1 / math.hypot(c1, c2))) / w
    found = Oscillator(1.0, 0.0, w * w).time_to_cross(State(0.0, v0), -g)
    assert found == pytest.approx(expected, rel=1e-14)


@example(2.0, 0.0, 0.0, -1.0, 3.0, -5.0)  # up and down again within one of SciPy's steps
@example(0.25, 8.0, 60.0, -1.0, 0.0, 0.0)  # dies away before it crosses, but for SciPy's error
@given(
    st.floats(0.1, 3.0), st.sampled_from([0.0, 0.01, 0.7, 8.0]),
    st.sampled_from([0.0, 0.001, 0.5, 4.0, 60.0]), st.sampled_from([-1.0, -0.1, 0.003, 0.7]),
    st.floats(-3.0, 3.0), st.sampled_from([-5.0, -0.2, 0.0, 1.0]),
)  # fmt: skip
def test_crossings_are_those_of_an_ode_solver(
    m: float, b: float, k: float, y: float, v: float, f: float
) -> None:
    run = solve_ivp(
        lambda t, x: [x[1], (f - b * x[1] - k * x[0]) / m], (0.0, 20.0), [y, v],
        method="DOP853", rtol=1e-10, atol=1e-12, dense_output=True,
    )  # fmt: skip
    found = Oscillator(m, b, k).time_to_cross(State(y, v), f)
    if found < 20.0:
        reached = Oscillator(m, b, k).after(State(y, v), found, f)
        assert abs(reached.y) < 1e-11 * (1.0 + abs(y) + abs(v))
    # Looked for on a fine grid: SciPy's own events miss two crossings within one long step.
    grid = np.linspace(0.0, 20.0, 20_001)
    heights, speeds = run.sol(grid)
    graze = np.abs(np.gradient(speeds, grid)).max() * grid[1] ** 2  # within a part of the grid
    beyond = -1e-9 * np.sign(y)  # less is SciPy's own error
    crossed = np.flatnonzero(heights * np.sign(y) < -1e-9)
    if len(crossed):
        i = crossed[0]
        first = brentq(lambda t: run.sol(t)[0] - beyond, grid[i - 1], grid[i])
        grazed = np.abs(heights[:i]).min() < graze and found < first
        assert grazed or found == pytest.approx(first, rel=1e-4, abs=1e-4)
    elif np.abs(heights).min() > graze:  # else it is a matter of rounding
        assert found > 19.9


def test_a_heavily_damped_ball_stays_in_the_floor() -> None:
    assert Oscillator(1.0, 50.0, 30.0).time_to_cross(State(0.0, -2.0), -1.0) == math.inf


def test_an_impossible_oscillator_is_refused() -> None:
    with pytest.raises(InputError, match=r"mass is 0.0 kg"):
        Oscillator(0.0)
    with pytest.raises(InputError, match=r"stiffness is -1.0 N/m"):
        Oscillator(1.0, 0.0, -1.0)
