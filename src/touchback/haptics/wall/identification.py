"""The finger found while it plays: recursive least squares on the balance of momentum.

Over one sample, exactly: (m + m*) Δv + (b + b*) Δy + k* ∫y dt − f T = f_wall T, which is linear in
the finger's m*, b*, k* and the constant force f. The integral of y follows from positions and
velocities at both ends by Hermite's rule, whose error is (ωT)⁴/720 of it. Gillespie 1996, sections
5.8 and 7, asks for this; the recursion with forgetting is the textbook's (Åström & Wittenmark).
"""

from dataclasses import dataclass, field

import numpy as np

from touchback.estimate import RecursiveLeastSquares
from touchback.haptics.wall.oscillator import State
from touchback.haptics.wall.plant import Device, Finger, Plant

_SCALE = (0.02, 3.75, 257.0, 1.0)  # of mass, damping, stiffness, force: well conditioned
_UNSURE = 1e12  # the covariance before any sample, against squared momenta of about 1e-8
_LEAST_MOTION = 1e-9  # changes of momentum [N s] below which a sample teaches only noise


@dataclass
class FingerIdentifier:
    """An estimate of the finger on a known device; the weight of old samples fades."""

    device: Device
    period: float
    guess: Finger = field(default_factory=Finger)
    forgetting: float = 0.9

    def __post_init__(self) -> None:
        guess = [self.guess.mass, self.guess.damping, self.guess.stiffness, 0.0]
        self._known = RecursiveLeastSquares(_SCALE, self.forgetting, guess, _UNSURE)
        self.samples = 0

    @property
    def finger(self) -> Finger:
        """The estimate, with nothing below zero: a finger is passive."""
        mass, damping, stiffness, _ = np.maximum(self._known.estimate, 0.0)
        return Finger(float(mass), float(damping), float(stiffness))

    @property
    def plant(self) -> Plant:
        """Device, estimated finger and estimated constant force."""
        return Plant(self.device, self.finger, bias=float(self._known.estimate[3]))

    def learn(self, before: State, now: State, wall_force: float) -> None:
        """Takes in one sample: the states at its ends and the wall's force through it [N]."""
        dv, dy = now.v - before.v, now.y - before.y
        half = 0.5 * self.period
        area = half * (before.y + now.y) + half**2 / 3.0 * (before.v - now.v)
        known = wall_force * self.period - self.device.mass * dv - self.device.damping * dy
        if abs(self.device.mass * dv) < _LEAST_MOTION:
            return
        self._known.learn((dv, dy, area, -self.period), known)
        self.samples += 1
