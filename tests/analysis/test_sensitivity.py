"""Sensitivities agree with closed forms and with differences of runs at tight tolerance."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import touchback as tb


def test_a_pendulum_slows_with_its_length(pendulum: Any) -> None:
    """θ(t; l) = Θ(t √(g/l)), so ∂θ/∂l = −t θ̇ / 2l at any amplitude."""
    found = tb.sensitivity(
        pendulum, pendulum.assemble(swing=1.0), 5.0, parameters=["length"], rtol=1e-11, atol=1e-13
    )
    wanted = -found.time / (2 * 1.3) * found.run["swing rate"]
    assert np.allclose(found["swing", "length"], wanted, atol=1e-9)
    assert np.array_equal(found.run["d(swing)/d(length)"], found["swing", "length"])


def test_a_period_grows_by_half_its_share_of_length(pendulum: Any) -> None:
    """At a crossing of zero dT/dl = −(∂θ/∂l)/θ̇, which is T/2l."""
    found = tb.sensitivity(
        pendulum, pendulum.assemble(swing=0.8), 2.0, parameters=["length"], output_step=1e-3
    )
    swing = found.run["swing"]
    up = np.flatnonzero((swing[:-1] < 0) & (swing[1:] >= 0))[0]
    time = np.interp(0.0, swing[up : up + 2], found.time[up : up + 2])
    slope = -found["swing", "length"][up] / found.run["swing rate"][up]
    assert slope == pytest.approx(time / (2 * 1.3), rel=1e-3)  # the grid is 1 ms of 1.8 s


def end_state(system: Any, state: tb.State, duration: float, u: Any = None) -> np.ndarray:
    nq, nv, _ = system.sizes

    def rate(t: float, x: np.ndarray) -> np.ndarray:
        inputs = {name: value(t) for name, value in (u or {}).items()}
        return system.state_rate(x[:nq], x[nq : nq + nv], inputs, t, x[nq + nv :])

    return solve_ivp(rate, (0, duration), state.x, "DOP853", rtol=1e-12, atol=1e-13).y[:, -1]


def test_a_loop_agrees_with_differences_of_runs(slider_crank: Any) -> None:
    def start() -> tb.State:
        return slider_crank.assemble(crank=0.3, rates={"crank": 10.0}, guess={"slider": 0.5})

    torque = {"torque": tb.TimeFunction(lambda t: 0.3 * np.cos(5 * t), knots=[])}
    found = tb.sensitivity(
        slider_crank, start(), 0.5, parameters=["crank radius"], keep=["crank"], inputs=torque
    )
    ends = []
    try:
        for side in (1e-5, -1e-5):
            slider_crank["crank radius"] = 0.1 + side
            ends.append(end_state(slider_crank, start(), 0.5, torque))
    finally:
        slider_crank["crank radius"] = 0.1
    wanted = (ends[0] - ends[1]) / 2e-5
    for name, value in zip(slider_crank.state_names, wanted):
        assert found[name, "crank radius"][-1] == pytest.approx(value, rel=1e-6), name
    closure = found["slider", "crank radius"][0]
    assert closure == pytest.approx(np.cos(0.3) - 0.1 * np.sin(0.3) ** 2 / np.sqrt(
        0.16 - (0.1 * np.sin(0.3)) ** 2), rel=1e-10)  # fmt: skip


def test_quaternions_states_and_two_parameters_agree_with_differences(free_loop: Any) -> None:
    keep = ["ball", "box.vy", "box.vz", "box.wx", "box.wy", "box.wz", "flap"]
    found = tb.sensitivity(
        free_loop, None, 0.4, parameters=["rod", "stiffness"], keep=keep, rtol=1e-9, atol=1e-10
    )
    state = free_loop.assemble()
    h = {"rod": 1e-5, "stiffness": 1e-3}
    for name in ("rod", "stiffness"):
        ends, before = [], free_loop[name]
        try:
            for side in (1, -1):
                free_loop[name] = before + side * h[name]
                shifted = tb.State(state.q.copy(), state.v.copy(), state.z.copy())
                first = [found[q, name][0] for q in free_loop.coordinates]
                shifted.q += side * h[name] * np.array(first)
                ends.append(end_state(free_loop, shifted, 0.4))
        finally:
            free_loop[name] = before
        wanted = (ends[0] - ends[1]) / (2 * h[name])
        for signal, value in zip(free_loop.state_names, wanted):
            # the shifted start closes the rod to second order in the step only
            assert found[signal, name][-1] == pytest.approx(value, rel=1e-4, abs=1e-5), signal


def test_extra_states_alone_have_sensitivities() -> None:
    """ż = −k z: dz/dk = −t exp(−k t)."""
    m = tb.Model("decay")
    k = m.parameter("k", 0.7)
    z = m.state("z", 1.0)
    m.set_rate("z", -k * z)
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("b", mass=1.0))
    found = tb.sensitivity(m.compile(), None, 3.0, parameters=["k"], outputs=["z"])
    assert np.allclose(found["z", "k"], -found.time * np.exp(-0.7 * found.time), atol=1e-8)


def test_sensors_know_the_parameters_in_them(pendulum: Any) -> None:
    found = tb.sensitivity(pendulum, pendulum.assemble(swing=0.5), 1.0, parameters=["length"])
    wanted = -np.cos(found.run["swing"]) * found["swing", "length"]
    assert np.allclose(found["bob.x", "length"], wanted, atol=1e-9)
    assert "bob.x" in str(found)


def test_unknown_names_are_refused(pendulum: Any) -> None:
    with pytest.raises(tb.InputError, match=r"lenght.*length"):
        tb.sensitivity(pendulum, parameters=["lenght"])
    with pytest.raises(tb.InputError, match=r"swimg.*swing"):
        tb.sensitivity(pendulum, parameters=["length"], outputs=["swimg"])


def test_a_derivative_has_two_names(pendulum: Any) -> None:
    found: Any = tb.sensitivity(pendulum, None, 0.1, parameters=["length"], outputs=["swing"])
    with pytest.raises(tb.InputError, match=r"such as \['swing', 'length'\]; got 'swing'"):
        found["swing"]


def test_a_derivative_that_is_no_number_ends_the_run_with_its_instant() -> None:
    """SciPy would shorten its steps for ever: √x x has the slope 0·∞ at 0."""
    m = tb.Model("root")
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("cart", mass=1.0))
    x = m.coordinate("x")
    m.force("f", tb.JointEffort("x", m.parameter("k", 1.0) * tb.sqrt(x) * x))
    with pytest.raises(tb.SolveError, match="aren't finite numbers at t = 0 s; look for a law"):
        tb.sensitivity(m.compile(), duration=0.3, parameters=["k"])
