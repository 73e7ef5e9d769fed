"""Losses ρ(z) of squared residuals z in units of their noise (squared with the tuning constant),
as `scipy.optimize.least_squares` knows them, and how sure a fit with each of them is."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from touchback.errors import InputError


@dataclass(frozen=True)
class Loss:
    """`scale`: residuals, in standard deviations, from which on they count less than squares;
    `slope` and `bend` are ρ′ and ρ″ of z."""

    word: str
    scale: float
    slope: Callable[[np.ndarray], np.ndarray]
    bend: Callable[[np.ndarray], np.ndarray]

    def variance(self, residuals: np.ndarray, unknowns: int) -> float:
        """What (JᵀJ)⁻¹ is multiplied with: Σψ²/(N − unknowns) / (mean ψ′)², of ψ(r) = ρ′ r
        (Huber, Robust Statistics, 1981, section 7.6); of squares the mean square itself."""
        z = (residuals / self.scale) ** 2
        psi = self.slope(z) * residuals
        steep = float(np.mean(self.slope(z) + 2.0 * z * self.bend(z)))
        return float(psi @ psi) / (len(residuals) - unknowns) / steep**2


def _huber_slope(z: np.ndarray) -> np.ndarray:
    return np.asarray(1.0 / np.sqrt(np.maximum(z, 1.0)))


def _huber_bend(z: np.ndarray) -> np.ndarray:
    return np.where(z > 1.0, -0.5 * np.maximum(z, 1.0) ** -1.5, 0.0)


# Tuning constants of 95 % efficiency where the noise is normal after all: Holland and Welsch 1977.
LOSSES = {
    loss.word: loss
    for loss in (
        Loss("linear", 1.0, np.ones_like, np.zeros_like),
        Loss("huber", 1.345, _huber_slope, _huber_bend),
        Loss("soft_l1", 1.345, lambda z: (1 + z) ** -0.5, lambda z: -0.5 * (1 + z) ** -1.5),
        Loss("cauchy", 2.385, lambda z: 1 / (1 + z), lambda z: -1 / (1 + z) ** 2),
    )
}


def loss_of(word: str) -> Loss:
    """A loss by its name."""
    if word not in LOSSES:
        raise InputError(f"loss: {word!r} is none; choose one of {', '.join(map(repr, LOSSES))}.")
    return LOSSES[word]


def spread(residuals: np.ndarray, followed: float, loss: Loss) -> float:
    """The noise's standard deviation, of which outliers decide nothing unless squares count: then
    by the median, 1.4826 of which is that of normal noise. A fit has `followed` so many of the
    samples, and left that much less."""
    count = len(residuals)
    short = np.sqrt(count / max(count - followed, 1.0))
    if loss.word == "linear":
        return float(short * np.sqrt(np.mean(residuals**2)))
    return float(short * 1.4826 * np.median(np.abs(residuals)))
