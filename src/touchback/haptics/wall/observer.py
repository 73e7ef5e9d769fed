"""A Kalman filter of the plant: position, velocity and the hand's force, from positions alone."""

import numpy as np

from touchback.haptics.wall.oscillator import State
from touchback.haptics.wall.plant import Plant

_GAUSS = ((0.5 - 0.15**0.5, 5 / 18), (0.5, 8 / 18), (0.5 + 0.15**0.5, 5 / 18))  # of Legendre


class Observer:
    """Estimates of [y, v, hand's force]; the force wanders by `hand_rate` [N/√s] (Kalman 1960)."""

    def __init__(self, plant: Plant, start: State, variance: float, hand_rate: float) -> None:
        self._motion, self._known = plant.motion, plant.force
        self._wander = hand_rate**2
        self._mean = np.array([start.y, start.v, 0.0])
        self._spread = np.diag([variance, 0.0, 0.0])

    @property
    def state(self) -> State:
        """The present estimate."""
        return State(float(self._mean[0]), float(self._mean[1]))

    def advance(self, duration: float, force: float) -> None:
        """Over a duration [s] under the wall's force [N]."""
        if duration <= 0.0:
            return
        flow = self._motion.flow(duration)
        step = np.array([
            [flow.yy, flow.yv, flow.yf], [flow.vy, flow.vv, flow.vf], [0.0, 0.0, 1.0],
        ])  # fmt: skip
        self._mean = step @ self._mean
        self._mean[0] += flow.yf * (force + self._known)
        self._mean[1] += flow.vf * (force + self._known)
        self._spread = step @ self._spread @ step.T
        for place, weight in _GAUSS:  # the force wanders within the duration: ∫ Γ(s) Γ(s)ᵀ ds
            part = self._motion.flow(place * duration)
            effect = np.array([part.yf, part.vf, 1.0])
            self._spread += (weight * self._wander * duration) * np.outer(effect, effect)

    def correct(self, position: float, variance: float) -> None:
        """By a position [m] that is true within a variance [m²]."""
        gain = self._spread[:, 0] / (self._spread[0, 0] + variance)
        self._mean = self._mean + gain * (position - self._mean[0])
        self._spread = self._spread - np.outer(gain, self._spread[0])
