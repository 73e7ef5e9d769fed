"""The finger is found from samples alone, and the compensators follow it."""

import numpy as np
import pytest

from studies.wall.findings import grips_are_followed
from touchback.errors import InputError
from touchback.haptics.wall import (
    AdaptiveWall,
    DeadbeatWall,
    Device,
    Finger,
    FingerIdentifier,
    Plant,
    PolePlacementWall,
    StandardWall,
    State,
    Target,
    kind,
    simulate,
)

FIRM = Finger(0.06, 9.0, 900.0)


def fed(noise: float, samples: int = 60, forgetting: float = 0.9) -> FingerIdentifier:
    """An identifier that has seen a firm finger tap against a wall, starting from a wrong guess."""
    plant, T = Plant(Device(0.3, 1.0), FIRM, bias=-1.5), 1e-3
    wall = StandardWall(Target(5000.0, 2.0))
    trace = simulate(plant, wall, State(1e-3, -0.3), T, samples)
    rng = np.random.default_rng(1)
    y = trace.y + noise * rng.normal(size=len(trace.y))
    v = trace.v + noise / T * 0.01 * rng.normal(size=len(trace.v))
    found = FingerIdentifier(plant.device, T, forgetting=forgetting)
    for k in range(samples):
        found.learn(State(y[k], v[k]), State(y[k + 1], v[k + 1]), float(trace.wall_force[k]))
    return found


def test_a_tap_gives_mass_damping_stiffness_and_force() -> None:
    found = fed(0.0)
    assert found.finger.mass == pytest.approx(FIRM.mass, rel=2e-6)
    assert found.finger.damping == pytest.approx(FIRM.damping, rel=2e-6)
    assert found.finger.stiffness == pytest.approx(FIRM.stiffness, rel=2e-6)
    assert found.plant.bias == pytest.approx(-1.5, rel=2e-6)


def test_a_micrometre_of_noise_leaves_two_per_cent() -> None:
    found = fed(1e-6).finger
    expected = (FIRM.mass, FIRM.damping, FIRM.stiffness)
    assert (found.mass, found.damping, found.stiffness) == pytest.approx(expected, rel=0.02)


def test_a_finger_at_rest_teaches_nothing() -> None:
    found = FingerIdentifier(Device(0.3, 1.0), 1e-3)
    for _ in range(50):
        found.learn(State(1e-3, 0.0), State(1e-3, 0.0), 0.0)
    assert found.finger == Finger()
    assert found.samples == 0


def test_an_estimate_is_never_active() -> None:
    found = FingerIdentifier(Device(0.3, 1.0), 1e-3, Finger(0.001, 0.001, 1.0))
    plant = Plant(Device(0.25, 0.5), bias=-1.0)  # lighter than the device is said to be
    trace = simulate(plant, StandardWall(Target(5000.0)), State(1e-3, -0.3), 1e-3, 30)
    for k in range(30):
        found.learn(State(trace.y[k], trace.v[k]), State(trace.y[k + 1], trace.v[k + 1]),
                    float(trace.wall_force[k]))  # fmt: skip
    assert min(found.finger.mass, found.finger.damping, found.finger.stiffness) >= 0.0


def test_compensators_follow_a_changing_grip() -> None:
    findings = list(grips_are_followed())
    assert len(findings) == 2
    assert all(found.holds for found in findings)


def test_an_adaptive_wall_that_knows_the_grip_is_the_plain_one() -> None:
    device, wall, T = Device(0.3, 1.0), Target(5000.0), 1e-3
    plant, start = Plant(device, Finger()), State(2e-3, -0.3)
    adaptive = AdaptiveWall(kind("deadbeat").build, wall, T, FingerIdentifier(device, T))
    plain = DeadbeatWall(PolePlacementWall.design(plant, wall, T), plant, wall, T)
    a = simulate(plant, adaptive, start, T, 40)
    b = simulate(plant, plain, start, T, 40)
    assert a.y == pytest.approx(b.y, abs=1e-8)


def test_forgetting_everything_is_refused() -> None:
    with pytest.raises(InputError, match="above 0"):
        FingerIdentifier(Device(), 1e-3, forgetting=0.0)
