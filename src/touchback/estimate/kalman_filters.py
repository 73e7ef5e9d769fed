"""Kalman's filters: the linear one in its steady state, whose gain is solved beforehand; the
extended one about the present estimate; the unscented one, by a few states that stand for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from touchback.errors import InputError, SolveError
from touchback.estimate.observer import Innovation, LocalLinearModel, Observer
from touchback.model import Value
from touchback.numbers import Scalar, check_fields, check_period, shown

Matrix = tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class Kalman:
    """Observer of x⁺ = A x + B u + w, y = C x + e with covariances Q of w and variance R of e. The
    estimate is D x, with x filtered by the sample at hand; u is known, where there is a B."""

    A: Matrix
    C: tuple[float, ...]
    Q: Matrix
    R: float
    D: tuple[float, ...]
    B: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        check_fields(self)
        for name, matrix in (("A", self.A), ("Q", self.Q)):
            try:
                square = np.isfinite(np.asarray(matrix, dtype=float)).all()
            except (TypeError, ValueError, OverflowError):
                square = False
            if not square:
                raise InputError(
                    f"Kalman: {name} must be a matrix of numbers, got {shown(matrix)}."
                )
        n = len(self.C)
        if np.shape(self.A) != (n, n) or np.shape(self.Q) != (n, n) or len(self.D) != n:
            raise InputError(
                f"Kalman: A {np.shape(self.A)}, Q {np.shape(self.Q)}, C ({n},) and D "
                f"({len(self.D)},) don't fit: A and Q are square, of the length of C and D."
            )
        if len(self.B) not in (0, n):
            raise InputError(f"Kalman: B has {len(self.B)} numbers for {n} states; give {n}.")
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
    def filtered(self) -> np.ndarray:
        """P of the estimate's error, (1 − gain C) P of the prediction's."""
        return np.asarray(self.covariance - np.outer(self.gain, self.C) @ self.covariance)

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

    def step(
        self, memory: Sequence[Scalar], sample: Scalar, known: Scalar = 0.0
    ) -> tuple[Sequence[Scalar], Scalar]:
        """The state after a sample, and the estimate; `known` is u of the time before it."""
        predicted = [_dot(row, memory) for row in self.A]
        if self.B:
            predicted = [p + b * known for p, b in zip(predicted, self.B, strict=True)]
        residual = sample - _dot(self.C, predicted)
        x = [float(g) * residual + p for g, p in zip(self.gain, predicted, strict=True)]
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


def gyro_fusion(
    period: float, angle_noise: float, rate_noise: float, bias_wander: float, sway: float = 0.0
) -> Kalman:
    """An angle and the bias of a gyroscope, from a sensor of the angle and the gyroscope's rate,
    which is the known u: θ⁺ = θ + T (u − b), so that nothing need be known of what moves.

    Standard deviations of a sample of the angle [rad] and of the rate [rad/s]; how fast the bias
    wanders [rad/s per √s], and the angle itself [rad per √s] where what carries the sensor of the
    angle moves as well."""
    check_period("gyro_fusion", period)
    given = {"angle_noise": angle_noise, "rate_noise": rate_noise, "bias_wander": bias_wander}
    if not (min(given.values()) > 0.0 and sway >= 0.0):
        raise InputError(f"gyro_fusion: {given} must be positive, sway {sway} not negative.")
    T = period
    Q = (((T * rate_noise) ** 2 + T * sway**2, 0.0), (0.0, T * bias_wander**2))
    A = ((1.0, -T), (0.0, 1.0))
    return Kalman(A, (1.0, 0.0), Q, angle_noise**2, (1.0, 0.0), B=(T, 0.0))


def _dot(row: Sequence[float], x: Sequence[Value]) -> Value:
    return sum(float(a) * b for a, b in zip(row, x, strict=True) if a)


class ExtendedKalman(Observer):
    """The extended Kalman filter on a compiled model: the model itself predicts, its linear model
    (exact derivatives, restricted to what loops allow) carries the covariance; see `Observer`."""

    def predict(self) -> None:
        flow, noise = self.noise(self.chart())
        x = np.concatenate([self.state.q, self.state.v, self.state.z])
        self.keep_state(self.run(x[None])[0])
        self.covariance = flow @ self.covariance @ flow.T + noise

    def correct(self, readings: Mapping[str, float]) -> None:
        here, P = self.chart(), self.covariance
        places, R = self.deviations(readings)
        C, x = here.C[places], np.concatenate([self.state.q, self.state.v, self.state.z])
        residual = np.array(list(readings.values())) - self.predict_readings(x[None])[0, places]
        S = C @ P @ C.T + R
        gain = np.linalg.solve(S, C @ P).T
        rest = np.eye(len(P)) - gain @ C
        self.covariance = rest @ P @ rest.T + gain @ R @ gain.T  # Joseph's: stays positive
        self.keep_state(self.apply_variation(x, here.variations @ (gain @ residual)))
        self.innovation = Innovation(tuple(readings), residual, S)


class UnscentedKalman(Observer):
    """The unscented Kalman filter on a compiled model (Julier and Uhlmann 1997, with κ = 3 − n for
    up to three states, 0 beyond): 2 n + 1 states as far off as the doubt reaches are run and
    measured, and their mean and spread taken. Right to the second order where the extended filter
    is to the first, at as many runs of the model; see `Observer`."""

    def predict(self) -> None:
        here = self.chart()
        noise = self.noise(here)[1]
        after = self.run(self._sigma_points(here))
        e, weights = self._point_variations(after)
        mean = weights @ e
        self.keep_state(self._apply_mean(after[0], mean))
        apart = e[:, self._rows] - mean[self._rows]
        self.covariance = apart.T @ (weights[:, None] * apart) + noise

    def correct(self, readings: Mapping[str, float]) -> None:
        here = self.chart()
        places, R = self.deviations(readings)
        points = self._sigma_points(here)
        shown, (e, weights) = (
            self.predict_readings(points)[:, places],
            self._point_variations(points),
        )
        expected = weights @ shown
        apart, off = e[:, self._rows], shown - expected
        S = off.T @ (weights[:, None] * off) + R
        across = apart.T @ (weights[:, None] * off)
        gain = np.linalg.solve(S, across.T).T
        residual = np.array(list(readings.values())) - expected
        self.covariance = self.covariance - gain @ S @ gain.T
        self.keep_state(self.apply_variation(points[0], here.variations @ (gain @ residual)))
        self.innovation = Innovation(tuple(readings), residual, S)

    def _sigma_points(self, here: LocalLinearModel) -> np.ndarray:
        """The present state, and those around it (a row each)."""
        n = len(here.rows)
        try:
            root = np.linalg.cholesky(self.covariance + 1e-300 * np.eye(n))
        except np.linalg.LinAlgError:
            eigenvalues, vectors = np.linalg.eigh(self.covariance)
            if eigenvalues[0] < -1e-6 * max(eigenvalues[-1], 1e-300):
                raise SolveError(
                    f"{self.system.name}: the covariance has the eigenvalue {eigenvalues[0]:g}: "
                    "the model is too crooked for so much doubt; measure more, or doubt less."
                ) from None
            root = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
        x = np.concatenate([self.state.q, self.state.v, self.state.z])
        reach = here.variations @ (root * np.sqrt(n + _kappa(n)))
        return np.array(
            [x, *(self.apply_variation(x, s * c) for s in (1.0, -1.0) for c in reach.T)]
        )

    def _point_variations(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All variations of points from the first, and the points' weights."""
        n = (len(points) - 1) // 2
        kappa = _kappa(n)
        weights = np.full(len(points), 0.5 / (n + kappa))
        weights[0] = kappa / (n + kappa)
        return np.array([self.difference(x, points[0]) for x in points]), weights

    def _apply_mean(self, x: np.ndarray, variation: np.ndarray) -> np.ndarray:
        """A state moved by a mean variation, for the time at the period's end."""
        now, self.time = self.time, self.time + self.period
        try:
            return self.apply_variation(x, variation)
        finally:
            self.time = now


def _kappa(n: int) -> float:
    return max(0.0, 3.0 - n)
