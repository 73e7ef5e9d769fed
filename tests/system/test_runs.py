"""Runs of named mechanisms: energy kept, orders of convergence measured."""

import numpy as np
import pytest

import touchback as tb

G = 9.81


def pendulum() -> tb.Model:
    m = tb.Model("pendulum", gravity=(0, 0, -G))
    bob = m.body("bob", 1.3, inertia=(0.01, 0.02, 0.03))
    m.joint("swing", tb.Revolute("y"), m.ground, bob.at(0, 0, 0.7), position=(2.0,))
    return m


def double_pendulum() -> tb.Model:
    m = tb.Model("double pendulum", gravity=(0, 0, -G))
    one = m.body("one", 1.0, (0, 0, -0.25), (0.02, 0.02, 0.001))
    two = m.body("two", 0.7, (0, 0, -0.2), (0.01, 0.01, 0.001))
    m.joint("first", tb.Revolute("y"), m.ground, one, position=(1.0,))
    m.joint("second", tb.Revolute("y"), one.at(0, 0, -0.5), two, position=(0.5,))
    return m


def arm() -> tb.Model:
    """Seven joints in space, axes alternating, as in many robots."""
    m = tb.Model("arm", gravity=(0, 0, -G))
    above: object = m.ground
    for i in range(7):
        link = m.body(f"link {i}", 2.0 - 0.2 * i, (0.02, 0.03, 0.1), (0.03, 0.02, 0.015))
        m.joint(f"joint {i}", tb.Revolute("z" if i % 2 == 0 else "y"), above, link,
                position=(0.3 + 0.1 * i,))  # fmt: skip
        above = link.at(0, 0.05 * (i % 2), 0.2)
    return m


def gyroscope() -> tb.Model:
    m = tb.Model("gyroscope", gravity=(0, 0, 0))
    rotor = m.body("rotor", 0.8, (0.01, 0.02, 0.03), (0.002, 0.0015, 0.003))
    m.joint("free", tb.Free(), m.ground, rotor, velocity=(0.1, 0.2, 0.3, 0.5, 1.0, 20.0))
    return m


@pytest.mark.parametrize("make", [pendulum, double_pendulum, arm, gyroscope])
def test_energy_is_kept_over_ten_seconds(make: object) -> None:
    model = make()  # type: ignore[operator]
    model.sensor("energy", tb.Energy())
    model.sensor("kinetic", tb.Energy("kinetic"))
    run = tb.simulate(model.compile(), duration=10.0, rtol=1e-13, atol=1e-14, progress=False)
    size = np.abs(run["kinetic"]).max()
    assert np.ptp(run["energy"]) <= 1e-10 * size


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("euler", 1)])
def test_fixed_steps_converge_with_their_order_on_a_mechanism(method: str, order: int) -> None:
    system = double_pendulum().compile()
    exact = tb.simulate(system, duration=0.5, rtol=1e-13, atol=1e-14, progress=False)["second"][-1]
    errors = []
    for step in (0.01, 0.005, 0.0025):
        run = tb.simulate(system, duration=0.5, method=method, step=step, progress=False)
        errors.append(abs(run["second"][-1] - exact))
    measured = np.log2(np.array(errors[:-1]) / errors[1:])
    np.testing.assert_allclose(measured, order, atol=0.25)


def test_tightening_the_tolerance_tightens_the_result() -> None:
    system = arm().compile()
    exact = tb.simulate(system, duration=2.0, rtol=1e-13, atol=1e-14, progress=False)
    errors = []
    for rtol in (1e-5, 1e-7, 1e-9):
        run = tb.simulate(system, duration=2.0, rtol=rtol, atol=rtol / 100, progress=False)
        errors.append(abs(run["joint 6"][-1] - exact["joint 6"][-1]))
    assert errors[0] > 10 * errors[1] > 100 * errors[2]


def test_quaternions_that_drift_off_unit_length_change_nothing() -> None:
    system = gyroscope().compile()
    start = system.initial_state()
    longer = system.initial_state()
    longer.q[3:] *= 1.7
    one = tb.simulate(system, start, duration=1.0, rtol=1e-11, atol=1e-12, progress=False)
    two = tb.simulate(system, longer, duration=1.0, rtol=1e-11, atol=1e-12, progress=False)
    for name in ("free.x", "free.vx", "free.wy"):
        np.testing.assert_allclose(one[name], two[name], atol=1e-8)
