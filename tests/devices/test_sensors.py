"""Sensors, converters and motors: closed forms, resolutions, calibrations from data."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st

from touchback.devices.motors import Motor
from touchback.devices.sensors import (
    Coil,
    Converter,
    Encoder,
    HallPair,
    HallSensor,
    Imu,
    LoadCell,
    Potentiometer,
    Tachometer,
    Unwrap,
    calibrate_coil,
    calibrate_hall_pair,
    calibrate_load_cell,
)
from touchback.errors import InputError, SolveError
from touchback.estimate import run

NAN = float("nan")
TOUCHBACK_KEY = Encoder(512, gearing=24 * 8)


def test_the_touchback_key_has_5461_counts_over_its_five_degrees():
    # Gillespie 1996, section 4.2: "over 5,000 counts ... for the five degrees of key motion"
    assert TOUCHBACK_KEY.reading(math.radians(5.0)) == 5461


@given(st.floats(-100.0, 100.0))
def test_an_encoder_is_off_by_half_a_resolution_at_most(angle):
    back = TOUCHBACK_KEY.quantity(TOUCHBACK_KEY.reading(angle))
    assert abs(back - angle) <= TOUCHBACK_KEY.resolution * (0.5 + 1e-6)


def test_an_encoder_geared_backwards_counts_down():
    encoder = Encoder(1000, gearing=-1.0)
    assert encoder.reading(1.0) < 0.0
    assert encoder.quantity(encoder.reading(1.0)) == pytest.approx(1.0, abs=encoder.resolution)


@given(st.lists(st.integers(-32767, 32767), min_size=1, max_size=200), st.integers(-(10**6), 10**6))
def test_a_counter_of_sixteen_bits_counts_on_beyond_them(steps, start):
    truth = start + np.cumsum([0, *steps])
    seen = (truth + 32768) % 65536 - 32768
    found = run(Unwrap(16), seen.astype(float))
    np.testing.assert_array_equal(found - found[0], truth - truth[0])


@given(st.floats(-2.0, 2.0))
def test_a_potentiometer_shows_its_angle_and_stops_at_its_ends(angle):
    sensor = Potentiometer(math.radians(180.0), supply=3.3)
    voltage = sensor.reading(angle)
    assert 0.0 <= voltage <= 3.3
    held = min(max(angle, -math.pi / 2), math.pi / 2)
    assert sensor.quantity(voltage) == pytest.approx(held, abs=1e-12)


def test_a_potentiometer_without_a_track_is_refused():
    with pytest.raises(InputError, match=r"a track of 0\.0 rad"):
        Potentiometer(0.0)


def test_hall_voltages_calibrate_to_the_small_deviation_that_docquier_saw():
    # Docquier 2021, fig. 19: almost a constant slope, a small quadratic deviation at both ends
    height = np.linspace(0.0, 10e-3, 60)
    front = HallSensor(45e-3, 1.0 * (40 / 45) ** 3, facing=1.0)  # alike at half the travel
    rear = HallSensor(35e-3, 1.0 * (40 / 35) ** 3, facing=-1.0)
    pair, worst = calibrate_hall_pair(front.reading(height), rear.reading(height), height)
    found = pair.quantity(front.reading(height), rear.reading(height))
    assert np.abs(found - height).max() == pytest.approx(worst)
    assert 1e-5 < worst < 1e-3  # 10 % of the travel was his largest error


def test_a_pair_that_is_linear_is_found_exactly():
    pair = HallPair(k=2e-3, offset=5e-3)
    height = np.linspace(0.0, 10e-3, 7)
    rear = np.full(7, 1.0)
    front = np.sqrt((height - pair.offset) / pair.k + 1.0 + 5.0)
    found, worst = calibrate_hall_pair(front, rear, height)
    assert found.k == pytest.approx(pair.k)
    assert worst < 1e-15


def test_a_coil_is_calibrated_in_spite_of_an_amplifier_s_offset():
    t = np.linspace(0.0, 2.0, 4000)
    z = 5e-3 * np.sin(2 * np.pi * 3.0 * t)
    voltage = Coil(1.7).reading(5e-3 * 2 * np.pi * 3.0 * np.cos(2 * np.pi * 3.0 * t)) + 0.01
    assert calibrate_coil(voltage, t, z).kappa == pytest.approx(1.7, rel=1e-4)


@given(st.floats(-50.0, 50.0), st.floats(0.01, 1.0), st.floats(-1.0, 1.0))
def test_a_load_cell_gives_the_force_back(force, sensitivity, offset):
    cell = LoadCell(sensitivity, offset)
    assert cell.quantity(cell.reading(force)) == pytest.approx(force, abs=1e-11)
    weights = np.array([0.0, 1.0, 5.0])
    found = calibrate_load_cell(cell.reading(weights), weights)
    assert (found.sensitivity, found.offset) == pytest.approx((sensitivity, offset), abs=1e-12)


def test_ripple_averages_out_over_a_turn():
    angle = np.linspace(0.0, 2 * np.pi, 1000, endpoint=False)
    shown = Tachometer(0.05, ripple=0.04).reading(10.0, angle)
    assert np.ptp(shown) == pytest.approx(2 * 0.04 * 0.5, rel=1e-3)
    assert np.mean(Tachometer(0.05, ripple=0.04).quantity(shown)) == pytest.approx(10.0)
    power = np.abs(np.fft.rfft(shown - shown.mean()))
    assert np.argmax(power) == 11  # times a turn, as many as the commutator has segments


def test_an_imu_at_rest_feels_the_table_pushing_up_and_clips_at_its_range():
    felt, rate = Imu(rate_bias=(0.01, 0.0, 0.0)).reading((0, 0, 0), (0, 0, -9.81), (0.0, 99.0, 0.0))
    assert felt == [0.0, 0.0, 9.81]
    assert rate == [0.01, 34.9, 0.0]


@given(st.integers(2, 24), st.floats(-30.0, 30.0))
def test_a_converter_clips_and_rounds_to_its_nearest_step(bits, voltage):
    converter = Converter(bits, -5.0, 5.0)
    back = converter.quantity(converter.reading(voltage))
    clipped = min(max(voltage, -5.0), 5.0)
    assert abs(back - clipped) <= converter.resolution * (0.5 + 1e-6)


def test_a_motor_gives_the_torque_asked_for_until_its_current_is_at_the_limit():
    motor = Motor(torque_constant=0.02, current_limit=2.0, gearing=24.0)
    assert motor.largest_torque == pytest.approx(0.96)
    assert motor.torque(motor.current(0.5)) == pytest.approx(0.5)
    assert motor.torque(motor.current(5.0)) == pytest.approx(0.96)
    assert motor.current(-5.0) == -2.0
    assert motor.torque(9.0) == pytest.approx(0.96)  # whatever is commanded
    assert Motor(0.02, 2.0, gearing=24.0, inertia=2e-7).reflected_inertia == pytest.approx(
        2e-7 * 24.0**2
    )


def test_friction_of_the_rotor_is_felt_multiplied_by_the_gearing_and_against_motion():
    motor = Motor(0.02, 2.0, gearing=24.0, friction=1e-3)
    assert motor.torque(0.0, velocity=1.0) == pytest.approx(-24e-3, rel=1e-4)
    assert motor.torque(0.0, velocity=-1.0) == pytest.approx(24e-3, rel=1e-4)


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: Encoder(0), InputError, "0 lines"),
        (lambda: Encoder(100, 0.0), InputError, "gearing"),
        (lambda: Unwrap(1), InputError, "1 bits"),
        (lambda: Coil(0.0), InputError, "κ is 0"),
        (lambda: LoadCell(0.0), InputError, "sensitivity"),
        (lambda: Tachometer(0.0), InputError, "constant"),
        (lambda: Imu(rate_range=0.0), InputError, "rate_range"),
        (lambda: Converter(0), InputError, "0 bits"),
        (lambda: Converter(8, 1.0, -1.0), InputError, "swap"),
        (lambda: Motor(0.0, 1.0), InputError, "torque_constant"),
        (lambda: calibrate_hall_pair([1, 1, 1], [1, 1, 1], [0, 1, 2]), SolveError, "hardly"),
        (lambda: calibrate_hall_pair([1], [1], [0]), InputError, "one length"),
        (lambda: calibrate_hall_pair([1, NAN, 3], [1] * 3, [0, 1, 2]), InputError, "first at 1"),
        (lambda: calibrate_coil([1] * 4, [0, 1, 2, 3], [3] * 4), SolveError, "to and fro"),
        (lambda: calibrate_coil([1] * 4, [0, 1, 2, 3], [0, 1, 2, 3]), SolveError, "evenly"),
        (lambda: calibrate_load_cell(["a"], [3]), InputError, "series of numbers"),
        (lambda: Coil(NAN), InputError, "kappa is nan"),
        (lambda: HallPair(NAN), InputError, "k is nan"),
        (lambda: HallSensor(0.0, 1.0), InputError, "above zero"),
        (lambda: Imu(rate_bias=(0.0, 0.0)), InputError, "three axes"),
        (lambda: Motor(0.1, 1.0, gearing=0.0), InputError, "gearing"),
        (lambda: Motor(0.1, 1.0, friction=-1.0), InputError, "not negative"),
        (lambda: calibrate_load_cell([1, 2], [3, 3]), SolveError, "another weight"),
    ],
)
def test_what_cannot_measure_is_refused_in_words(make, error, words):
    with pytest.raises(error, match=words):
        make()
