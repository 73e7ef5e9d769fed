"""Platforms follow what they are told, as far as their rollers let them."""

import math
from functools import cache
from types import ModuleType

import numpy as np
import pytest

import touchback as tb
from touchback.gallery.omni import mecanum, three_wheels
from touchback.gallery.omni.kinematics import (
    Mount,
    mecanum_mounts,
    odometry,
    platform_velocity,
    three_mounts,
    wheel_speeds,
)


@cache
def system(module: ModuleType) -> tb.System:
    return module.make().compile()


@cache
def driven(module: ModuleType, duration: float, **commands: float) -> tb.Run:
    """From rest, ramped up in 0.2 s."""
    made = system(module)
    inputs = {
        f"command {word}": ([0.0, 0.2, duration], [0.0, value, value])
        for word, value in commands.items()
    }
    return tb.simulate(
        made, made.assemble(), duration, inputs=inputs, output_step=5e-3, books=True, progress=False
    )


def body_rates(run: tb.Run) -> np.ndarray:
    """(v_x, v_y, Ω) along the platform's axes, between the instants of a run."""
    theta = np.unwrap(run["heading"])
    x, y, turn = (np.diff(signal) for signal in (run["position.x"], run["position.y"], theta))
    middle = (theta[1:] + theta[:-1]) / 2
    c, s = np.cos(middle), np.sin(middle)
    return np.stack([c * x + s * y, c * y - s * x, turn], axis=1) / np.diff(run.time)[:, None]


@pytest.mark.parametrize("mounts", [three_mounts(0.2), mecanum_mounts(0.3, 0.2)])
def test_wheel_speeds_and_platform_velocity_are_inverse(mounts: list[Mount]) -> None:
    for velocity in np.random.default_rng(1).normal(size=(5, 3)):
        speeds = np.array(wheel_speeds(mounts, 0.05, *velocity))
        np.testing.assert_allclose(platform_velocity(mounts, 0.05, speeds), velocity, rtol=1e-12)


def test_mecanum_wheels_turn_as_textbooks_say() -> None:
    """(v_x ∓ v_y ∓ (l + w) Ω)/R with half the lengths."""
    vx, vy, turn = 0.3, -0.2, 0.7
    k = 0.15 + 0.1
    textbook = [vx - vy - k * turn, vx + vy + k * turn, vx + vy - k * turn, vx - vy + k * turn]
    found = wheel_speeds(mecanum_mounts(0.3, 0.2), 0.05, vx, vy, turn)
    np.testing.assert_allclose(np.array(found) * 0.05, textbook, rtol=1e-12)


def test_odometry_of_a_steady_turn_is_an_arc() -> None:
    mounts, velocity = three_mounts(0.2), np.array([0.3, 0.1, 0.8])
    t = np.linspace(0, 3, 7)
    angles = t[:, None] * np.array(wheel_speeds(mounts, 0.05, *velocity))
    found = odometry(mounts, 0.05, angles)
    z = (velocity[0] + 1j * velocity[1]) * (np.exp(0.8j * t) - 1) / 0.8j
    np.testing.assert_allclose(found, np.stack([z.real, z.imag, 0.8 * t], axis=1), atol=1e-14)


def test_wheels_that_leave_a_direction_free_are_refused() -> None:
    with pytest.raises(tb.ModelError, match="2 wheels don't determine its motion"):
        platform_velocity([Mount(0, 0.1, 0.0), Mount(0, -0.1, 0.0)], 0.05, np.zeros(2))


@pytest.mark.parametrize(
    "commands", [{"vx": 0.3}, {"vy": 0.3}, {"turn": 1.5}, {"vx": 0.2, "vy": 0.1, "turn": 0.5}]
)
def test_three_omni_wheels_follow_commands(commands: dict[str, float]) -> None:
    """Straight rollers hold the same line at each angle of the wheel. What is left is creep: the
    force that bends the path needs a slip of u₀ F/(μ N), and a servo that lags."""
    run = driven(three_wheels, 0.7, **commands)
    mean = body_rates(run)[run.time[1:] > 0.4].mean(axis=0)
    wanted = [commands.get(word, 0.0) for word in ("vx", "vy", "turn")]
    within = 1e-3 if len(commands) == 1 else 3e-3
    np.testing.assert_allclose(mean, wanted, atol=within)
    assert abs(run.books.unexplained) < 1e-6 * run.books.turnover


def test_mecanum_wheels_drive_ahead_exactly_and_sideways_in_scallops() -> None:
    """A roller turned by q out of its middle leans, and holds along cos q f + tan ψ a: at a given
    wheel speed the platform goes aside cos q times as fast, in the mean sin α/α."""
    ahead = driven(mecanum, 0.5, vx=0.3)
    np.testing.assert_allclose(body_rates(ahead)[-20:].mean(axis=0), [0.3, 0, 0], atol=1e-5)
    aside = driven(mecanum, 1.0, vy=0.3)
    alpha = mecanum.PLAN.shape.half_sector
    sectors = 0.3 / mecanum.PLAN.shape.radius / (2 * alpha)  # a second
    whole = np.floor(sectors * 0.7) / sectors
    late = aside.time[1:] > 1.0 - whole
    mean = body_rates(aside)[late].mean(axis=0)
    assert mean[1] == pytest.approx(0.3 * math.sin(alpha) / alpha, rel=3e-3)
    assert abs(mean[0]) < 1e-6 and abs(mean[2]) < 1e-6


def test_bumps_at_hand_overs_are_those_of_leaning_axles() -> None:
    """Inclined rollers meet at one height on an upright wheel only. On its floor the platform leans
    a little while it accelerates; the steps are all that the books leave unexplained, and nothing
    where it goes straight."""
    ahead, aside = driven(mecanum, 0.5, vx=0.3), driven(mecanum, 1.0, vy=0.3)
    assert abs(ahead.books.unexplained) < 1e-6 * ahead.books.turnover
    assert abs(aside.books.unexplained) < 3e-3 * aside.books.total("work")


def test_wheels_stand_on_the_floor_and_carry_the_weight() -> None:
    made = system(three_wheels)
    at = made.assemble()
    plan = three_wheels.PLAN
    sensors = made.sensors(at.q, at.v)
    depth = -sensors["wheel 1 contact.gap"]
    weight = plan.total_mass() * 9.81
    assert 3 * plan.stiffness * depth**1.5 == pytest.approx(weight, rel=1e-9)
    assert np.abs(made.forward_dynamics(at.q, at.v)[:3]).max() < 1e-6


def test_a_platform_runs_live_as_it_does_offline() -> None:
    """40 steps of RK4 a millisecond, in C alone; rollers change on the way."""
    made, commands = system(three_wheels), {"command vx": 0.3, "command turn": 1.0}
    with tb.live(made, rate=1000, substeps=40, speed=None, record=True) as live:
        for name, value in commands.items():
            live[name] = value
        live.run(0.3)
    recorded = live.recorded()
    run = tb.simulate(made, made.assemble(), 0.3, inputs=commands, progress=False)
    for name in ("position.x", "position.y", "heading"):
        assert recorded[name][-1] == pytest.approx(run[name][-1], abs=1e-6)
    angles = np.stack([recorded[f"wheel {i + 1}"][-1] for i in range(3)])
    assert np.abs(angles).max() > 2 * three_wheels.PLAN.shape.half_sector
