"""The variational midpoint rule: energy over a long time, momenta, order, and what it refuses."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import touchback as tb

G = 9.81
START = np.array([1.5, 2.0])  # angles of the bars from the vertical


@pytest.fixture(scope="module")
def pendulum() -> tb.System:
    """Two uniform bars of 1 m and 1 kg, the second hinged to the end of the first: chaotic here."""
    m = tb.Model("double pendulum", gravity=(0, 0, -G))
    upper, lower = (
        m.body(name, 1.0, com=(0, 0, -0.5), inertia=(1 / 12, 1 / 12, 1e-3)) for name in ("a", "b")
    )
    m.joint("first", tb.Revolute("y"), m.ground, upper, position=START[0])
    m.joint("second", tb.Revolute("y"), upper.at(0, 0, -1), lower, position=START[1] - START[0])
    m.sensor("energy", tb.Energy())
    return m.compile()


def hamilton(x: np.ndarray) -> np.ndarray:
    """d/dt of [θ₁, θ₂, p₁, p₂] by Hamilton's equations, with T = ½ (4/3 θ₁'² + 1/3 θ₂'² +
    θ₁' θ₂' cos(θ₁ − θ₂)) and V = −g (3/2 cos θ₁ + ½ cos θ₂)."""
    angles, p = x[:2], x[2:]
    c, s = np.cos(angles[0] - angles[1]), np.sin(angles[0] - angles[1])
    v = np.linalg.solve([[4 / 3, c / 2], [c / 2, 1 / 3]], p)
    turn = -0.5 * s * v[0] * v[1]
    pull = -G * np.array([1.5, 0.5]) * np.sin(angles)
    return np.concatenate([v, pull + [turn, -turn]])


def test_energy_does_not_drift_in_1000_seconds(pendulum: tb.System) -> None:
    """It goes to and fro by O(h²) about the energy at the start: in the last tenth as in the first;
    semi-implicit Euler, which is symplectic for constant masses only, has lost nearly all of it."""
    swings = {}
    for step, duration in ((1e-2, 1000.0), (5e-3, 200.0)):
        run = tb.simulate(
            pendulum, duration=duration, method="variational", step=step, output_step=0.1
        )
        change = run["energy"] - run["energy"][0]
        means = [part.mean() for part in np.array_split(change, 10)]
        assert np.abs(means).max() < 30 * step**2
        swings[step] = np.abs(change).max()
    assert swings[5e-3] < 0.4 * swings[1e-2] < 0.1
    euler = tb.simulate(pendulum, duration=200.0, method="euler", step=5e-3, output_step=1.0)
    assert euler["energy"][-1] - euler["energy"][0] < -10.0  # of the 20.6 J above the lowest place


def test_steps_are_those_of_the_midpoint_rule_for_hamiltons_equations(pendulum: tb.System) -> None:
    """Written here for angles from the vertical and their momenta: it commutes with linear changes
    of coordinates."""
    step, x = 5e-3, np.concatenate([START, [0.0, 0.0]])
    run = tb.simulate(pendulum, duration=0.5, method="variational", step=step)
    for row in range(1, len(run.time)):
        after = x + step * hamilton(x)
        for _ in range(25):
            after = x + step * hamilton(0.5 * (x + after))
        x = after
        found = [run["first"][row], run["first"][row] + run["second"][row]]
        np.testing.assert_allclose(found, x[:2], atol=1e-11)


def test_it_is_of_second_order(pendulum: tb.System) -> None:
    exact = solve_ivp(
        lambda t, x: hamilton(x), (0.0, 1.0), [*START, 0.0, 0.0], "DOP853", rtol=1e-12, atol=1e-13
    ).y[:2, -1]
    errors = []
    for step in (1e-2, 5e-3, 2.5e-3):
        run = tb.simulate(pendulum, duration=1.0, method="variational", step=step)
        errors.append(
            np.abs([run["first"][-1] - exact[0], run["second"][-1] + exact[0] - exact[1]])
        )
    np.testing.assert_allclose(errors[0] / errors[1], 4.0, rtol=0.05)
    np.testing.assert_allclose(errors[1] / errors[2], 4.0, rtol=0.02)


def test_a_momentum_that_no_force_changes_is_kept_to_rounding() -> None:
    """Two bars on a hinge at the ground's origin without gravity: M(q) v of the first angle."""
    m = tb.Model("chain", gravity=(0, 0, 0))
    upper, lower = (m.body(name, 1.0, com=(0.5, 0, 0), inertia=(0.1,) * 3) for name in ("a", "b"))
    m.joint("first", tb.Revolute("z"), m.ground, upper, velocity=2.0)
    m.joint("second", tb.Revolute("z"), upper.at(1, 0, 0), lower, position=1.0, velocity=-3.0)
    system = m.compile()
    run = tb.simulate(system, duration=20.0, method="variational", step=1e-2)
    momenta = [
        (system.mass_matrix([a, b]) @ [va, vb])[0]
        for a, b, va, vb in zip(
            run["first"], run["second"], run["first rate"], run["second rate"], strict=True
        )
    ]
    assert np.ptp(momenta) < 1e-12 * abs(momenta[0]) * len(momenta)


def test_bodies_with_quaternions_keep_their_energy_too() -> None:
    """An unsymmetric body on a ball joint that carries a pendulum: M depends on the attitude of
    neither, but on the pendulum's angle. Lengths of quaternions stay 1."""
    m = tb.Model("top", gravity=(0, 0, -G))
    top = m.body("top", 1.0, com=(0.1, 0, -0.5), inertia=(0.1, 0.2, 0.25))
    bob = m.body("bob", 0.4, com=(0.2, 0, -0.2), inertia=(0.01, 0.02, 0.025))
    m.joint("ball", tb.Spherical(), m.ground, top)
    m.joint("hinge", tb.Revolute("x"), top.at(0.2, 0, -0.3), bob, position=0.5)
    m.sensor("energy", tb.Energy())
    system = m.compile()
    start = system.initial_state()
    start.v[:] = 1.0, -0.5, 2.0, -1.0
    run = tb.simulate(system, start, 300.0, method="variational", step=1e-2, output_step=0.1)
    means = [part.mean() - run["energy"][0] for part in np.array_split(run["energy"], 6)]
    assert np.ptp(means) < 2e-4 and np.ptp(run["energy"]) < 2e-3
    lengths = sum(run[name] ** 2 for name in system.coordinates if name.startswith("ball"))
    np.testing.assert_allclose(lengths, 1.0, atol=1e-12)


def test_forces_inputs_events_and_further_states_count() -> None:
    """A driven and damped pendulum with a state that follows it, against the adaptive method; its
    energy balance closes to the order of the step: (h ω)² is 6e-5."""
    m = tb.Model("driven")
    bob = m.body("bob", 1.0, com=(0, 0, -0.7), inertia=(0.01,) * 3)
    m.joint("angle", tb.Revolute("y"), m.ground, bob, position=0.8, damping=0.2)
    push = m.input("push", unit="N m")
    m.force("push", tb.JointEffort("angle", push))
    m.state("lag", 0.5, rate=m.coordinate("angle") - 0.3 * m.rate("angle"))
    system = m.compile()
    given = {"inputs": {"push": lambda t: np.sin(3 * t)}}
    down = tb.Event("down", m.coordinate("angle"), direction=-1)
    exact = tb.simulate(system, duration=3.0, events=[down], rtol=1e-10, step=0.01, **given)
    run = tb.simulate(
        system,
        duration=3.0,
        method="variational",
        step=2e-3,
        events=[down],
        energy_balance=True,
        **given,
    )
    for name in ("angle", "angle rate", "lag"):
        assert run[name][-1] == pytest.approx(exact[name][-1], abs=1e-4)
    assert run.events[0].time == pytest.approx(exact.events[0].time, abs=1e-5)
    assert abs(run.energy_balance.residual) < 1e-4


def test_what_it_can_t_run_is_refused_with_what_can(pendulum: tb.System) -> None:
    m = tb.Model("loop")
    m.joint("swing", tb.Planar("y"), m.ground, m.body("bob", 1.0, inertia=(0.1,) * 3))
    m.close("rod", tb.Rod(1.0), m.ground, tb.Frame("bob"))
    with pytest.raises(tb.InputError, match=r"'variational' knows nothing of its constraints 'rod"):
        tb.simulate(m.compile(), duration=0.1, method="variational")
    with pytest.raises(tb.InputError, match="can't run against a clock"):
        tb.live(pendulum, rate=100, method="variational")
