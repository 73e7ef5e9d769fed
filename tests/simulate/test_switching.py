"""Constraints switched while a run goes on."""

import numpy as np
import pytest

import touchback as tb
from touchback.errors import InputError

G = 9.81


def falling_ball(active: bool) -> tb.Model:
    """A point mass in the x–z plane and a rod of 1 m from the origin, which may act."""
    m = tb.Model("ball on a rod", gravity=(0, 0, -G))
    ball = m.body("ball", mass=2.0, inertia=(0.01, 0.01, 0.01))
    m.joint("ball", tb.Planar("y"), m.ground, ball)  # z, x, turn
    m.close("rod", tb.Rod(1.0), m.ground, ball, active=active)
    m.sensor("energy", tb.Energy())
    return m


def test_a_pendulum_that_is_let_go_flies_on_a_parabola() -> None:
    system = falling_ball(active=True).compile()
    start = system.assemble(**{"ball.x": 1.0, "ball.z": 0.0})
    run = tb.simulate(
        system, start, 0.6, rtol=1e-10, atol=1e-12, events=[tb.Switch(0.4, deactivate=["rod"])]
    )
    free = run.time > 0.4
    first = np.flatnonzero(free)[0] - 1
    t = run.time[free] - 0.4
    for name, pull in (("ball.x", 0.0), ("ball.z", -G)):
        flight = run[name][first] + run[f"{name} rate"][first] * t + 0.5 * pull * t**2
        np.testing.assert_allclose(run[name][free], flight, atol=1e-9)
    assert np.ptp(run["energy"]) < 1e-7  # letting go costs nothing
    assert (run["rod"][free] == 0.0).all()  # a constraint that rests pulls at nothing
    assert run["rod"][first - 1] < -20.0 or run["rod"][first - 1] > 20.0
    assert run.metadata["switches"][0]["energy lost"] == pytest.approx(0.0, abs=1e-12)
    assert system.active == ("rod",)  # the system is as it was


def test_a_rod_that_catches_a_falling_ball_takes_the_speed_along_it() -> None:
    """The ball falls from (0.6, 0) until it is 1 m away: at z = −0.8, with v = √(2 g 0.8). The rod
    takes the component of v along it, v·0.8: the energy lost is m (0.8 v)²/2."""
    system = falling_ball(active=False).compile()
    start = system.assemble(**{"ball.x": 0.6, "ball.z": 0.0})
    taut = tb.Event("taut", lambda t, x: float(np.hypot(x[0], x[1])) - 1.0, direction=+1)
    run = tb.simulate(
        system, start, 1.0, rtol=1e-10, atol=1e-12, events=[tb.Switch(taut, activate=["rod"])]
    )
    (switch,) = run.metadata["switches"]
    speed = np.sqrt(2 * G * 0.8)
    assert switch["time"] == pytest.approx(speed / G, abs=1e-8)
    assert switch["energy lost"] == pytest.approx(0.5 * 2.0 * (0.8 * speed) ** 2, rel=1e-6)
    caught = run.time > switch["time"]
    np.testing.assert_allclose(np.hypot(run["ball.x"], run["ball.z"])[caught], 1.0, atol=1e-12)
    assert system.active == ()


def test_switching_twice_comes_back_to_the_first_mode_with_fixed_steps() -> None:
    system = falling_ball(active=True).compile()
    start = system.assemble(**{"ball.x": 1.0, "ball.z": 0.0})
    switches = [tb.Switch(0.2, deactivate=["rod"]), tb.Switch(0.2, activate=["rod"])]
    run = tb.simulate(system, start, 0.5, method="rk4", step=1e-3, events=switches)
    plain = tb.simulate(system, start, 0.5, method="rk4", step=1e-3)
    np.testing.assert_allclose(run["ball.z"][-1], plain["ball.z"][-1], atol=1e-9)


def test_a_switch_sees_the_inputs_of_its_instant() -> None:
    """A crank follows a port and carries another by a gear, which lets go on the way."""
    m = tb.Model("geared cranks", gravity=(0, 0, 0))
    for name in ("first", "second"):
        m.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1))
        m.joint(name, tb.Revolute("y"), m.ground, name)
    turn, speed = m.input("turn"), m.input("speed")
    m.drive("first", turn, velocity=speed, acceleration=0.0, name="motor")
    m.couple("gear", tb.Gear("first", "second", ratio=1.0))
    system = m.compile()
    x0 = system.assemble(inputs={"turn": 0.5, "speed": 2.0})
    np.testing.assert_allclose(x0.x, [0.5, 0.5, 2.0, 2.0])
    run = tb.simulate(
        system, x0, 1.0, inputs={"turn": lambda t: 0.5 + 2.0 * t, "speed": 2.0},
        events=[tb.Switch(0.25, deactivate=["gear"]), tb.Switch(0.5, activate=["gear"])],
    )  # fmt: skip
    np.testing.assert_allclose(run["second"], 0.5 + 2.0 * run.time, atol=1e-9)
    assert [each["energy lost"] for each in run.metadata["switches"]] == pytest.approx([0.0, 0.0])


def test_a_switch_sees_the_parameters_of_the_run() -> None:
    m = falling_ball(active=True)
    length = m.parameter("length", 1.0)
    m.close("string", tb.Rod(length), m.ground, "ball", active=False)
    system = m.compile()
    start = system.assemble(**{"ball.x": 1.0, "ball.z": 0.0})
    run = tb.simulate(
        system, start, 0.4, parameters={"length": 1.0 + 1e-9},
        events=[tb.Switch(0.2, activate=["string"], deactivate=["rod"])],
    )  # fmt: skip
    assert np.hypot(run["ball.x"], run["ball.z"])[-1] == pytest.approx(1.0 + 1e-9, abs=1e-12)
    assert run.metadata["switches"][0]["energy lost"] == pytest.approx(0.0, abs=1e-6)
    assert system["length"] == 1.0


def test_statistics_and_remarks_are_those_of_all_modes() -> None:
    """Without stabilisation the rod drifts after it has been caught, not before."""
    system = falling_ball(active=False).compile()
    start = system.assemble(**{"ball.x": 1.0, "ball.z": 0.0})
    run = tb.simulate(
        system, start, 2.0, constraints="multipliers", method="rk4", step=0.005,
        events=[tb.Switch(0.0, activate=["rod"]), tb.Switch(1.9, deactivate=["rod"])],
    )  # fmt: skip
    assert run.metadata["statistics"]["largest_h"] > 1e-9
    assert run.metadata["statistics"]["steps"] == 400


def test_a_coupling_may_wait_to_be_switched_on() -> None:
    m = tb.Model("gears")
    for name in ("small", "large"):
        m.body(name, mass=1.0, inertia=(0.01, 0.01, 0.01))
        m.joint(name, tb.Revolute("y"), m.ground, name)
    m.couple("teeth", tb.Gear("small", "large", ratio=-0.5), active=False)
    system = m.compile()
    assert system.active == ()
    system.activate("teeth")
    assert system.assemble(rates={"small": 4.0}).v[1] == -2.0


def test_a_run_can_start_later_than_zero() -> None:
    """z = ∫ cos t dt from t = 1."""
    m = tb.Model("clock")
    m.state("level", float(np.sin(1.0)), rate=tb.cos(m.time))
    system = m.compile()
    for method in ("dopri5", "rk4", "radau5", "DOP853"):
        run = tb.simulate(system, duration=2.0, start=1.0, method=method, rtol=1e-10, atol=1e-12)
        assert run.time[0] == 1.0 and run.time[-1] == pytest.approx(3.0, abs=1e-12)
        np.testing.assert_allclose(run["level"], np.sin(run.time), atol=1e-8)


def test_a_system_without_constraints_has_nothing_to_switch() -> None:
    m = tb.Model("pendulum")
    m.joint("pivot", tb.Revolute("y"), m.ground, m.body("bob", mass=1.0, com=(0, 0, -1)))
    with pytest.raises(InputError, match="no constraints to switch"):
        tb.simulate(m.compile(), duration=1.0, events=[tb.Switch(0.5, activate=["rod"])])
