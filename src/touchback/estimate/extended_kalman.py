"""Kalman's filter about the present estimate."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from touchback.estimate.observer import Innovation, Observer


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
        surprise = np.array(list(readings.values())) - self.seen(x[None])[0, places]
        S = C @ P @ C.T + R
        gain = np.linalg.solve(S, C @ P).T
        rest = np.eye(len(P)) - gain @ C
        self.covariance = rest @ P @ rest.T + gain @ R @ gain.T  # Joseph's: stays positive
        self.keep_state(self.moved(x, here.variations @ (gain @ surprise)))
        self.innovation = Innovation(tuple(readings), surprise, S)
