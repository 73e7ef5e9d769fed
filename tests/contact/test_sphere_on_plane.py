"""Soft spheres on planes: indentation, bounces, friction and rolling, against closed forms."""

from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

import touchback as tb

G = 9.81


def dropped(mass: float = 2.0, gravity: float = 0.0, speed: float = 0.0, **law: object) -> tb.Model:
    """A ball that moves along z only, touching at z = 0."""
    m = tb.Model("ball", gravity=(0, 0, -gravity))
    ball = m.body("ball", mass)
    m.joint("z", tb.Prismatic("z"), m.ground, ball, velocity=-speed)
    m.force("floor", tb.contact.SphereOnPlane(ball, m.ground, **law))
    return m


def rebound(model: tb.Model, speed: float) -> float:
    """Restitution: speed of leaving over speed of coming."""
    leaves = tb.Event("leaves", model.coordinate("z"), direction=1, terminal=True)
    run = tb.simulate(
        model.compile(), duration=1.0, rtol=1e-11, atol=1e-14, events=[leaves], progress=False
    )
    return float(run["z rate"][-1]) / speed


@pytest.mark.parametrize("law", ["hunt-crossley", "spring-damper"])
def test_a_ball_at_rest_sinks_in_as_deep_as_hertz_says(law: str) -> None:
    """K d^(3/2) = m g."""
    K, m = 4e6, 2.0
    system = dropped(m, G, stiffness=K, law=law).compile()
    depth = (m * G / K) ** (2 / 3)
    assert system.forward_dynamics([-depth], [0.0])[0] == pytest.approx(0.0, abs=1e-12 * G)
    assert system.energy([-depth], [0.0])[1] == pytest.approx(
        2 / 5 * K * depth**2.5 - m * G * depth, rel=1e-12
    )


def test_nothing_pushes_or_pulls_in_the_air_and_no_law_pulls() -> None:
    for law in ("hunt-crossley", "spring-damper"):
        system = dropped(stiffness=1e4, damping=50.0, law=law).compile()
        assert system.forward_dynamics([1e-3], [-1.0])[0] == 0.0
        assert system.forward_dynamics([-1e-6], [5.0])[0] == 0.0  # torn out: the law alone would


@pytest.mark.parametrize("damping", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_hunt_and_crossleys_restitution_is_the_root_of_its_energy_balance(
    damping: float, exponent: float
) -> None:
    """m v dv/dd = −K dⁿ (1 + β v), β = 3/2 c: both halves of the impact share ∫ K dⁿ dd, hence
    β v − ln(1 + β v) = −β e v − ln(1 − β e v), whatever m, K and n."""
    speed = 0.8
    b = 1.5 * damping * speed

    def balance(e: float) -> float:
        return (b - np.log1p(b)) - (-b * e - np.log1p(-b * e))

    exact = brentq(balance, 1e-6, min(1.0, (1 - 1e-9) / b), xtol=1e-15)
    m = dropped(speed=speed, stiffness=1e6, damping=damping, exponent=exponent)
    found = rebound(m, speed)
    assert found == pytest.approx(exact, abs=1e-7)
    assert abs(found - (1 - damping * speed)) <= (damping * speed) ** 2  # e = 1 − c v + (c v)² − …


def test_a_spring_damper_lets_go_where_its_force_ends() -> None:
    """A damped oscillator from d = 0 until d̈ = 0."""
    mass, K, c, speed = 2.0, 1e5, 120.0, 0.5
    m = dropped(mass, speed=speed, stiffness=K, damping=c, exponent=1.0, law="spring-damper")
    w, zeta = np.sqrt(K / mass), c / (2 * np.sqrt(K * mass))
    wd = w * np.sqrt(1 - zeta**2)

    def rate(t: float) -> float:
        return speed * np.exp(-zeta * w * t) * (np.cos(wd * t) - zeta * w / wd * np.sin(wd * t))

    def depth(t: float) -> float:
        return speed / wd * np.exp(-zeta * w * t) * np.sin(wd * t)

    end = brentq(lambda t: K * depth(t) + c * rate(t), 0.5 * np.pi / wd, np.pi / wd, xtol=1e-15)
    assert rebound(m, speed) == pytest.approx(-rate(end) / speed, abs=1e-7)


def rolling_ball(m: tb.Model, spin: bool, speed: float, mu: float, radius: float) -> None:
    """A ball at its resting depth in the x-z plane, thrown along x without spin."""
    mass, K = 1.5, 1e6
    depth = (mass * G / K) ** (2 / 3)
    moment = 0.4 * mass * radius**2
    ball = m.body("ball", mass, inertia=(moment,) * 3)
    cart, lift = m.body("cart"), m.body("lift")
    m.joint("x", tb.Prismatic("x"), m.ground, cart, velocity=speed)
    m.joint("z", tb.Prismatic("z"), cart, lift, position=radius - depth)
    m.joint("spin", tb.Revolute("y") if spin else tb.Fixed(), lift, ball)
    m.force(
        "floor",
        tb.contact.SphereOnPlane(
            ball, m.ground, radius, K, damping=0.2, friction=mu, slip_speed=1e-5 * speed
        ),
    )


def test_a_sliding_block_slows_down_by_mu_g() -> None:
    m = tb.Model("block", gravity=(0, 0, -G))
    rolling_ball(m, spin=False, speed=3.0, mu=0.4, radius=0.1)
    run = tb.simulate(m.compile(), duration=0.6, rtol=1e-9, progress=False)
    exact = 3.0 - 0.4 * G * run.time
    # u/√(u² + u₀²) differs from 1 by (u₀/u)²/2 < 1e-9 while u > 0.2 u(0)
    np.testing.assert_allclose(run["x rate"], exact, atol=1e-7)


def test_a_sliding_ball_ends_up_rolling_at_five_sevenths() -> None:
    """Angular momentum about the line of contact: v = 5/7 v₀ from t = 2 v₀/(7 μ g) on."""
    speed, mu, radius = 2.0, 0.3, 0.05
    m = tb.Model("ball", gravity=(0, 0, -G))
    rolling_ball(m, spin=True, speed=speed, mu=mu, radius=radius)
    onset = 2 * speed / (7 * mu * G)
    run = tb.simulate(m.compile(), duration=1.5 * onset, rtol=1e-9, method="radau5", progress=False)
    sliding = run.time < 0.99 * onset
    np.testing.assert_allclose(run["x rate"][sliding], (speed - mu * G * run.time)[sliding], 1e-6)
    rolling = run.time > 1.02 * onset
    np.testing.assert_allclose(run["x rate"][rolling], 5 / 7 * speed, rtol=1e-6)
    np.testing.assert_allclose(run["spin rate"][rolling] * radius, 5 / 7 * speed, rtol=1e-6)


def test_ball_and_plane_push_each_other_alike() -> None:
    """Linear and angular momentum of two floating bodies stay, whatever the law does."""
    m = tb.Model("two", gravity=(0, 0, 0))
    ball = m.body("ball", 1.0, inertia=(0.01, 0.02, 0.015))
    table = m.body("table", 3.0, inertia=(0.2, 0.1, 0.25))
    m.joint("ball", tb.Free(), m.ground, ball)
    m.joint("table", tb.Free(), m.ground, table)
    plane = table.at(0.1, 0.2, 0.3, turn=[("x", 0.4), ("y", -0.2)])
    m.force(
        "touch",
        tb.contact.SphereOnPlane(ball.at(0.05, 0, 0.02), plane, 3.0, damping=0.5, friction=0.6),
    )
    system = m.compile()
    rng = np.random.default_rng(5)
    q, v = system.initial_state().q, rng.normal(size=12)
    q[:3] = 0.1, -0.1, 0.5
    rate = system.state_rate(q, v)
    nq, h = len(q), 1e-6
    assert np.abs(system.forward_dynamics(q, v)).max() > 1e3  # it does push
    later = system.momentum(q + h * rate[:nq], v + h * rate[nq:])
    before = system.momentum(q - h * rate[:nq], v - h * rate[nq:])
    size = np.abs(system.mass_matrix(q) @ rate[nq:]).max()
    np.testing.assert_allclose((later - before) / (2 * h), 0.0, atol=1e-8 * size)


def test_a_file_keeps_it(tmp_path: Path) -> None:
    m = dropped(stiffness=3e4, damping=0.1, law="spring-damper")
    m.save(tmp_path / "ball.yaml")
    again = tb.read(tmp_path / "ball.yaml")
    assert again.forces == m.forces


def test_an_unknown_law_and_a_slip_speed_of_zero_are_refused() -> None:
    with pytest.raises(tb.ModelError, match="did you mean 'hunt-crossley'"):
        dropped(law="hunt crossley")
    with pytest.raises(tb.ModelError, match="slip_speed is 0"):
        dropped(slip_speed=0)
