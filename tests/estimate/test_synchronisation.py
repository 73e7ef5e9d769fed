"""Latency by correlation, bands of repeated manoeuvres, and where a model is valid."""

import numpy as np
import pytest
from scipy.stats import t as student

from touchback.errors import InputError
from touchback.estimate import aligned, confidence_bands, judge_model, measure_latency

T = 0.01


def swaying(late: float, count: int = 600, seed: int = 0) -> np.ndarray:
    """A manoeuvre of many slow sines, `late` seconds after the same one."""
    draw = np.random.default_rng(seed)
    t = T * np.arange(count) - late
    return sum(
        np.sin(2 * np.pi * f * t + p)
        for f, p in zip(draw.uniform(0.2, 1.5, 8), draw.uniform(0, 6, 8))
    )


@pytest.mark.parametrize("late", [0.0, 0.0734, -0.12, 0.005])
def test_a_latency_is_found_between_samples_and_to_either_side(late: float) -> None:
    found = measure_latency(swaying(0.0), 3.0 * swaying(late) + 7.0, T, 0.3)
    assert found.seconds == pytest.approx(late, abs=2e-4)
    assert found.correlation == pytest.approx(1.0, abs=1e-3)


def test_its_deviation_is_how_far_it_scatters_in_noise() -> None:
    draw, clean, late = np.random.default_rng(8), swaying(0.0), swaying(0.05)
    found = [
        measure_latency(clean, late + 0.8 * draw.normal(size=len(late)), T, 0.2) for _ in range(60)
    ]
    scatter = np.std([each.seconds for each in found])
    told = np.mean([each.deviation for each in found])
    # The scatter of 60 is known to 9 %, correlation over overlaps adds a little.
    assert 0.7 < told / scatter < 1.4
    assert abs(np.mean([each.seconds for each in found]) - 0.05) < 4 * scatter / np.sqrt(60)


def test_a_signal_without_its_latency_is_the_reference() -> None:
    found = aligned(swaying(0.05), T, 0.05)
    np.testing.assert_allclose(found[:-5], swaying(0.0)[:-5], atol=1e-9)
    assert np.all(np.isnan(found[-5:]))


def test_bands_are_student_s_and_hold_one_more_run_as_often_as_they_say() -> None:
    draw = np.random.default_rng(3)
    runs = draw.normal(2.0, 0.5, (6, 4000))  # each instant is an experiment of its own
    bands = confidence_bands(runs, 0.9)
    factor, s = student.ppf(0.95, 5), runs.std(axis=0, ddof=1)
    np.testing.assert_allclose(bands.mean_half, factor * s / np.sqrt(6), rtol=1e-12)
    another = draw.normal(2.0, 0.5, 4000)
    share = judge_model(T * np.arange(4000), another, bands).share
    assert share == pytest.approx(0.9, abs=4 * np.sqrt(0.09 / 4000))
    covered = np.mean(np.abs(bands.mean - 2.0) <= bands.mean_half)
    assert covered == pytest.approx(0.9, abs=4 * np.sqrt(0.09 / 4000))


def test_a_model_is_told_when_it_leaves_the_band_and_for_how_long() -> None:
    t = T * np.arange(400)
    bands = confidence_bands([np.sin(t) + 0.1, np.sin(t) - 0.1, np.sin(t)])
    assert judge_model(t, np.sin(t) + 0.2, bands).valid
    model = np.sin(t) + np.where((t >= 1.0) & (t < 1.5), 1.0, 0.0) + np.where(t == t[300], 1.0, 0.0)
    found = judge_model(t, model, bands, least=0.05)
    assert found.outside == ((1.0, pytest.approx(1.49)),)  # a single instant is chance
    assert found.share == pytest.approx(1 - 51 / 400)
    assert found.rms == pytest.approx(np.sqrt(51 / 400)) and found.most == pytest.approx(1.0)
    assert len(judge_model(t, model, bands).outside) == 2
    assert judge_model(t, model, bands, floor=1.5).valid
    late = judge_model(t, np.where(t > 3.0, 9.0, np.sin(t)), bands)
    assert late.outside[0][1] == pytest.approx(t[-1])


def test_what_can_not_be_told_is_refused() -> None:
    x = swaying(0.0)
    with pytest.raises(InputError, match="at the end of"):
        measure_latency(x, swaying(0.2), T, 0.1)
    with pytest.raises(InputError, match="don't correlate"):
        measure_latency(x, np.ones_like(x), T, 0.1)
    with pytest.raises(InputError, match="up to half"):
        measure_latency(x, x, T, 5.0)
    with pytest.raises(InputError, match="two at least"):
        confidence_bands([x])
    with pytest.raises(InputError, match="level"):
        confidence_bands([x, x], 95.0)
    with pytest.raises(InputError, match="one length"):
        confidence_bands([x, x[1:]])
