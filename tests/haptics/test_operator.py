"""The finger: its impedance, its wishes, its grip, and leaving the key."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import touchback as tb
from touchback.errors import InputError
from touchback.haptics.human_operator import Gesture, Operator, intention

M, B, K = 0.02, 3.75, 257.0


def over_a_plate(mass=0.3, height=0.0, **options):
    """A finger over a plate that slides along z, without gravity."""
    m = tb.Model("plate", gravity=(0, 0, 0))
    plate = m.body("plate", mass=mass)
    m.joint("plate", tb.Prismatic("z"), m.ground, plate, **options)
    Operator().add(m, "finger", plate, height)
    return m.compile()


def test_a_finger_in_the_air_goes_where_it_wants_as_its_impedance_says():
    system = over_a_plate(height=1.0)
    run = tb.simulate(system, duration=0.5, inputs={"finger intention": 0.01}, output_step=0.01)
    damping, omega = B / (2 * M), np.sqrt(K / M - (B / (2 * M)) ** 2)
    t = run.time
    decay = np.exp(-damping * t)
    exact = 0.01 * (1 - decay * (np.cos(omega * t) + damping / omega * np.sin(omega * t)))
    np.testing.assert_allclose(run["finger"], exact, atol=1e-8)
    assert np.all(run["finger force"] == 0.0)


def test_a_finger_that_presses_a_spring_settles_where_forces_balance():
    system = over_a_plate(spring=1000.0, damping=20.0)
    run = tb.simulate(system, duration=2.0, inputs={"finger intention": 0.01})
    stiffness = 1 / (1 / K + 1 / 4000.0 + 1 / 1000.0)  # muscle, pad and spring in a row
    assert run["finger force"][-1] == pytest.approx(stiffness * 0.01, rel=1e-6)


def test_a_finger_that_rises_leaves_the_plate_unless_it_grips():
    system = over_a_plate()
    lifted = {"finger intention": -0.02}
    free = tb.simulate(system, duration=0.3, inputs=lifted)
    held = tb.simulate(system, duration=0.3, inputs=lifted, parameters={"finger grip": 1.0})
    assert free["plate"][-1] == 0.0
    assert held["plate"][-1] > 0.01


def test_gravity_does_not_pull_the_finger_down():
    m = tb.Model("still")
    Operator().add(m, "finger", m.ground.at(0, 0, -1.0), 0.0)
    run = tb.simulate(m.compile(), duration=0.2)
    assert np.abs(run["finger"]).max() < 1e-12


def test_the_grip_can_change_while_it_runs():
    system = over_a_plate(height=1.0)
    with tb.live(system, rate=1000, speed=None) as live:
        live["finger bias"] = 1.0
        live.run(1.0)
        soft = live.read("finger")
        live["finger stiffness"] = 2 * K
        live.run(1.0)
        assert soft == pytest.approx(1.0 / K, rel=1e-4)
        assert live.read("finger") == pytest.approx(0.5 / K, rel=1e-4)


def test_the_coupled_plate_moves_as_scipy_says():
    system = over_a_plate(mass=0.1, spring=50.0)
    run = tb.simulate(
        system, duration=0.2, inputs={"finger bias": 0.5}, parameters={"finger grip": 1.0},
        rtol=1e-10, atol=1e-12,
    )  # fmt: skip

    def motion(_, x):
        y, z, w, u = x  # finger down, plate up
        pad = 4000.0 * (y + z) + 4.0 * (w + u)
        return w, u, (0.5 - K * y - B * w - pad) / M, (-50.0 * z - pad) / 0.1

    peer = solve_ivp(motion, (0, 0.2), np.zeros(4), rtol=1e-10, atol=1e-13)
    assert run["plate"][-1] == pytest.approx(peer.y[1, -1], rel=1e-6)


def test_an_intention_has_the_speed_of_its_position_and_ends_where_it_began():
    gestures = [Gesture(0.1, 8e-3), Gesture(0.6, 4e-3, press=0.02)]
    t = np.linspace(0.0, 1.5, 20001)
    position, speed = intention(gestures, t)
    np.testing.assert_allclose(np.gradient(position, t)[1:-1], speed[1:-1], atol=1e-4)
    assert position.max() == pytest.approx(8e-3)
    assert position[-1] == pytest.approx(0.0, abs=1e-15)


def test_a_move_that_takes_no_time_is_refused():
    with pytest.raises(InputError, match="moves take time"):
        Gesture(0.0, 1e-3, press=0.0)


def test_muscles_feel_the_rate_of_what_is_wanted():
    run = tb.simulate(
        over_a_plate(height=1.0), duration=1.0, inputs={"finger intention rate": 0.02}
    )
    assert run["finger"][-1] == pytest.approx(B * 0.02 / K, rel=1e-6)


def test_a_pad_that_lets_go_quickly_never_pulls():
    system = over_a_plate(spring=1000.0, damping=20.0)
    pressed = system.assemble(finger=5e-3, plate=-4e-3, rates={"finger": -2.0})
    run = tb.simulate(system, pressed, 0.02, rtol=1e-9)
    depth = run["finger"] + run["plate"]
    pulled = 4000.0 * depth + 4.0 * (run["finger rate"] + run["plate rate"]) < 0.0
    assert np.any(pulled & (depth > 1e-4))  # a gripping finger would
    assert run["finger force"].min() == 0.0
