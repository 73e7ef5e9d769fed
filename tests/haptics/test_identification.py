"""The finger is found from samples alone, and the compensators follow it."""

import numpy as np
import pytest

from studies.wall.findings import grips_are_followed
from touchback.errors import InputError
from touchback.haptics.wall import (
    Device,
    Finger,
    Oscillator,
    Plant,
    State,
    Target,
    WallController,
    kind,
    simulate,
)
from touchback.haptics.wall.laws import Adaptive, Deadbeat, WallSample

FIRM = Finger(0.06, 9.0, 900.0)


def fed(noise: float, samples: int = 60) -> tuple[float, ...]:
    """What a law has found after a firm finger tapped a wall, starting from a wrong guess: mass,
    damping, stiffness, force."""
    plant, T = Plant(Device(0.3, 1.0), FIRM, bias=-1.5), 1e-3
    wall = kind("standard").build(plant, Target(5000.0, 2.0), T)
    trace = simulate(plant, wall, State(1e-3, -0.3), T, samples)
    rng = np.random.default_rng(1)
    y = trace.y + noise * rng.normal(size=len(trace.y))
    v = trace.v + noise / T * 0.01 * rng.normal(size=len(trace.v))
    return learnt(Adaptive(Deadbeat(), plant.device), y, v, trace.wall_force, T)


def learnt(
    law: Adaptive, y: np.ndarray, v: np.ndarray, forces: np.ndarray, period: float
) -> tuple[float, ...]:
    """What a law finds in samples and the forces between them."""
    device, memory = law.device, law.start
    motion = Oscillator(device.mass, device.damping)
    for y_now, v_now, acting in zip(y, v, [0.0, *forces], strict=True):
        told = WallSample(y_now, v_now, acting, motion, 0.0, 5000.0, 0.0, period)
        memory = tuple(law.idle(memory, told))
    return law.grip(memory)


def test_a_tap_gives_mass_damping_stiffness_and_force() -> None:
    assert fed(0.0) == pytest.approx((FIRM.mass, FIRM.damping, FIRM.stiffness, -1.5), rel=2e-6)


def test_a_micrometre_of_noise_leaves_two_per_cent() -> None:
    expected = (FIRM.mass, FIRM.damping, FIRM.stiffness)
    assert fed(1e-6)[:3] == pytest.approx(expected, rel=0.02)


def test_a_finger_at_rest_teaches_nothing() -> None:
    """Not to rounding: the law's numbers are those before the first sample."""
    law, still = Adaptive(Deadbeat(), Device(0.3, 1.0)), np.zeros(51)
    assert learnt(law, still + 1e-3, still, still[1:], 1e-3) == law.grip(law.start)
    assert law.grip(law.start) == (Finger().mass, Finger().damping, Finger().stiffness, 0.0)


def test_an_estimate_is_never_active() -> None:
    law = Adaptive(Deadbeat(), Device(0.3, 1.0), Finger(0.001, 0.001, 1.0))
    plant = Plant(Device(0.25, 0.5), bias=-1.0)  # lighter than the device is said to be
    wall = kind("standard").build(plant, Target(5000.0), 1e-3)
    trace = simulate(plant, wall, State(1e-3, -0.3), 1e-3, 30)
    found = learnt(law, trace.y, trace.v, trace.wall_force, 1e-3)
    assert min(found[:3]) >= 0.0


def test_compensators_follow_a_changing_grip() -> None:
    findings = list(grips_are_followed())
    assert len(findings) == 2
    assert all(found.holds for found in findings)


def test_an_adaptive_wall_that_knows_the_grip_is_the_plain_one() -> None:
    device, wall, T = Device(0.3, 1.0), Target(5000.0), 1e-3
    plant, start = Plant(device, Finger()), State(2e-3, -0.3)
    adaptive = WallController(Adaptive(Deadbeat(), device), plant, wall, T)
    plain = WallController(Deadbeat(), plant, wall, T)
    a = simulate(plant, adaptive, start, T, 40)
    b = simulate(plant, plain, start, T, 40)
    assert a.y == pytest.approx(b.y, abs=1e-8)


def test_forgetting_everything_is_refused() -> None:
    with pytest.raises(InputError, match="above 0"):
        Adaptive(Deadbeat(), Device(), forgetting=0.0)
