"""Velocity from positions: coefficients, delays, noise, and what published tables say."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.linalg import expm

from touchback.errors import InputError
from touchback.estimate import (
    AdaptiveWindow,
    BackwardDifference,
    Kalman,
    SmoothDifferentiator,
    gyro_fusion,
    kalman_differentiator,
    run,
)

T = 1e-3
lengths = st.integers(1, 20)
numbers = st.floats(-100.0, 100.0)


def test_coefficients_are_those_of_gallo_s_table():
    # Gallo 2012, table 4.3: (1 − x)(1 + x)^(N−1)/2^(N−1); N = 4 gives (1, 2, 0, −2, −1)/8
    assert SmoothDifferentiator(1.0, 4).coefficients == (1 / 8, 2 / 8, 0.0, -2 / 8, -1 / 8)
    assert SmoothDifferentiator(1.0, 1).coefficients == (1.0, -1.0)


TABLE = {  # Gallo 2012, table 4.3, of the newest sample first; the divisor is 2^(N−1) h
    2: (1, 0, -1),
    3: (1, 1, -1, -1),
    4: (1, 2, 0, -2, -1),
    5: (1, 3, 2, -2, -3, -1),
    6: (1, 4, 5, 0, -5, -4, -1),
    7: (1, 5, 9, 5, -5, -9, -5, -1),
    8: (1, 6, 14, 14, 0, -14, -14, -6, -1),
    9: (1, 7, 20, 28, 14, -14, -28, -20, -7, -1),  # not printed there: the next two rows
    10: (1, 8, 27, 48, 42, 0, -42, -48, -27, -8, -1),
}


@pytest.mark.parametrize("length", TABLE)
def test_all_rows_of_gallo_s_table_have_gain_one_and_tell_their_delay(length):
    filter, row = SmoothDifferentiator(T, length), np.array(TABLE[length])
    np.testing.assert_allclose(filter.coefficients, row / (2.0 ** (length - 1) * T), rtol=1e-15)
    past = -T * np.arange(length + 1)
    assert row @ past / (2.0 ** (length - 1) * T) == pytest.approx(1.0)
    assert row @ past**2 / (2.0 ** (length - 1) * T) / 2.0 == pytest.approx(-filter.delay)


def test_appendix_d_divides_by_twice_and_eighty_times_too_much():
    h, t = 5e-3, 5e-3 * np.arange(40)
    row = np.array(TABLE[4])
    his_speed = np.convolve(3.0 * t**2 + t, row)[4:-4] / (16.0 * h)  # line 51
    his_acceleration = np.convolve(his_speed, row)[4:-4] / (320 * h)  # line 53
    d = SmoothDifferentiator(h, 4)
    speed = run(d, 3.0 * t**2 + t)
    np.testing.assert_allclose(speed[4:], 6.0 * (t[4:] - d.delay) + 1.0)
    np.testing.assert_allclose(his_speed, speed[4:] / 2.0)
    np.testing.assert_allclose(his_acceleration, run(d, speed)[8:] / 80.0)


@given(lengths, numbers, numbers, numbers)
def test_parabolas_are_differentiated_exactly_up_to_the_delay(length, a, b, c):
    filter = SmoothDifferentiator(T, length)
    t = T * np.arange(60)
    found = run(filter, a + b * t + c * t**2)[length:]
    expected = b + 2 * c * (t[length:] - filter.delay)
    np.testing.assert_allclose(
        found, expected, rtol=0, atol=1e-9 * (abs(a) / T + abs(b) + abs(c)) + 1e-12
    )


@given(st.integers(1, 12), st.floats(1.0, 100.0))
def test_gain_at_a_frequency_is_the_filter_s_closed_form(length, frequency):
    # |H| = 2 sin(ωT/2) cos(ωT/2)^(N−1)/T, phase −N ωT/2 + 90°
    omega, t = 2 * np.pi * frequency, T * np.arange(3000)
    found = run(SmoothDifferentiator(T, length), np.sin(omega * t))[length:]
    gain = 2 * np.sin(omega * T / 2) * np.cos(omega * T / 2) ** (length - 1) / T
    expected = gain * np.cos(omega * (t[length:] - length * T / 2))
    np.testing.assert_allclose(found, expected, atol=1e-8 * omega)


def test_the_backward_difference_is_the_smooth_filter_of_length_one():
    y = np.random.default_rng(1).normal(size=50)
    np.testing.assert_allclose(
        run(BackwardDifference(T), y), run(SmoothDifferentiator(T, 1), y), rtol=1e-13
    )
    assert BackwardDifference(T).delay == SmoothDifferentiator(T, 1).delay


def quantised(position, step):
    return np.floor(position / step) * step


def test_a_long_window_steadies_slow_motion_and_a_short_one_follows_fast_motion():
    step, t = 1e-5, T * np.arange(800)
    window = AdaptiveWindow(T, noise=step, longest=16)
    slow, fast = 1e-3 * t, 0.1 * np.sin(2 * np.pi * 8.0 * t)
    for motion, velocity in ((slow, np.full_like(t, 1e-3)), (fast, np.gradient(fast, t))):
        error = run(window, quantised(motion, step)) - velocity
        differenced = run(BackwardDifference(T), quantised(motion, step)) - velocity
        smooth = run(SmoothDifferentiator(T, 16), quantised(motion, step)) - velocity
        best_fixed = min(np.std(differenced[32:]), np.std(smooth[32:]))
        assert np.std(error[32:]) < 1.05 * best_fixed


@given(st.lists(st.integers(-3, 3), min_size=20, max_size=40))
def test_the_window_is_the_longest_whose_lines_all_stay_within_the_noise(steps):
    y = np.cumsum(steps) * 1.0
    window = AdaptiveWindow(1.0, noise=1.0, longest=8)
    padded = np.concatenate([np.full(8, y[0]), y])
    for k, found in enumerate(run(window, y), start=8):
        now, best = padded[k], padded[k] - padded[k - 1]
        for n in range(2, 9):
            line = now - (now - padded[k - n]) / n * np.arange(n)
            if np.any(np.abs(line - padded[k - np.arange(n)]) > 1.0 + 1e-12):
                break
            best = (now - padded[k - n]) / n
        margins = [abs(abs(now - (now - padded[k - n]) / n * i - padded[k - i]) - 1.0)
                   for n in range(2, 9) for i in range(1, n)]  # fmt: skip
        if min(margins) > 1e-9:  # a line exactly on the edge falls on either side by rounding
            assert found == pytest.approx(best, abs=1e-12)


def test_kalman_s_velocity_error_is_what_its_covariance_promises():
    rng = np.random.default_rng(3)
    noise, jerk, n = 1e-5, 200.0, 20000
    filter = kalman_differentiator(T, noise, jerk)
    A, Q = np.array(filter.A), np.array(filter.Q)
    x, truth = np.zeros(3), np.empty((n, 3))
    shocks = rng.multivariate_normal(np.zeros(3), Q, n, method="cholesky")
    for k in range(n):
        truth[k] = x = A @ x + shocks[k]
    found = run(filter, truth[:, 0] + noise * rng.normal(size=n))
    P = filter.covariance
    filtered = P - np.outer(filter.gain, P[0])
    promised = np.sqrt(filtered[1, 1])
    assert np.std((found - truth[:, 1])[500:]) == pytest.approx(promised, rel=0.1)  # n finite


def test_kalman_starts_at_rest_where_it_is():
    filter = kalman_differentiator(T, 1e-5, 100.0)
    assert filter.at_rest(0.3) == pytest.approx((0.3, 0.0, 0.0), abs=1e-12)
    assert run(filter, np.full(10, 0.3)) == pytest.approx(np.zeros(10), abs=1e-12)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: BackwardDifference(0.0), "period is 0"),
        (lambda: SmoothDifferentiator(T, 0), "length is 0"),
        (lambda: SmoothDifferentiator(T, 2.5), "length is 2.5"),
        (lambda: AdaptiveWindow(T, -1.0), "noise is -1"),
        (lambda: AdaptiveWindow(T, 1.0, 100), "longest window is 100"),
        (lambda: kalman_differentiator(T, 0.0, 1.0), "must be positive"),
    ],
)
def test_filters_that_cannot_work_are_refused_in_words(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_an_observer_of_what_decays_starts_where_a_constant_sample_leads_it():
    filter = Kalman(((0.9,),), (1.0,), ((1.0,),), 1.0, (1.0,))
    shown = run(filter, np.full(5, 2.0))
    np.testing.assert_allclose(shown, shown[0], rtol=1e-12)
    late = run(filter, np.append(0.0, np.full(200, 2.0)))[-1]
    assert shown[0] == pytest.approx(late, rel=1e-12)


def test_the_noise_of_a_period_is_white_jerk_integrated_over_it():
    """Van Loan 1978: exp([[-F, G Gᵀ], [0, Fᵀ]] T) holds the exact A and Q."""
    F = np.diag([1.0, 1.0], 1)
    driven = np.zeros((6, 6))
    driven[:3, :3], driven[3:, 3:], driven[2, 5] = -F, F.T, 100.0**2
    moved = expm(driven * 0.25)
    A = moved[3:, 3:].T
    filter = kalman_differentiator(0.25, 1e-3, 100.0)
    np.testing.assert_allclose(filter.A, A, atol=1e-12)
    np.testing.assert_allclose(filter.Q, A @ moved[:3, 3:], rtol=1e-9)


def test_an_angle_and_a_gyroscopes_bias_are_as_uncertain_as_the_filter_says():
    """Many turntables at once, of which each has its own noise: eᵀP⁻¹e of two is χ² with two
    degrees, 2 ± 2/√n on average, and stays so."""
    T, angle_noise, rate_noise, wander, sway = 1e-3, 0.01, 0.02, 0.05, 1e-3
    filter = gyro_fusion(T, angle_noise, rate_noise, wander, sway)
    random, many = np.random.default_rng(3), 4000
    angle, bias = random.multivariate_normal((0.0, 0.0), filter.filtered, many).T
    memory = [np.zeros(many), np.zeros(many)]
    for k in range(300):
        rate = 2.0 * np.cos(20.0 * T * k)
        seen = rate + bias + random.normal(scale=rate_noise, size=many)
        angle = angle + T * rate + random.normal(scale=sway * np.sqrt(T), size=many)
        bias = bias + random.normal(scale=wander * np.sqrt(T), size=many)
        shown = angle + random.normal(scale=angle_noise, size=many)
        memory, estimate = filter.step(memory, shown, seen)
    error = np.stack([angle - estimate, bias - memory[1]])
    nees = np.einsum("in,ij,jn->n", error, np.linalg.inv(filter.filtered), error)
    assert nees.mean() == pytest.approx(2.0, abs=3 * 2.0 / np.sqrt(many))
    np.testing.assert_allclose(np.cov(error), filter.filtered, rtol=0.1)
