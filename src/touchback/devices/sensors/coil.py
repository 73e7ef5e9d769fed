"""A coil and a moving magnet: voltage is velocity (Docquier 2021, eq. 18)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from touchback.errors import InputError, SolveError


@dataclass(frozen=True)
class Coil:
    """U = κ ż; `kappa` in V s/m."""

    kappa: float

    def __post_init__(self) -> None:
        if self.kappa == 0.0:
            raise InputError("Coil: κ is 0; a coil without voltage measures nothing.")

    def reading(self, velocity: Any) -> Any:
        """Voltage [V] of a velocity [m/s]."""
        return velocity * self.kappa

    def quantity(self, voltage: Any) -> Any:
        """Velocity [m/s] of a voltage [V]."""
        return voltage * (1.0 / self.kappa)


def calibrate_coil(voltage: Any, time: Any, position: Any) -> Coil:
    """κ from voltages [V] and positions [m] of a reference at times [s]: the voltage's integral
    against the position, so that nothing is differentiated."""
    U, t, z = (np.asarray(a, dtype=float) for a in (voltage, time, position))
    if not (U.shape == t.shape == z.shape and U.ndim == 1 and len(U) >= 3):
        raise InputError(
            f"calibrate_coil: voltage {U.shape}, time {t.shape} and position {z.shape} must be "
            "series of one length, at least 3 samples."
        )
    flux = np.concatenate([[0.0], np.cumsum(np.diff(t) * (U[1:] + U[:-1]) / 2.0)])
    # An amplifier's offset makes the integral drift: a constant and a slope are fitted with κ.
    columns = np.stack([z, np.ones_like(t), t - t[0]], axis=1)
    if np.ptp(z) == 0.0:
        raise SolveError("calibrate_coil: the position never changes; move the magnet.")
    return Coil(float(np.linalg.lstsq(columns, flux, rcond=None)[0][0]))
