"""One event in two engines, beside each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from studies.baja.in_mujoco import STEP, BajaInMuJoCo, Script
from studies.baja.ride import RATE, Ride
from touchback import gallery
from touchback.gallery.mini_baja import FRONT


@dataclass(frozen=True)
class Comparison:
    """A ride, and driving torques of the front wheels at its ticks by both engines [N m]."""

    ride: Ride
    time: np.ndarray
    ours: dict[str, np.ndarray]
    theirs: dict[str, np.ndarray]

    def rms(self, wheel: str) -> tuple[float, float]:
        """Of a wheel's driving torque, and of the difference between both engines."""
        apart = self.ours[wheel] - self.theirs[wheel]
        return _rms(self.ours[wheel]), _rms(apart)

    def largest(self, wheel: str) -> tuple[float, float]:
        """Difference, and when [s]."""
        apart = np.abs(self.ours[wheel] - self.theirs[wheel])
        return float(apart.max()), float(self.time[apart.argmax()])


def compare(ours: Ride, step: float = STEP) -> Comparison:
    """MuJoCo goes on from the state in which the first front wheel was set in motion."""
    peer = BajaInMuJoCo(gallery.make("mini-baja").compile(), step)
    peer.start(ours.at(ours.began))
    theirs = peer.drive(Script(ours.moved, ours.added), float(ours.run.time[-1]), 1.0 / RATE)
    time = theirs.pop("time")
    rows = np.rint(time * RATE).astype(int) - 1
    given = {wheel: ours.driving_torque(wheel)[rows] for wheel in FRONT}
    return Comparison(ours, time, given, theirs)


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(values**2)))
