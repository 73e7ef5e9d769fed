"""Constants from motion that were put into it."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from touchback.errors import InputError, SolveError
from touchback.estimate import Kalman, RecursiveLeastSquares, fit_impedance, gyro_fusion

FINGER = (0.02, 3.75, 257.0)  # Gillespie 1996: kg, N s/m, N/m


def shaken(rate=2000.0, duration=2.0, offset=0.4):
    """A finger driven by a force with several frequencies: SciPy's motion."""
    m, b, k = FINGER
    frequencies = np.array([1.3, 4.1, 11.0, 23.0])

    def force(t):
        return 2.0 * np.sin(2 * np.pi * np.multiply.outer(t, frequencies)).sum(axis=-1)

    t = np.arange(0.0, duration, 1 / rate)
    motion = solve_ivp(
        lambda s, x: (x[1], (force(s) - b * x[1] - k * x[0] - offset) / m),
        (0, duration), (0.0, 0.0), t_eval=t, rtol=1e-10, atol=1e-12,
    )  # fmt: skip
    return t, motion.y[0], force(t)


def test_the_impedance_of_a_shaken_finger_is_found():
    found = fit_impedance(*shaken())
    assert (found.mass, found.damping, found.stiffness) == pytest.approx(FINGER, rel=2e-3)
    assert found.offset == pytest.approx(0.4, abs=0.01)  # trapezoidal rule at 2 kHz, 23 Hz


def test_noise_of_a_load_cell_spoils_it_little():
    t, x, F = shaken()
    found = fit_impedance(t, x, F + np.random.default_rng(2).normal(scale=0.02, size=t.size))
    assert (found.mass, found.damping, found.stiffness) == pytest.approx(FINGER, rel=0.05)


def test_a_motion_that_tells_nothing_is_refused():
    t = np.linspace(0.0, 1.0, 100)
    with pytest.raises(SolveError, match="several frequencies"):
        fit_impedance(t, np.zeros(100), np.zeros(100))


def test_series_of_different_lengths_are_refused():
    with pytest.raises(InputError, match="one length"):
        fit_impedance(np.arange(9.0), np.arange(8.0), np.arange(9.0))


def test_recursion_finds_what_a_batch_finds():
    rng = np.random.default_rng(5)
    rows, theta = rng.normal(size=(200, 3)), np.array([3.0, -0.5, 20.0])
    values = rows @ theta + 0.01 * rng.normal(size=200)
    recursive = RecursiveLeastSquares([1.0, 1.0, 10.0])
    for row, value in zip(rows, values):
        recursive.learn(row, value)
    batch = np.linalg.lstsq(rows, values, rcond=None)[0]
    np.testing.assert_allclose(recursive.estimate, batch, rtol=1e-6)


def test_forgetting_follows_a_change():
    rng = np.random.default_rng(6)
    recursive = RecursiveLeastSquares([1.0], forgetting=0.9)
    for value in (2.0, 7.0):
        for phi in rng.normal(size=200):
            recursive.learn([phi], value * phi)
        assert recursive.estimate[0] == pytest.approx(value, rel=1e-6)


def test_an_observer_that_cannot_settle_is_named():
    unseen = Kalman(((1.0, 0.0), (0.0, 2.0)), (1.0, 0.0), ((1.0, 0.0), (0.0, 1.0)), 1.0, (0.0, 1.0))
    with pytest.raises(SolveError, match="not seen"):
        _ = unseen.gain


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: RecursiveLeastSquares([1.0], forgetting=0.0), "Forgetting"),
        (lambda: RecursiveLeastSquares([0.0]), "positive"),
        (lambda: Kalman(((1.0,),), (1.0, 0.0), ((1.0,),), 1.0, (1.0,)), "don't fit"),
        (lambda: Kalman(((1.0,),), (1.0,), ((1.0,),), 0.0, (1.0,)), "R is 0"),
        (lambda: Kalman(((1.0,),), (1.0,), ((1.0,),), 1.0, (1.0,), (1.0, 2.0)), "2 numbers for 1"),
        (lambda: gyro_fusion(1e-3, 0.01, 0.0, 1e-3), "rate_noise.*must be positive"),
    ],
)
def test_what_cannot_be_estimated_is_refused_in_words(make, words):
    with pytest.raises(InputError, match=words):
        make()


def test_forgetting_weighs_old_samples_by_its_powers():
    random = np.random.default_rng(2)
    rows, values = random.normal(size=(60, 2)), random.normal(size=60)
    found = RecursiveLeastSquares([1.0, 1.0], forgetting=0.9)
    for row, value in zip(rows, values):
        found.learn(row, value)
    weights = 0.9 ** (np.arange(59, -1, -1) / 2.0)  # the roots: they multiply both sides
    batch = np.linalg.lstsq(rows * weights[:, None], values * weights, rcond=None)[0]
    np.testing.assert_allclose(found.estimate, batch, rtol=1e-6)
