"""Kalman's filter by a few states that stand for all."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from touchback.errors import SolveError
from touchback.estimate.observer import Innovation, Local, Observer


class UnscentedKalman(Observer):
    """The unscented Kalman filter on a compiled model (Julier and Uhlmann 1997, with κ = 3 − n for
    up to three states, 0 beyond): 2 n + 1 states as far off as the doubt reaches are run and
    measured, and their mean and spread taken. Right to the second order where the extended filter
    is to the first, at as many runs of the model; see `Observer`."""

    def predict(self) -> None:
        here = self.chart()
        noise = self.noise(here)[1]
        after = self.run(self._points(here))
        e, weights = self._spread(after)
        mean = weights @ e
        self.keep_state(self._shifted(after[0], mean))
        apart = e[:, self._rows] - mean[self._rows]
        self.covariance = apart.T @ (weights[:, None] * apart) + noise

    def correct(self, readings: Mapping[str, float]) -> None:
        here = self.chart()
        places, R = self.deviations(readings)
        points = self._points(here)
        shown, (e, weights) = self.seen(points)[:, places], self._spread(points)
        expected = weights @ shown
        apart, off = e[:, self._rows], shown - expected
        S = off.T @ (weights[:, None] * off) + R
        across = apart.T @ (weights[:, None] * off)
        gain = np.linalg.solve(S, across.T).T
        surprise = np.array(list(readings.values())) - expected
        self.covariance = self.covariance - gain @ S @ gain.T
        self.keep_state(self.moved(points[0], here.variations @ (gain @ surprise)))
        self.innovation = Innovation(tuple(readings), surprise, S)

    def _points(self, here: Local) -> np.ndarray:
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
        return np.array([x, *(self.moved(x, s * c) for s in (1.0, -1.0) for c in reach.T)])

    def _spread(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """All variations of points from the first, and the points' weights."""
        n = (len(points) - 1) // 2
        kappa = _kappa(n)
        weights = np.full(len(points), 0.5 / (n + kappa))
        weights[0] = kappa / (n + kappa)
        return np.array([self.difference(x, points[0]) for x in points]), weights

    def _shifted(self, x: np.ndarray, variation: np.ndarray) -> np.ndarray:
        """A state moved by a mean variation, for the time at the period's end."""
        now, self.time = self.time, self.time + self.period
        try:
            return self.moved(x, variation)
        finally:
            self.time = now


def _kappa(n: int) -> float:
    return max(0.0, 3.0 - n)
