"""White noise in models: the published generator, its statistics, its use in a converter."""

import numpy as np
import pytest
import sympy
from scipy import stats

import touchback as tb
from touchback.devices.sensors import Converter, Noise, _remainder, noise, uniform
from touchback.errors import InputError
from touchback.haptics.displays import hold

# RngStreams (L'Ecuyer, Simard, Chen & Kelton 2002), all six numbers 12345.
PUBLISHED = [0.12701112204657714, 0.3185275653967945, 0.3091860155832701, 0.8258468629271136]
THOUSANDTH = 0.98607848680213228


def drawn(memory, count):
    numbers = []
    for _ in range(count):
        memory, number = uniform(memory)
        numbers.append(number)
    return np.array(numbers), memory


def test_the_generator_is_the_published_one():
    numbers, _ = drawn((12345.0,) * 6, 1000)
    np.testing.assert_array_equal(numbers[:4], PUBLISHED)
    assert numbers[-1] == THOUSANDTH


def test_doubles_do_the_arithmetic_of_whole_numbers_exactly():
    m1, m2 = 4294967087, 4294944443
    whole = [m1 - 1, 1, m1 - 2, m2 - 1, m2 - 2, 1]  # near the ends, where rounding would show
    doubles = tuple(map(float, whole))
    for _ in range(3000):
        first = (1403580 * whole[1] - 810728 * whole[0]) % m1
        second = (527612 * whole[5] - 1370589 * whole[3]) % m2
        whole = [whole[1], whole[2], first, whole[4], whole[5], second]
        doubles, _ = uniform(doubles)
        assert list(doubles) == whole


def test_multiples_of_the_modulus_leave_nothing():
    for modulus in (4294967087.0, 4294944443.0):
        for quotient in (-1370588.0, -810727.0, -3.0, 0.0, 3.0, 527611.0, 1403579.0):
            for left in (0.0, 1.0, modulus - 1.0):
                assert _remainder(quotient * modulus + left, modulus) == left


@pytest.fixture(scope="module")
def streams():
    """1000 samples of each of 200 seeds, at deviation 2."""
    sources = [Noise(2.0, seed) for seed in range(200)]
    memory = np.array([source.start() for source in sources]).T
    samples = []
    for _ in range(1000):
        memory, sample = sources[0].step(memory)
        samples.append(sample)
    return np.array(samples)


def test_samples_are_normal_with_the_deviation_asked_for(streams):
    values = streams.ravel() / 2.0
    n = len(values)
    assert abs(values.mean()) < 4 / np.sqrt(n)
    assert abs(values.var() - 1.0) < 4 * np.sqrt(2 / n)
    assert stats.kstest(values, "norm").pvalue > 1e-3


def test_samples_are_white_and_seeds_independent(streams):
    values = streams / 2.0
    n = values.size
    for lag in (1, 2, 3, 10, 100):
        along = np.mean(values[lag:] * values[:-lag])
        assert abs(along) < 4 / np.sqrt(n)
    across = np.mean(values[:, 1:] * values[:, :-1])
    assert abs(across) < 4 / np.sqrt(n)
    power = np.mean(np.abs(np.fft.rfft(values, axis=0)) ** 2, axis=1) / len(values)
    assert stats.kstest((power[1:-1] - 1.0) * np.sqrt(200), "norm").pvalue > 1e-3


def test_no_state_comes_back_for_2_to_the_191_draws():
    """Each recurrence runs through all of its modulus³ − 1 states: its matrix becomes the identity
    at that power, and at none of those that divide it."""
    periods = []
    for modulus, matrix in (
        (4294967087, [[0, 1, 0], [0, 0, 1], [-810728, 1403580, 0]]),
        (4294944443, [[0, 1, 0], [0, 0, 1], [-1370589, 0, 527612]]),
    ):
        base, states = np.array(matrix, dtype=object) % modulus, modulus**3 - 1
        factors = (2, (modulus - 1) // 2, modulus**2 + modulus + 1)
        assert all(sympy.isprime(factor) for factor in factors)
        assert np.prod(np.array(factors, dtype=object)) == states
        np.testing.assert_array_equal(_power(base, states, modulus), np.eye(3, dtype=int))
        for factor in factors:
            part = _power(base, states // factor, modulus)
            assert (part != np.eye(3, dtype=int)).any()
        periods.append(states)
    assert np.lcm.reduce(np.array(periods, dtype=object)) > 2**190.9


def _power(matrix, exponent, modulus):
    result = np.eye(3, dtype=int).astype(object)
    for bit in bin(exponent)[2:]:
        result = result @ result % modulus
        if bit == "1":
            result = result @ matrix % modulus
    return result


def sensor(deviation=1e-3, seed=7):
    m = tb.Model("noisy sensor")
    m.joint("slide", tb.Prismatic("x"), m.ground, m.body("slide", mass=1.0), position=0.25)
    adc = Converter(bits=12, low=0.0, high=1.0)
    voltage = m.coordinate("slide") + noise(m, "hiss", deviation, seed)
    read = hold(m, "read", adc.quantity(adc.reading(voltage)))
    m.sensor("reading", tb.Signal(read, "V"))
    return m.compile()


def test_a_model_draws_the_samples_of_the_lines_it_was_made_of():
    run = tb.simulate(sensor(), duration=0.2, rate=1000, step=1e-3, progress=False)
    source, expected = Noise(1e-3, 7), []
    memory = source.start()
    for _ in range(len(run)):
        memory, sample = source.step(memory)
        expected.append(sample)
    np.testing.assert_allclose(run["hiss"], expected, rtol=1e-12)


def test_a_converter_reads_noise_and_the_same_seed_reads_the_same():
    runs = [
        tb.simulate(sensor(seed=seed), duration=2.0, rate=1000, step=1e-3, progress=False)[
            "reading"
        ]
        for seed in (7, 7, 8)
    ]
    np.testing.assert_array_equal(runs[0], runs[1])
    assert (runs[0] != runs[2]).any()
    step = 1.0 / 4095
    read = runs[0][10:]
    assert read.mean() == pytest.approx(0.25, abs=4 * 1e-3 / np.sqrt(len(read)))
    assert read.std() == pytest.approx(np.hypot(1e-3, step / np.sqrt(12)), rel=0.08)
    np.testing.assert_allclose(read / step, np.round(read / step), atol=1e-6)


def test_a_live_run_draws_them_too():
    system = sensor()
    with tb.live(system, rate=1000, speed=None, record=True) as live:
        live.run(0.1)
    run = tb.simulate(system, duration=0.1, rate=1000, step=1e-3, progress=False)
    np.testing.assert_array_equal(live.recorded()["hiss"], run["hiss"][1:])


def test_impossible_noise_is_refused():
    with pytest.raises(InputError, match=r"deviation is -1\.0"):
        Noise(-1.0)
    with pytest.raises(InputError, match=r"seed is 1\.5"):
        Noise(1.0, 1.5)
