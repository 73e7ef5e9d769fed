"""Kalman's observer in its steady state: the gain is solved beforehand, a sample costs a few
products."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from touchback.errors import InputError, SolveError
from touchback.estimate.checks import check_period
from touchback.model.value import Value
from touchback.spatial.vectors import Scalar

Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Kalman:
    """Observer of x⁺ = A x + w, y = C x + e with covariances Q of w and variance R of e. The
    estimate is D x, with x filtered by the sample at hand."""

    A: Matrix
    C: tuple[float, ...]
    Q: Matrix
    R: float
    D: tuple[float, ...]

    def __post_init__(self) -> None:
        n = len(self.C)
        if np.shape(self.A) != (n, n) or np.shape(self.Q) != (n, n) or len(self.D) != n:
            raise InputError(
                f"Kalman: A {np.shape(self.A)}, Q {np.shape(self.Q)}, C ({n},) and D "
                f"({len(self.D)},) don't fit: A and Q are square, of the length of C and D."
            )
        if not self.R > 0.0:
            raise InputError(
                f"Kalman: R is {self.R}; a sensor without any noise needs no observer."
            )

    @cached_property
    def covariance(self) -> np.ndarray:
        """P of the prediction's error, the solution of the discrete Riccati equation."""
        from scipy.linalg import solve_discrete_are  # half a second, not for the command's start

        A, C = np.array(self.A), np.array([self.C])
        try:
            return np.asarray(solve_discrete_are(A.T, C.T, np.array(self.Q), np.array([[self.R]])))
        except np.linalg.LinAlgError:
            raise SolveError(
                "Kalman: no steady state exists: a mode that doesn't decay is not seen in y = C x, "
                "or no noise w reaches it. Check C, or give Q a larger diagonal."
            ) from None

    @cached_property
    def gain(self) -> np.ndarray:
        """P Cᵀ/(C P Cᵀ + R)."""
        C, P = np.array(self.C), self.covariance
        return np.asarray(P @ C / (C @ P @ C + self.R))

    def at_rest(self, sample: float) -> tuple[float, ...]:
        """The state that a constant sample leads to, x = A x + gain (sample − C A x): where there
        is one, the fixed state that shows the sample."""
        A, C, n = np.array(self.A), np.array(self.C), len(self.C)
        fixed, shown = np.vstack([A - np.eye(n), C]), np.append(np.zeros(n), 1.0)
        unit = np.linalg.lstsq(fixed, shown, rcond=None)[0]
        if not np.allclose(fixed @ unit, shown, rtol=0.0, atol=1e-9):
            unit = np.linalg.solve(np.eye(n) - A + np.outer(self.gain, C @ A), self.gain)
        return tuple(float(x) * sample for x in unit)

    def step(self, memory: Sequence[Scalar], sample: Scalar) -> tuple[Sequence[Scalar], Scalar]:
        predicted = [_dot(row, memory) for row in self.A]
        surprise = sample - _dot(self.C, predicted)
        x = [float(g) * surprise + p for g, p in zip(self.gain, predicted, strict=True)]
        return x, _dot(self.D, x)


def kalman_differentiator(period: float, noise: float, jerk: float) -> Kalman:
    """Velocity of a position whose acceleration is driven by white jerk of spectral density `jerk`²
    [(m/s³)²/Hz], measured with standard deviation `noise` [m]. A step Δ of an encoder counts as
    Δ/√12."""
    check_period("kalman_differentiator", period)
    if not (noise > 0.0 and jerk > 0.0):
        raise InputError(f"kalman_differentiator: noise {noise} and jerk {jerk} must be positive.")
    T = period
    A = ((1.0, T, T**2 / 2.0), (0.0, 1.0, T), (0.0, 0.0, 1.0))
    shares = (
        (T**5 / 20.0, T**4 / 8.0, T**3 / 6.0),
        (T**4 / 8.0, T**3 / 3.0, T**2 / 2.0),
        (T**3 / 6.0, T**2 / 2.0, T),
    )
    Q = tuple(tuple(jerk**2 * share for share in row) for row in shares)
    return Kalman(A, (1.0, 0.0, 0.0), Q, noise**2, (0.0, 1.0, 0.0))


def _dot(row: Sequence[float], x: Sequence[Value]) -> Value:
    return sum(float(a) * b for a, b in zip(row, x, strict=True) if a)
