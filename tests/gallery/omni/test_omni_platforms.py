"""Platforms follow what they are told, as far as their rollers let them."""

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import touchback as tb
from touchback.gallery import omni_platforms, omni_wheel
from touchback.gallery.omni_platforms import (
    Mount,
    Platform,
    mecanum_mounts,
    odometry,
    platform_velocity,
    rolling_speeds,
    three_mounts,
    wheel_speeds,
)
from touchback.gallery.omni_wheel import WheelShape

three_wheels, mecanum = ModuleType("three_wheels"), ModuleType("mecanum")
vars(three_wheels).update(
    PLAN=omni_platforms.THREE_WHEELS_PLAN, make=omni_platforms.make_three_wheels
)
vars(mecanum).update(PLAN=omni_platforms.MECANUM_PLAN, make=omni_platforms.make_mecanum)


@cache
def system(module: ModuleType, seen: bool = True, textbook: bool = False) -> tb.System:
    """As in the gallery; not `seen` from outside, it only counts its wheels' turns."""
    plan = module.PLAN if seen else replace(module.PLAN, correction=0.0)
    return module.make(replace(plan, textbook=textbook)).compile()


@cache
def driven(
    module: ModuleType, duration: float, textbook: bool = False, **commands: float
) -> tb.Run:
    """From rest, ramped up in 0.2 s, by its wheels' turns alone."""
    made = system(module, False, textbook)
    inputs = {
        f"command {word}": ([0.0, 0.2, duration], [0.0, value, value])
        for word, value in commands.items()
    }
    return tb.simulate(
        made,
        made.assemble(),
        duration,
        inputs=inputs,
        output_step=5e-3,
        energy_balance=True,
        progress=False,
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


@pytest.mark.parametrize("psi", [0.0, 0.3, math.pi / 4, -math.pi / 4])
def test_at_rolling_speeds_a_roller_only_has_to_spin(psi: float) -> None:
    """Anywhere on its rollers: what is left of the slip is what the roller's own spin takes away,
    and the textbooks' speed leaves more of it."""
    shape, rng = WheelShape(0.05, 7, 0.04, psi), np.random.default_rng(4)
    made = omni_wheel.make(shape).compile()
    mount = Mount(0.2, -0.1, 0.4, psi)
    for angle in rng.uniform(-7, 7, 10):
        vx, vy = rng.normal(size=2)
        ahead, aside = mount.over(vx, vy, 0.0)
        x, y, z, w = Rotation.from_euler("y", angle).as_quat()
        q = np.array([0, 0, 0.05, w, x, y, z, *np.zeros(7)])
        left = {}
        for name, speed in (
            ("rolling", rolling_speeds([mount], shape, [angle], vx, vy, 0.0)[0]),
            ("textbook", wheel_speeds([mount], 0.05, vx, vy, 0.0)[0]),
        ):
            disc = Rotation.from_euler("y", angle).inv()
            body = np.concatenate([disc.apply([ahead, aside, 0]), disc.apply([0, speed, 0])])
            slip = [slip_of(made, q, np.concatenate([body, np.full(7, spin)])) for spin in (0, 1)]
            along, across = (slip[1] - slip[0]) / np.linalg.norm(slip[1] - slip[0])
            left[name] = abs(slip[0] @ [across, -along])
        assert left["rolling"] < 1e-13
        assert psi == 0.0 or left["textbook"] > 1e-4


def slip_of(made: tb.System, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    found = made.sensors(q, v)
    return np.array([found["slip.x"], found["slip.y"]])


def wave(size: float, beats: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda t: size * np.sin(2 * np.pi * beats * t)


def told(commands: tuple[Any, ...], duration: float) -> tuple[dict[str, Any], np.ndarray]:
    """Inputs, ramped up in 0.2 s, and the poses that they mean: (T, 3) at each of their times."""
    t = np.linspace(0, duration, 2001)
    ramp = np.clip(t / 0.2, 0, 1)
    vx, vy, turn = (ramp * (each(t) if callable(each) else each) for each in commands)

    def summed(rate: np.ndarray) -> np.ndarray:
        return np.concatenate([[0.0], np.cumsum((rate[1:] + rate[:-1]) / 2 * np.diff(t))])

    c, s = np.cos(summed(turn)), np.sin(summed(turn))
    poses = np.stack([summed(c * vx - s * vy), summed(s * vx + c * vy), summed(turn)], axis=1)
    names = ("command vx", "command vy", "command turn")
    return dict(zip(names, ((t, vx), (t, vy), (t, turn)), strict=True)), poses


OMNI, MECANUM = three_wheels.PLAN, mecanum.PLAN
STEADY = (0.2, 0.15, 0.6)  # m/s, m/s, rad/s: along x, y and round at once
PLANS = {
    "omni": (OMNI, STEADY),
    "omni, pointed, backwards": (
        replace(OMNI, shape=WheelShape.pointed(0.051, 6)), (-0.2, 0.1, -1.0),
    ),
    "omni, ten rollers, light": (replace(OMNI, shape=WheelShape(0.06, 10, 0.05), mass=2.0), STEADY),
    "mecanum": (MECANUM, (wave(0.3, 0.5), wave(0.2, 0.7), wave(1.0, 0.4))),
    "mecanum, backwards": (MECANUM, (-0.2, -0.15, -0.6)),
    "mecanum, pointed": (replace(MECANUM, shape=WheelShape.pointed(0.05, 6)), STEADY),
    "mecanum, 30°, long, heavy": (
        replace(MECANUM, mounts=mecanum_mounts(0.5, 0.3, math.pi / 6), mass=20.0), STEADY,
    ),
}  # fmt: skip


VARIED = ("omni, ten rollers, light", "mecanum, pointed", "mecanum, 30°, long, heavy")


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.soak] * (name in VARIED)) for name in PLANS],
)
def test_a_platform_follows_commanded_motion(name: str) -> None:
    """In x, y and heading at once: within 2.5 mm and 2.5 mrad all the way."""
    plan, commands = PLANS[name]
    inputs, poses = told(commands, 0.9)
    made = three_wheels.make(plan).compile()
    run = tb.simulate(made, made.assemble(), 0.9, inputs=inputs, output_step=5e-3, progress=False)
    at = np.stack([np.interp(run.time, inputs["command vx"][0], pose) for pose in poses.T])
    wanted = np.stack([run["wanted x"], run["wanted y"], run["wanted heading"]])
    np.testing.assert_allclose(wanted, at, atol=1e-6)
    off = np.hypot(run["position.x"] - at[0], run["position.y"] - at[1])
    assert off.max() < 2.5e-3 and np.abs(run["heading"] - at[2]).max() < 2.5e-3


@pytest.mark.parametrize(
    "commands", [{"vx": 0.3}, {"vy": 0.3}, {"turn": 1.5}, {"vx": 0.2, "vy": 0.1, "turn": 0.5}]
)
@pytest.mark.parametrize("module", [three_wheels, mecanum])
def test_wheels_that_only_count_follow_commanded_velocities(
    module: ModuleType, commands: dict[str, float]
) -> None:
    """Nothing sees the platform. What is left is creep: the force that bends the path needs a slip
    of u₀ F/(μ N), and a servo that lags; and a little slip where inclined rollers hand over."""
    run = driven(module, 0.7, **commands)
    mean = body_rates(run)[run.time[1:] > 0.4].mean(axis=0)
    wanted = [commands.get(word, 0.0) for word in ("vx", "vy", "turn")]
    within = 1e-3 if len(commands) == 1 and module is three_wheels else 4e-3
    np.testing.assert_allclose(mean, wanted, atol=within)
    if module is three_wheels:
        assert abs(run.energy_balance.residual) < 1e-6 * run.energy_balance.turnover


def test_textbook_speeds_drive_mecanum_wheels_ahead_exactly_and_sideways_in_scallops() -> None:
    """A roller turned by q out of its middle leans, and holds along cos q f + tan ψ a: at a given
    wheel speed the platform goes aside cos q times as fast, in the mean sin α/α. Rolling speeds
    allow for it."""
    ahead = driven(mecanum, 0.5, textbook=True, vx=0.3)
    np.testing.assert_allclose(body_rates(ahead)[-20:].mean(axis=0), [0.3, 0, 0], atol=1e-5)
    alpha = mecanum.PLAN.shape.half_sector
    sectors = 0.3 / mecanum.PLAN.shape.radius / (2 * alpha)  # a second
    whole = np.floor(sectors * 0.7) / sectors
    for textbook, share in ((True, math.sin(alpha) / alpha), (False, 1.0)):
        aside = driven(mecanum, 1.0, textbook=textbook, vy=0.3)
        late = aside.time[1:] > 1.0 - whole
        mean = body_rates(aside)[late].mean(axis=0)
        assert mean[1] == pytest.approx(0.3 * share, rel=3e-3)
        assert abs(mean[0]) < 1e-6 and abs(mean[2]) < 1e-6


def test_bumps_at_hand_overs_are_those_of_leaning_axles() -> None:
    """Inclined rollers meet at one height on an upright wheel only. On its floor the platform leans
    a little while it accelerates; the steps are all that the books leave unexplained, and nothing
    where it goes straight."""
    ahead, aside = driven(mecanum, 0.5, textbook=True, vx=0.3), driven(mecanum, 1.0, vy=0.3)
    assert abs(ahead.energy_balance.residual) < 1e-6 * ahead.energy_balance.turnover
    assert abs(aside.energy_balance.residual) < 3e-3 * aside.energy_balance.total("work")


FAULTS = {
    "mass": (-1.0, "its mass is -1.0; give a positive number"),
    "stiffness": (0.0, "its stiffness is 0.0"),
    "slip_speed": (0.0, "its slip_speed is 0.0"),
    "friction": (-0.1, "its friction is -0.1; give a number from 0"),
    "gain": (-4.0, "its gain is -4.0"),
    "correction": (-1.0, "its correction is -1.0"),
    "half": ((0.2, 0.2, -0.1), "its height is -0.1"),
    "mounts": (three_mounts(0.2)[:2], r"2 wheel\(s\) can't carry a platform"),
    "tracker": ("section", "for wheels that stay upright"),
}


@pytest.mark.parametrize("word", FAULTS)
def test_platforms_that_cannot_be_are_refused_by_name(word: str) -> None:
    value, words = FAULTS[word]
    given: dict[str, Any] = {word: value}
    with pytest.raises(tb.ModelError, match=words):
        replace(three_wheels.PLAN, **given)


def test_platforms_that_wheels_do_not_drive_are_refused() -> None:
    straight = Platform(mecanum_mounts(0.3, 0.3, 0.0), mecanum.PLAN.shape)
    with pytest.raises(tb.ModelError, match="4 wheels don't determine its motion"):
        mecanum.make(straight)
    with pytest.raises(tb.ModelError, match="its distance is 0"):
        three_mounts(0)
    with pytest.raises(tb.InputError, match=r"3 wheels, but speeds or angles of shape \(4,\)"):
        platform_velocity(three_mounts(0.2), 0.05, np.zeros(4))


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
