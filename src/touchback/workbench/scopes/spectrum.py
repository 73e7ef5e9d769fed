"""Spectra: which frequencies a signal has, with their amplitudes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from touchback.errors import InputError

Floats = np.ndarray
WINDOWS = ("hann", "flat", "none")
LONGEST = 1 << 16  # samples
_FLAT = (0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368)  # its cosines (ISO 18431-2)
_FEWEST = 16


@dataclass(frozen=True)
class Spectrum:
    """Amplitudes A (F, n) at frequencies [Hz] (F,): a sine A sin(2π f t) has its peak A at f. The
    `window` smears a peak over a few lines of the distance `step` [Hz]."""

    frequency: Floats
    amplitude: Floats
    window: str
    step: float


def window_of(kind: str, count: int) -> Floats:
    """A window by its name: "hann" for frequencies, "flat" (flat top) for amplitudes to a part in
    a thousand wherever the frequency lies between two lines, "none" for what is periodic in it."""
    if kind not in WINDOWS:
        raise InputError(f"A spectrum's window is one of {', '.join(WINDOWS)}, got {kind!r}.")
    turn = 2 * np.pi * np.arange(count) / count
    if kind == "none":
        return np.ones(count)
    if kind == "hann":
        return 0.5 - 0.5 * np.cos(turn)
    signs = (1, -1, 1, -1, 1)
    return np.sum([s * a * np.cos(k * turn) for k, (s, a) in enumerate(zip(signs, _FLAT))], axis=0)


def spectrum(time: Floats, values: Floats, window: str = "hann") -> Spectrum:
    """The spectrum of evenly sampled values (N, n), their mean taken away; of more than 65 536
    samples the last. One sample that isn't a number makes its trace NaN."""
    time, values = time[-LONGEST:], values[-LONGEST:]
    count = len(time)
    if count < _FEWEST:
        raise InputError(
            f"A spectrum needs {_FEWEST} samples, there are {count}; let the run go on."
        )
    step = float(time[-1] - time[0]) / (count - 1)
    if np.abs(np.diff(time) - step).max() > 0.01 * step:
        raise InputError(
            "A spectrum needs ticks of the same length; the run changed its rate or had a gap in "
            "this span, choose a shorter or another one."
        )
    shape = window_of(window, count)[:, None]
    lines = np.fft.rfft((values - values.mean(axis=0)) * shape, axis=0)
    amplitude = 2.0 * np.abs(lines) / shape.sum()
    amplitude[0] /= 2.0
    if count % 2 == 0:
        amplitude[-1] /= 2.0
    frequency = np.fft.rfftfreq(count, step)
    return Spectrum(frequency, amplitude, window, 1.0 / (count * step))


def keep_peaks(found: Spectrum, most: int) -> Spectrum:
    """The same with fewer lines: of neighbours the highest, at its own frequency when there is one
    trace, else at the first one's."""
    count = len(found.frequency)
    if count <= most:
        return found
    starts = np.linspace(0, count, most + 1).astype(int)[:-1]
    amplitude = np.fmax.reduceat(found.amplitude, starts)
    highest = [
        first + int(found.amplitude[first:last].max(axis=1).argmax())
        for first, last in zip(starts, [*starts[1:], count])
    ]
    return Spectrum(found.frequency[highest], amplitude, found.window, found.step)
