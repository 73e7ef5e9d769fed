"""The hand's work is booked exactly, and passive walls are where theory has them."""

import numpy as np
import pytest
from scipy.integrate import quad

from touchback.errors import InputError
from touchback.haptics.wall import (
    KINDS,
    Bench,
    Device,
    Finger,
    Plant,
    State,
    Target,
    hand_work,
    is_passive,
    kind,
    largest_passive_stiffness,
    simulate,
)
from touchback.haptics.wall.passivity_limits import BENCH_DEVICE, expressible_stiffness


@pytest.mark.parametrize("delay", [0.0, 4e-4])
def test_the_hands_work_is_the_integral_of_its_force(delay: float) -> None:
    plant, T = Plant(Device(0.3, 1.0), Finger(), bias=-1.0, anchor=1e-3), 1e-3
    push = -2.0 * np.sin(np.arange(40) / 8.0)
    wall = kind("standard").build(plant, Target(3000.0), T)
    trace = simulate(plant, wall, State(5e-4, -0.1), T, 40, delay=delay, volition=push)
    motion, total, before = plant.motion, 0.0, 0.0
    for k in range(40):
        state = State(float(trace.y[k]), float(trace.v[k]))
        other, force = float(trace.other_force[k]), float(trace.wall_force[k])
        for start, end, wall_force in ((0.0, delay, before), (delay, T, force)):
            if end == start:
                continue

            def power(t: float, s: State = state, f: float = wall_force + other,
                      u: float = wall_force) -> float:  # fmt: skip
                # The hand's force on the device: what the device needs beyond wall and damper.
                y, v = motion.after(s, t, f)
                a = (f - motion.damping * v - motion.stiffness * y) / motion.mass
                return float((0.3 * a + 1.0 * v - u) * v)

            total += quad(power, 0.0, end - start, epsabs=1e-15, epsrel=1e-12)[0]
            state = motion.after(state, end - start, wall_force + other)
        before = force
    assert hand_work(trace)[-1] == pytest.approx(total, rel=1e-10)


def test_without_a_wall_the_device_only_takes_energy() -> None:
    plant = Plant(Device(0.3, 1.0), Finger())
    push = np.sin(np.arange(400) / 20.0)
    wall = kind("standard").build(plant, Target(0.0), 1e-3)
    trace = simulate(plant, wall, State(1.0, 0.0), 1e-3, 400, volition=push)
    assert hand_work(trace).min() >= 0.0


@pytest.mark.parametrize("rate", [250.0, 1000.0])
def test_the_standard_wall_is_passive_to_about_colgates_bound(rate: float) -> None:
    found = largest_passive_stiffness(kind("standard"), rate)
    bound = 2.0 * BENCH_DEVICE.damping * rate
    # A finger is one passive hand among all, so the bound is on the safe side, but not by much.
    assert bound < found < 1.2 * bound


def test_every_wall_stays_passive_at_half_of_colgates_bound() -> None:
    for each in KINDS:
        assert is_passive(each, 500.0, 500.0), each.name


def test_compensated_walls_can_be_ten_times_as_stiff() -> None:
    standard = largest_passive_stiffness(kind("standard"), 500.0)
    for name in ("half-sample", "z-plane", "deadbeat", "deadbeat throughout"):
        assert largest_passive_stiffness(kind(name), 500.0) > 10.0 * standard, name


def test_a_delay_costs_stiffness() -> None:
    prompt = largest_passive_stiffness(kind("standard"), 500.0)
    late = largest_passive_stiffness(kind("standard"), 500.0, Bench(delay=1.0))
    # A delay of T beside the hold's T/2: the bound for any hand falls to a third, 2b/3T.
    assert 2.0 * BENCH_DEVICE.damping * 500.0 / 3.0 < late < 0.5 * prompt


def test_a_contact_of_the_expressible_stiffness_lasts_two_samples() -> None:
    K, rate = expressible_stiffness(0.32, 1000.0), 1000.0
    assert np.pi * np.sqrt(0.32 / K) == pytest.approx(2.0 / rate, rel=1e-12)


def test_an_unknown_wall_names_the_known_ones() -> None:
    with pytest.raises(InputError, match="There are: standard, damped"):
        kind("brick")
