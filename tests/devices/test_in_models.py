"""Sensors, converters and filters inside models, offline and against a clock: closed forms."""

import numpy as np
import pytest

import touchback as tb
from touchback.devices.sensors import (
    Coil,
    Converter,
    Encoder,
    HallSensor,
    Imu,
    Unwrap,
    calibrate_coil,
    calibrate_hall_pair,
)
from touchback.estimate import SmoothDifferentiator, add_filter
from touchback.haptics.displays import ImpedanceControl, hold

T = 1e-3


def test_an_imu_on_an_arm_feels_centripetal_and_tangential_acceleration_and_gravity():
    radius, swing, frequency = 0.3, 0.8, 2.0
    m = tb.Model("arm")
    arm = m.body("arm", mass=1.0, inertia=(0.01, 0.01, 0.01))
    m.joint("hinge", tb.Revolute("y"), m.ground, arm)
    m.drive("hinge", tb.Sine(swing, frequency))
    felt, turning = Imu().add(m, "imu", arm.at(radius, 0.0, 0.0))
    for axis, (a, w) in zip("xyz", zip(felt, turning)):
        m.memory(f"felt {axis}", update=a)
        m.memory(f"turning {axis}", update=w)
    run = tb.simulate(m.compile(), duration=0.5, rate=1 / T, step=T)
    t = run.time[:-1]  # a memory shows the tick at the start of its step
    s = 2 * np.pi * frequency
    angle = swing * np.sin(s * t)
    rate, acceleration = swing * s * np.cos(s * t), -(s**2) * angle
    g = 9.81
    expected = {
        "felt x": -(rate**2) * radius - g * np.sin(angle),
        "felt y": 0.0 * t,
        "felt z": -acceleration * radius + g * np.cos(angle),
        "turning x": 0.0 * t,
        "turning y": rate,
        "turning z": 0.0 * t,
    }
    for name, values in expected.items():
        np.testing.assert_allclose(run[name][1:], values, atol=1e-9)


def test_a_counter_of_16_bits_is_unwrapped_while_a_live_wheel_turns_through_several_overflows():
    encoder = Encoder(2500, gearing=20.0)  # 200 000 counts a turn
    m = tb.Model("wheel", gravity=(0, 0, 0))
    wheel = m.body("wheel", mass=1.0, inertia=(1.0, 1.0, 1.0))
    m.joint("wheel", tb.Revolute("z"), m.ground, wheel, velocity=-40.0)
    m.force("motor", tb.JointEffort("wheel", 100.0))  # turns round after 0.4 s
    counts = encoder.reading(m.coordinate("wheel"))
    sixteen = counts - 65536.0 * tb.floor(counts * (1.0 / 65536.0))
    m.memory("seen", update=sixteen)
    m.memory("true", update=counts)
    add_filter(m, "count", Unwrap(16), sixteen)
    with tb.live(m.compile(), rate=1 / T, speed=None, record=True) as live:
        live.run(0.8)
        recorded = live.recorded()
    assert np.sum(np.abs(np.diff(recorded["seen"])) > 32768) >= 7  # overflows, both ways
    assert recorded["true"].min() < -3 * 65536
    np.testing.assert_array_equal(recorded["count"], recorded["true"])


@pytest.mark.parametrize("delay", [0, 1, 3])
def test_a_loop_through_adc_and_dac_follows_its_difference_equation(delay):
    mass, damping, stiffness = 0.3, 0.4, 150.0
    adc, dac = Converter(10, -0.05, 0.05), Converter(8, -5.0, 5.0)
    m = tb.Model("loop", gravity=(0, 0, 0))
    body = m.body("mass", mass=mass)
    m.joint("slide", tb.Prismatic("x"), m.ground, body, position=0.02, damping=damping)
    seen = adc.quantity(adc.reading(m.coordinate("slide")))
    wanted = ImpedanceControl(stiffness).force(seen)
    told = hold(m, "told", dac.quantity(dac.reading(wanted)), delay)
    m.force("motor", tb.JointEffort("slide", told))
    run = tb.simulate(m.compile(), duration=0.3, rate=1 / T, step=T / 4, output_step=T)

    x, v, line, positions = 0.02, 0.0, [0.0] * delay, [0.02]
    decay = np.exp(-damping * T / mass)
    for _ in range(300):
        line.append(dac.quantity(dac.reading(-stiffness * adc.quantity(adc.reading(x)))))
        rest = line.pop(0) / damping
        x += rest * T + (v - rest) * mass / damping * (1 - decay)
        v = rest + (v - rest) * decay
        positions.append(x)
    np.testing.assert_allclose(run["slide"], positions, atol=1e-12)


@pytest.mark.parametrize("length", [1, 4, 9])
def test_a_velocity_in_a_live_loop_is_as_old_as_the_filter_says(length):
    filter, a = SmoothDifferentiator(T, length), 3.0
    m = tb.Model("falling", gravity=(a, 0, 0))
    m.joint("slide", tb.Prismatic("x"), m.ground, m.body("mass", mass=1.0))
    add_filter(m, "speed", filter, m.coordinate("slide"))
    with tb.live(m.compile(), rate=1 / T, speed=None, record=True) as live:
        live.run(0.1)
        recorded = live.recorded()
    ticks = T * np.arange(100)  # the estimate of a tick is seen from then on
    full = slice(length, None)  # as many samples as the filter has
    np.testing.assert_allclose(recorded["speed"][full], a * (ticks[full] - filter.delay), rtol=1e-9)


def test_hall_pair_and_coil_are_calibrated_from_a_file_of_measurements(tmp_path):
    """A lever is moved by hand under a reference; the file has times, positions and voltages."""
    time = np.arange(0.0, 4.0, 1e-3)
    height = 5e-3 + 1e-3 * (np.sin(4.0 * time) + 0.7 * np.sin(11.0 * time))
    velocity = 1e-3 * (4.0 * np.cos(4.0 * time) + 7.7 * np.cos(11.0 * time))
    noise = np.random.default_rng(5).normal(scale=1e-3, size=(3, len(time)))
    front = HallSensor(45e-3, (40 / 45) ** 3, facing=1).reading(height) + noise[0]
    rear = HallSensor(35e-3, (40 / 35) ** 3, facing=-1).reading(height) + noise[1]
    voltage = Coil(1.7).reading(velocity) + 2e-3 + noise[2]  # with an amplifier's offset
    path = tmp_path / "lever.csv"
    table = np.stack([time, height, front, rear, voltage], axis=1)
    np.savetxt(path, table, delimiter=",", header="time,height,front,rear,coil", fmt="%.6g")
    read = np.genfromtxt(path, delimiter=",", names=True)
    pair, worst = calibrate_hall_pair(read["front"], read["rear"], read["height"])
    coil = calibrate_coil(read["coil"], read["time"], read["height"])
    assert worst < 2e-4  # three deviations of the noise and the cubic law: 0.2 mm
    assert coil.kappa == pytest.approx(1.7, rel=1e-2)
    middle = pair.quantity(1.0, 1.0)  # alike at half the travel
    assert middle == pytest.approx(5e-3, abs=2e-5)
