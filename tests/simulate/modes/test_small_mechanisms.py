"""Small mechanisms with modes, each against its closed form, with balanced books."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import touchback as tb
from models_with_modes import G, bouncing_ball, pegged_pendulum
from touchback.native import ImpactData

METHODS = ("dopri5", "radau5", "rk4")


def run_of(model: tb.Model, duration: float, method: str, **more: object) -> tb.Run:
    """A tight run whose books balance."""
    step = 1e-3 if method == "rk4" else None
    run = tb.simulate(
        model.compile(), None, duration, method=method, step=step, rtol=1e-10, atol=1e-12,
        energy_balance=True, **more,
    )  # fmt: skip
    assert abs(run.energy_balance.residual) < 1e-8
    return run


def times(run: tb.Run, cause: str = "") -> list[float]:
    return [each.time for each in run.transitions if cause in each.cause]


@pytest.mark.parametrize("method", METHODS)
def test_a_follower_leaves_its_cam_where_the_cam_falls_faster_than_it(method: str) -> None:
    """A ω² sin ω t = g; it lands where its parabola meets the sine again."""
    amplitude, omega = 0.02, 30.0
    m = tb.Model("cam", gravity=(0, 0, -G))
    m.joint("follower", tb.Prismatic("z"), m.ground, m.body("follower", mass=0.5))
    gap = m.coordinate("follower") - amplitude * tb.sin(omega * m.time)
    m.constrain("ride", gap)
    press = m.sensor("press", tb.Multiplier("ride"))
    m.mode("riding", active=["ride"])
    m.mode("flying")
    m.transition("lifts", "riding", "flying", when=press)
    m.transition("lands", "flying", "riding", when=gap)
    run = run_of(m, 0.2, method)
    off = np.arcsin(G / (amplitude * omega**2)) / omega
    z, v = amplitude * np.sin(omega * off), amplitude * omega * np.cos(omega * off)

    def above(t: float) -> float:
        return float(z + v * (t - off) - G / 2 * (t - off) ** 2 - amplitude * np.sin(omega * t))

    np.testing.assert_allclose(times(run), [off, brentq(above, off + 0.05, 0.2)], atol=1e-10)


@pytest.mark.parametrize("method", METHODS)
def test_a_rope_that_goes_taut_takes_the_speed_along_it(method: str) -> None:
    """From 0.6 m beside the pivot a stone falls 0.8 m to the end of 1 m: ½ (0.8 v)² is lost."""
    m = tb.Model("rope", gravity=(0, 0, -G))
    stone = m.body("stone", mass=1.0, inertia=(1e-3, 1e-3, 1e-3))
    m.joint("stone", tb.Planar("y"), m.ground, stone, position=(0.0, 0.6, 0.0))
    m.constrain("upright", m.coordinate("stone", 2))
    m.close("rope", tb.Rod(1.0), m.ground, stone)
    pull = -m.sensor("pull", tb.Multiplier("rope"))
    z, x = m.coordinate("stone", 0), m.coordinate("stone", 1)
    m.mode("slack")
    m.mode("taut", active=["rope"])
    m.transition("jerk", "slack", "taut", when=1.0 - z * z - x * x)
    m.transition("slacken", "taut", "slack", when=pull)
    run = run_of(m, 1.5, method)
    assert times(run) == pytest.approx([np.sqrt(1.6 / G)], abs=1e-11)
    assert run.energy_balance.impacts["jerk"] == pytest.approx(0.5 * 0.64 * 2 * G * 0.8, rel=1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_a_bead_leaves_its_loop_where_it_no_longer_presses(method: str) -> None:
    """cos θ = −(v²/(g R) − 2)/3 above the middle; the time to there is a quadrature."""
    radius, speed = 0.5, 4.0
    m = tb.Model("loop", gravity=(0, 0, -G))
    bead = m.body("bead", mass=0.3, inertia=(1e-3, 1e-3, 1e-3))
    m.joint(
        "bead", tb.Planar("y"), m.ground, bead, position=(-radius, 0, 0), velocity=(0, speed, 0)
    )
    m.constrain("upright", m.coordinate("bead", 2))
    m.close("track", tb.Rod(radius), m.ground, bead)
    press = -m.sensor("press", tb.Multiplier("track"))
    m.mode("on", active=["track"])
    m.mode("off")
    m.transition("leaves", "on", "off", when=press)
    run = run_of(m, 0.5, method)
    angle = np.arccos(-(speed**2 / (G * radius) - 2.0) / 3.0)
    height = 2.0 * G * radius
    due, _ = quad(lambda a: radius / np.sqrt(speed**2 - height * (1 - np.cos(a))), 0, angle)
    assert times(run) == pytest.approx([due], abs=1e-9)
    assert run.transitions[0].energy == 0.0


@pytest.mark.parametrize("method", METHODS)
def test_a_ball_bounces_down_the_stairs(method: str) -> None:
    """Parabolas from step to step, e = 0.8, at 0.5 m/s along."""
    e, rise, tread, steps, speed = 0.8, 0.2, 0.3, 6, 0.5
    m = tb.Model("stairs", gravity=(0, 0, -G))
    ball = m.body("ball", mass=0.1, inertia=(1e-5, 1e-5, 1e-5))
    m.joint("ball", tb.Planar("y"), m.ground, ball, position=(0.1, 0.05, 0), velocity=(0, speed, 0))
    m.constrain("upright", m.coordinate("ball", 2))
    z, x = m.coordinate("ball", 0), m.coordinate("ball", 1)
    for i in range(steps):
        m.constrain(f"step {i}", z + i * rise)
        m.mode(f"over {i}")
    for i in range(steps):
        m.transition(
            f"bounce {i}", f"over {i}", None, when=z + i * rise, impact=[f"step {i}"], restitution=e
        )
    for i in range(steps - 1):
        m.transition(f"edge {i}", f"over {i}", f"over {i + 1}", when=(i + 1) * tread - x)
    expected, t, h, v, at, i = [], 0.0, 0.1, 0.0, 0.05, 0
    while True:
        edge = ((i + 1) * tread - at) / speed if i < steps - 1 else np.inf
        fall = (v + np.sqrt(v * v + 2 * G * (h + i * rise))) / G
        d = min(edge, fall)
        if t + d > 3.0:
            break
        t, h, v, at = t + d, h + v * d - G / 2 * d * d, v - G * d, at + speed * d
        expected.append(t)
        if edge < fall:
            i += 1
        else:
            v, h = -e * v, -i * rise
    run = run_of(m, 3.0, method)
    assert len(expected) == 13
    np.testing.assert_allclose(times(run), expected, atol=1e-10)


@pytest.mark.parametrize("gap", [0.0, 1e-13, 1e-3])
@pytest.mark.parametrize("method", [*METHODS, "euler"])
def test_newtons_cradle_hands_its_momentum_on(method: str, gap: float) -> None:
    """One ball goes out for one that comes in, also where balls touch each other at rest."""
    m = tb.Model("cradle", gravity=(0, 0, 0))
    for k in range(5):
        place = -0.2 if k == 0 else 0.1 + (k - 1) * (0.1 + gap)
        m.joint(f"ball {k}", tb.Prismatic("x"), m.ground, m.body(f"ball {k}", mass=1.0),
                position=place, velocity=0.0 if k else 1.0)  # fmt: skip
    m.mode("free")
    for k in range(4):
        between = m.coordinate(f"ball {k + 1}") - m.coordinate(f"ball {k}") - 0.1
        m.constrain(f"touch {k}", between)
        m.transition(f"hit {k}", "free", None, when=between, impact=[f"touch {k}"], restitution=1.0)
    run = run_of(m, 0.5, method)
    speeds = [run[f"ball {k} rate"][-1] for k in range(5)]
    np.testing.assert_allclose(speeds, [0, 0, 0, 0, 1], atol=1e-12)
    assert [each.cause for each in run.transitions] == [f"hit {k}" for k in range(4)]


@pytest.mark.parametrize("backend", ["c", "interpreter"])
def test_every_back_end_runs_modes_that_differ_in_their_constraints(backend) -> None:
    """The interpreter's functions share one address; sets of constraints differ all the same."""
    for model, duration in ((bouncing_ball(rest=True), 9.0), (pegged_pendulum(), 1.0)):
        run, usual = (
            tb.simulate(model.compile(backend=each), None, duration, method="rk4", step=2e-3)
            for each in (backend, "machine")
        )
        assert [each.cause for each in run.transitions] == [
            each.cause for each in usual.transitions
        ]
        for name in model.compile().state_names:
            assert np.allclose(run[name], usual[name], rtol=1e-9, atol=1e-9)
    assert len(usual.transitions) == 1


def test_data_of_modes_are_numbers_that_hash_and_name_each_set_once() -> None:
    system = bouncing_ball(rest=True).compile()
    data = system.modes_data()
    assert hash(data) == hash(system.modes_data()) and data is system.modes_data()
    again = bouncing_ball(rest=True).compile().modes_data()
    assert again.modes == data.modes and again.constraint_sets != data.constraint_sets
    flight, rest = data.modes
    (bounce,) = flight.exits
    assert (flight.constraint_set, rest.constraint_set) == (0, 1)
    assert (bounce.target, bounce.rest) == (0, 1)
    assert bounce.impact == ImpactData(1, (0,))  # the floor, struck
    assert bounce.rest_impact == ImpactData(1, (-1,))  # the floor, which then holds
    assert len(data.constraint_sets) == 2
