"""How well a simulator goes with a car: how late one signal is after another, how far repeated
manoeuvres are apart, and where a model could be one of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.numbers import check_period, series


@dataclass(frozen=True)
class Latency:
    """A signal is `seconds` behind another (negative: ahead), at which they correlate by
    `correlation`; `deviation` [s] is the standard deviation of that time if what differs is white
    noise, and too small if it isn't."""

    seconds: float
    correlation: float
    deviation: float


def measure_latency(reference: ArrayLike, signal: ArrayLike, period: float, most: float) -> Latency:
    """How far a signal is behind a reference, both sampled every `period` seconds, by the largest
    correlation within ± `most` seconds; between samples by a parabola."""
    check_period("measure_latency", period)
    x, y = series("measure_latency", 8, reference=reference, signal=signal)
    lags = round(most / period)
    if not 1 <= lags <= len(x) // 2:
        raise InputError(
            f"measure_latency: ±{most} s are {lags} samples of {len(x)}; give up to half of them."
        )
    found = np.array([_correlation(x, y, k) for k in range(-lags, lags + 1)])
    if not np.any(found > 0.0):
        raise InputError(
            "measure_latency: the signals don't correlate; one of them is constant, or turned over."
        )
    peak = int(np.argmax(found))
    if peak in (0, 2 * lags):
        raise InputError(
            f"measure_latency: the signals correlate best at the end of ±{most:g} s; give more."
        )
    before, here, after = found[peak - 1 : peak + 2]
    bend = before - 2.0 * here + after
    part = 0.5 * (before - after) / bend if bend < 0.0 else 0.0
    best = min(1.0, here - 0.25 * (before - after) * part)
    # Of white noise of variance (1 − ρ²)/ρ² of the signal's, by the signal's own slope.
    slope = np.std(np.gradient(x)) / np.std(x)
    doubt = math.sqrt(max(0.0, 1.0 - best**2) / (best**2 * len(x))) / slope
    return Latency((peak - lags + part) * period, float(best), float(doubt * period))


def _correlation(x: np.ndarray, y: np.ndarray, lag: int) -> float:
    """Of x and y `lag` samples later, where both are."""
    n = len(x)
    a, b = (x[: n - lag], y[lag:]) if lag >= 0 else (x[-lag:], y[: n + lag])
    a, b = a - a.mean(), b - b.mean()
    size = math.sqrt(float(a @ a) * float(b @ b))
    return float(a @ b) / size if size > 0.0 else 0.0


def aligned(signal: ArrayLike, period: float, latency: float) -> np.ndarray:
    """A signal without its latency [s], at the same instants; NaN where it wasn't yet, or no more,
    measured."""
    (y,) = series("aligned", 2, signal=signal)
    t = period * np.arange(len(y))
    return np.interp(t + latency, t, y, left=np.nan, right=np.nan)


@dataclass(frozen=True, eq=False)
class Bands:
    """Repeated manoeuvres at each instant: their mean, its confidence interval ± `mean_half`, and
    ± `single_half`, in which one more of them lies at that `level`."""

    mean: np.ndarray
    mean_half: np.ndarray
    single_half: np.ndarray
    runs: int
    level: float


def confidence_bands(runs: Sequence[ArrayLike], level: float = 0.95) -> Bands:
    """Bands of at least two runs of one length, by Student's t: t s/√n of the mean, t s √(1 + 1/n)
    of a further run."""
    if not 0.0 < level < 1.0:
        raise InputError(f"confidence_bands: a level of {level}; give one between 0 and 1.")
    if len(runs) < 2:
        raise InputError(f"confidence_bands: {len(runs)} runs; two at least have a spread.")
    rows = np.stack(series("confidence_bands", 1, **{f"run {i}": r for i, r in enumerate(runs)}))
    from scipy.stats import t as student  # slow to import

    n = len(rows)
    wide = float(student.ppf(0.5 + 0.5 * level, n - 1)) * rows.std(axis=0, ddof=1)
    return Bands(rows.mean(axis=0), wide / math.sqrt(n), wide * math.sqrt(1 + 1 / n), n, level)


@dataclass(frozen=True, eq=False)
class Validity:
    """Where a model could be one more run: at which instants, for which `share` of them, when it
    could not (from, to [s]), and how far it is from the mean (root mean square, and most)."""

    inside: np.ndarray
    share: float
    outside: tuple[tuple[float, float], ...]
    rms: float
    most: float

    @property
    def valid(self) -> bool:
        """Whether it nowhere leaves the band for longer than chance lets it."""
        return not self.outside


def judge_model(
    times: ArrayLike, model: ArrayLike, bands: Bands, least: float = 0.0, floor: float = 0.0
) -> Validity:
    """Holds a model's signal to bands of measured runs. Exits shorter than `least` seconds count as
    chance; a band is never narrower than ± `floor`, the sensor's own uncertainty."""
    t, y, mean = series("judge_model", 2, times=times, model=model, mean=bands.mean)
    off = y - mean
    inside = np.abs(off) <= np.maximum(bands.single_half, floor)
    edges = np.flatnonzero(np.diff(np.concatenate([[True], inside, [True]]).astype(int)))
    step = float(np.median(np.diff(t)))
    stays = [
        (float(t[i]), float(t[j - 1]))
        for i, j in zip(edges[::2], edges[1::2], strict=True)
        if t[j - 1] - t[i] + step > least
    ]
    rms = float(np.sqrt(np.mean(off**2)))
    return Validity(inside, float(inside.mean()), tuple(stays), rms, float(np.abs(off).max()))
