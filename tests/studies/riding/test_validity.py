"""A model among repeated drives of a car that is another one: what the report says of it."""

import numpy as np
import pytest

from studies.riding.validity import LOGGED_LATE, MANOEUVRES, NOISE, judge


@pytest.fixture(scope="module")
def judged():
    return {each.quantity: each for what in MANOEUVRES for each in judge(what, 8)}


@pytest.mark.parametrize("actuator", ["pressure", "steer"])
def test_the_log_s_latency_is_found_by_what_the_actuators_do(judged, actuator: str) -> None:
    found = np.array([each.seconds for each in judged[actuator].latencies])
    # Each run begins 5 ms too early or late; the mean of eight is known to a third of it.
    assert found.mean() == pytest.approx(LOGGED_LATE, abs=4 * 0.005 / np.sqrt(8))
    assert judged[actuator].validity.valid  # both cars have the same actuators


def test_a_car_that_brakes_less_well_is_not_taken_for_a_late_log(judged) -> None:
    found = judged["speed"]
    braking = found.times > 5.5
    # Pads 6 % less good: the model is slower than the runs by a share of what was braked away.
    off = (found.model - found.bands.mean)[braking]
    assert np.all(off < -0.1)
    assert np.abs(found.model - found.bands.mean)[found.times < 3.0].max() < 0.1


def test_the_model_is_valid_for_small_steering_and_not_for_large(judged) -> None:
    found = judged["yaw rate"].validity
    assert np.mean(found.inside[judged["yaw rate"].times < 3.0]) > 0.97
    assert found.outside and all(begin > 3.0 and end < 5.5 for begin, end in found.outside)
    # Front tyres 12 % softer in a car that understeers: a few per cent less yaw.
    peak = np.argmax(judged["yaw rate"].model)
    less = judged["yaw rate"].bands.mean[peak] / judged["yaw rate"].model[peak]
    assert 0.9 < less < 0.99


def test_bands_are_as_wide_as_the_noise_at_least_where_nothing_happens(judged) -> None:
    half = judged["yaw rate"].bands.single_half[:40]
    # t of seven degrees, 2.36, times √(1 + 1/8), times the noise.
    assert np.median(half) == pytest.approx(2.365 * np.sqrt(1.125) * NOISE["yaw rate"], rel=0.25)
