"""Efforts found for a motion produce that motion, and carry the power that it takes."""

from typing import Any

import numpy as np
import pytest

import touchback as tb

TIMES = np.linspace(0.0, 1.0, 201)
MOTION = {"crank": lambda t: 0.3 + 4.0 * t + tb.sin(5.0 * t)}


def rows(run: tb.Run, names: Any) -> np.ndarray:
    return np.array([run[name] for name in names]).T


@pytest.fixture(scope="module")
def cranked(slider_crank: Any) -> tb.Run:
    return tb.inverse_dynamics(slider_crank, MOTION, TIMES, ["torque"], {"slider": 0.5})


def test_the_efforts_produce_the_motion(slider_crank: Any, cranked: tb.Run) -> None:
    names = slider_crank.state_names
    for i in range(0, len(TIMES), 20):
        q, v = rows(cranked, names[:3])[i], rows(cranked, names[3:])[i]
        u = {"torque": cranked["torque"][i]}
        a = slider_crank.forward_dynamics(q, v, u=u)
        wanted = rows(cranked, [f"{name} acceleration" for name in slider_crank.velocities])[i]
        assert np.allclose(a, wanted, rtol=1e-9, atol=1e-9)
        for name, multiplier in slider_crank.multipliers(q, v, u=u).items():
            assert cranked[f"{name} multiplier"][i] == pytest.approx(multiplier, abs=1e-9)


def test_the_power_of_the_motor_is_the_rate_of_energy(cranked: tb.Run) -> None:
    power = cranked["torque"] * cranked["crank rate"]
    rate = np.gradient(cranked["energy"], TIMES, edge_order=2)
    # central differences over 5 ms: (0.005 · 25)² / 6 of the power's own size
    assert np.allclose(power[1:-1], rate[1:-1], atol=3e-3 * np.abs(power).max())


def test_coordinates_and_inputs_may_be_actuators(slider_crank: Any, cranked: tb.Run) -> None:
    own = tb.inverse_dynamics(slider_crank, MOTION, TIMES, guess={"slider": 0.5})
    assert np.allclose(own["crank effort"], cranked["torque"], atol=1e-11)


def test_another_actuator_gives_the_same_power(slider_crank: Any, cranked: tb.Run) -> None:
    other = tb.inverse_dynamics(slider_crank, MOTION, TIMES, ["slider"], {"slider": 0.5})
    powers = (
        other["slider effort"] * other["slider rate"],
        cranked["torque"] * cranked["crank rate"],
    )
    assert np.allclose(*powers, atol=1e-9)


def test_more_actuators_than_freedoms_share_with_least_norm(
    slider_crank: Any, cranked: tb.Run
) -> None:
    """e = g (g·e₁)/|g|² where g are the speeds of the actuators per speed of the crank."""
    both = tb.inverse_dynamics(slider_crank, MOTION, TIMES, ["torque", "gas"], {"slider": 0.5})
    ratio = both["slider rate"] / both["crank rate"]
    assert np.allclose(both["torque"], cranked["torque"] / (1 + ratio**2), atol=1e-9)
    assert np.allclose(both["gas"], cranked["torque"] * ratio / (1 + ratio**2), atol=1e-9)
    assert both.metadata["largest residual"] < 1e-9


def test_fewer_actuators_leave_a_residual(cart_pole: Any) -> None:
    motion = {"cart": tb.Sine(0.3), "pole": tb.Sine(0.2)}
    run = tb.inverse_dynamics(cart_pole, motion, TIMES, ["push"])
    full = cart_pole.inverse_dynamics
    for i in (0, 50, 120):
        q, v = rows(run, ["cart", "pole"])[i], rows(run, ["cart rate", "pole rate"])[i]
        a = rows(run, ["cart acceleration", "pole acceleration"])[i]
        tau = full(q, v, a)
        assert run["push"][i] == pytest.approx(tau[0], abs=1e-10)
        assert run["pole residual"][i] == pytest.approx(tau[1], abs=1e-10)
        assert run["cart residual"][i] == pytest.approx(0.0, abs=1e-10)


def test_springs_of_the_model_help() -> None:
    m = tb.Model("spring")
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("b", mass=2.0), spring=8.0, damping=0.5)
    run = tb.inverse_dynamics(m.compile(), {"x": lambda t: tb.sin(2.0 * t)}, TIMES)
    wanted = 0.5 * 2.0 * np.cos(2.0 * TIMES)  # at resonance only the damper is left
    assert np.allclose(run["x effort"], wanted, atol=1e-12)


def test_an_input_that_acts_nonlinearly_is_found() -> None:
    m = tb.Model("cube")
    m.joint("x", tb.Prismatic("x"), m.ground, m.body("b", mass=2.0))
    u = m.input("u")
    m.force("motor", tb.JointEffort("x", u + u * u * u))
    run = tb.inverse_dynamics(m.compile(), {"x": lambda t: tb.sin(2.0 * t)}, TIMES, ["u"])
    assert np.allclose(run["u"] + run["u"] ** 3, -8.0 * np.sin(2.0 * TIMES), atol=1e-9)


def test_the_effort_of_a_drive_is_its_multiplier(slider_crank: Any, cranked: tb.Run) -> None:
    from touchback.model import Model

    m: Model = slider_crank_with_drive()
    run = tb.inverse_dynamics(m.compile(), {}, TIMES, [], {"slider": 0.5})
    assert np.allclose(run["crank multiplier"], cranked["torque"], atol=1e-9)


def slider_crank_with_drive() -> Any:
    m = tb.Model("driven slider-crank")
    crank = m.body("crank", mass=1.0, com=(0.05, 0, 0), inertia=(1e-4, 8e-4, 8e-4))
    rod = m.body("rod", mass=0.5, com=(0.2, 0, 0), inertia=(1e-4, 7e-3, 7e-3))
    slider = m.body("slider", mass=0.8)
    m.joint("crank", tb.Revolute("y"), m.ground, crank, position=0.3)
    m.joint("rod", tb.Revolute("y"), crank.at(0.1, 0, 0), rod)
    m.joint("slider", tb.Prismatic("x"), m.ground, slider)
    m.close("pin", tb.PointInPlane("xz"), rod.at(0.4, 0, 0), slider)
    m.drive("crank", lambda t: 0.3 + 4.0 * t + tb.sin(5.0 * t))
    return m


def test_an_unknown_actuator_is_refused(slider_crank: Any) -> None:
    with pytest.raises(tb.InputError, match=r"torqe.*torque"):
        tb.inverse_dynamics(slider_crank, MOTION, TIMES, ["torqe"], {"slider": 0.5})
