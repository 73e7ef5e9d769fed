"""Spectra and XY pictures, against closed forms."""

import numpy as np
import pytest

from touchback.errors import InputError
from touchback.workbench.scopes import spectrum, thinned
from touchback.workbench.scopes.scope_port import keep_peaks

RATE = 1000.0


def sine(amplitude: float, hertz: float, seconds: float = 2.0) -> tuple[np.ndarray, np.ndarray]:
    time = np.arange(int(seconds * RATE)) / RATE
    return time, amplitude * np.sin(2 * np.pi * hertz * time + 0.3)[:, None] + 5.0


@pytest.mark.parametrize("window", ["hann", "flat", "none"])
def test_a_sine_on_a_line_shows_its_amplitude_and_frequency(window: str) -> None:
    time, values = sine(0.37, 50.0)
    found = spectrum(time, values, window)
    peak = int(found.amplitude[:, 0].argmax())
    assert found.frequency[peak] == pytest.approx(50.0, abs=1e-9)
    assert found.amplitude[peak, 0] == pytest.approx(0.37, rel=1e-6)


def test_between_two_lines_a_flat_top_window_still_tells_the_amplitude() -> None:
    """A Hann window loses up to 15 % there (its scallop, 1.42 dB), the flat top under 0.1 %."""
    time, values = sine(0.37, 50.25)
    assert spectrum(time, values, "flat").amplitude.max() == pytest.approx(0.37, rel=2e-3)
    hann = spectrum(time, values, "hann").amplitude.max()
    assert 0.37 * 10 ** (-1.5 / 20) < hann < 0.37


def test_the_mean_is_no_peak_and_noise_of_the_computation_is_far_below() -> None:
    time, values = sine(1.0, 125.0)
    found = spectrum(time, values, "hann")
    away = np.abs(found.frequency - 125.0) > 2.5
    assert found.amplitude[away].max() < 1e-12


def test_fewer_lines_keep_the_peak_where_and_as_high_as_it_is() -> None:
    found = keep_peaks(spectrum(*sine(0.37, 311.0, seconds=20.0)), 200)
    peak = int(found.amplitude[:, 0].argmax())
    assert len(found.frequency) == 200
    assert (found.frequency[peak], found.amplitude[peak, 0]) == pytest.approx((311.0, 0.37))


def test_a_span_with_a_hole_has_no_spectrum() -> None:
    time, values = sine(1.0, 10.0)
    with pytest.raises(InputError, match="same length"):
        spectrum(np.where(time > 1, time + 0.5, time), values)
    with pytest.raises(InputError, match="needs 16 samples, there are 3"):
        spectrum(time[:3], values[:3])


def test_a_thinned_curve_keeps_its_corners() -> None:
    """A square gone round in 40 000 samples, one tick outside: corners and the tick stay."""
    s = np.linspace(0, 4, 40_000, endpoint=False)
    x = np.clip(np.abs((s - 0.5) % 4 - 2) - 0.5, 0, 1)
    y = np.clip(np.abs((s + 0.5) % 4 - 2) - 0.5, 0, 1)
    pairs = np.stack([s, x, y], axis=1)
    pairs[12_345, 2] = 3.0
    found = thinned(pairs, 1000)
    assert len(found) <= 1000 and (np.diff(found[:, 0]) > 0).all()
    assert 3.0 in found[:, 2]
    for corner in ((0, 0), (0, 1), (1, 0), (1, 1)):
        # a stretch has 160 samples of 1e-4 each: a corner may be seen that far off
        assert np.hypot(*(found[:, 1:] - corner).T).min() < 0.016
