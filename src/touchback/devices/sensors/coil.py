"""A coil and a moving magnet: voltage is velocity (Docquier 2021, eq. 18)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError, SolveError
from touchback.estimate.checks import check_finite, series
from touchback.model.value import Value

_STRAIGHT = 1e-3  # of the travel: a motion that stays so near to a straight line tells nothing


@dataclass(frozen=True)
class Coil:
    """U = κ ż; `kappa` in V s/m."""

    kappa: float

    def __post_init__(self) -> None:
        check_finite("Coil", kappa=self.kappa)
        if self.kappa == 0.0:
            raise InputError("Coil: κ is 0; a coil without voltage measures nothing.")

    def reading(self, velocity: Value) -> Value:
        """Voltage [V] of a velocity [m/s]."""
        return velocity * self.kappa

    def quantity(self, voltage: Value) -> Value:
        """Velocity [m/s] of a voltage [V]."""
        return voltage * (1.0 / self.kappa)


def calibrate_coil(voltage: ArrayLike, time: ArrayLike, position: ArrayLike) -> Coil:
    """κ from voltages [V] and positions [m] of a reference at times [s]: the voltage's integral
    against the position, so that nothing is differentiated."""
    U, t, z = series("calibrate_coil", 4, voltage=voltage, time=time, position=position)
    flux = np.concatenate([[0.0], np.cumsum(np.diff(t) * (U[1:] + U[:-1]) / 2.0)])
    # An amplifier's offset makes the integral drift: a constant and a slope are fitted with κ.
    drift = np.stack([np.ones_like(t), t - t[0]], axis=1)
    own, seen = (a - drift @ np.linalg.lstsq(drift, a, rcond=None)[0] for a in (z, flux))
    if np.ptp(z) == 0.0 or np.abs(own).max() <= _STRAIGHT * np.ptp(z):
        raise SolveError(
            "calibrate_coil: the position rests or moves evenly, which looks like an amplifier's "
            "offset; move the magnet to and fro."
        )
    return Coil(float(own @ seen / (own @ own)))
