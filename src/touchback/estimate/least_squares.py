"""Constants from motion: recursive least squares, and the impedance that fits a record."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from touchback.errors import InputError, SolveError
from touchback.numbers import LEAST, number_within, positive_number, series, shown

_WORST_CONDITION = 1e10


class RecursiveLeastSquares:
    """Estimates θ of y = φ·θ + noise, sample by sample; old samples fade by `forgetting` a sample.

    Åström & Wittenmark, Adaptive Control, section 2.2. `scale` holds the expected sizes of θ,
    `unsure` the variance of the first `guess` (zero) in their squares."""

    def __init__(
        self,
        scale: Sequence[float],
        forgetting: float = 1.0,
        guess: Sequence[float] | None = None,
        unsure: float = 1e8,
    ) -> None:
        sentence = "Forgetting must be a number above 0 and at most 1"
        self.forgetting = number_within(sentence, forgetting, LEAST, 1.0)
        self.unsure = positive_number("The variance of a guess, `unsure`,", unsure)
        (self._scale,) = series("Scales of least squares", 1, scale=scale)
        if not np.all(self._scale > 0.0):
            raise InputError(f"Scales must be positive, got {shown(scale)}.")
        start = np.zeros(len(self._scale))
        if guess is not None:
            (start,) = series("Guesses of least squares", 1, guess=guess)
        if start.shape != self._scale.shape or not len(start):
            raise InputError(f"{len(start)} guesses for {len(self._scale)} scales; give as many.")
        self._theta = start / self._scale
        self._covariance = unsure * np.eye(len(self._scale))

    @property
    def estimate(self) -> np.ndarray:
        """θ as known at present."""
        return np.asarray(self._theta * self._scale)

    def learn(self, row: Sequence[float], value: float) -> float:
        """Takes in a sample φ, y; returns how far y was from its prediction."""
        phi = np.asarray(row, dtype=float) * self._scale
        error = float(value - phi @ self._theta)
        spread = self._covariance @ phi
        gain = spread / (self.forgetting + phi @ spread)
        self._theta = self._theta + gain * error
        covariance = (self._covariance - np.outer(gain, spread)) / self.forgetting
        # Symmetric again after rounding, and bounded where nothing is learnt for long.
        covariance = 0.5 * (covariance + covariance.T)
        self._covariance = covariance * min(1.0, self.unsure / covariance.diagonal().max())
        return error


@dataclass(frozen=True)
class Impedance:
    """F = mass ẍ + damping ẋ + stiffness x + offset, with the root mean square of what is left."""

    mass: float
    damping: float
    stiffness: float
    offset: float
    residual: float


def fit_impedance(time: np.ndarray, position: np.ndarray, force: np.ndarray) -> Impedance:
    """The impedance whose force explains a record [s, m, N], by least squares.

    The law is integrated twice over time, m x + b ∫x + k ∬x + c t²/2 + straight line = ∬F, so that
    nothing is differentiated and noise is averaged (trapezoidal rule)."""
    t, x, F = series("fit_impedance", 8, time=time, position=position, force=force)
    once, twice = _integral(t, x), _integral(t, _integral(t, x))
    s = t - t[0]
    columns = np.stack([x - x[0], once, twice, s**2 / 2.0, s, np.ones_like(s)], axis=1)
    size = np.maximum(np.abs(columns).max(axis=0), np.finfo(float).tiny)
    scaled = columns / size
    if np.linalg.cond(scaled) > _WORST_CONDITION:
        raise SolveError(
            "fit_impedance: the motion doesn't tell mass, damping and stiffness apart; move the "
            "device over several frequencies, not with one sine or at rest."
        )
    fit = np.linalg.lstsq(scaled, _integral(t, _integral(t, F)), rcond=None)[0] / size
    mass, damping, stiffness, offset = fit[:4]
    # ∬ of k x counts x from x[0]: the constant part of the mass term is in the line
    v = np.gradient(x, t)
    left = F - (mass * np.gradient(v, t) + damping * v + stiffness * x + offset)
    return Impedance(
        float(mass), float(damping), float(stiffness), float(offset),
        float(np.sqrt(np.mean(left[2:-2] ** 2))),
    )  # fmt: skip


def _integral(t: np.ndarray, y: np.ndarray) -> np.ndarray:
    steps = np.diff(t) * (y[1:] + y[:-1]) / 2.0
    return np.concatenate([[0.0], np.cumsum(steps)])
