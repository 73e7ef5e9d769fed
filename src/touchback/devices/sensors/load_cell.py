"""The load cell: a force as a voltage, with an offset."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from touchback.errors import InputError, SolveError


@dataclass(frozen=True)
class LoadCell:
    """U = sensitivity F + offset; `sensitivity` in V/N, `offset` in V."""

    sensitivity: float
    offset: float = 0.0

    def __post_init__(self) -> None:
        if self.sensitivity == 0.0:
            raise InputError("LoadCell: its sensitivity is 0; it would feel no force.")

    def reading(self, force: Any) -> Any:
        """Voltage [V] of a force [N]."""
        return force * self.sensitivity + self.offset

    def quantity(self, voltage: Any) -> Any:
        """Force [N] of a voltage [V]."""
        return (voltage - self.offset) * (1.0 / self.sensitivity)


def calibrate_load_cell(voltage: Any, force: Any) -> LoadCell:
    """Sensitivity and offset from voltages [V] under known forces [N], by least squares."""
    U, F = np.asarray(voltage, dtype=float), np.asarray(force, dtype=float)
    if not (U.shape == F.shape and U.ndim == 1 and len(U) >= 2):
        raise InputError(
            f"calibrate_load_cell: voltage {U.shape} and force {F.shape} must be series of one "
            "length, at least 2 samples."
        )
    if np.ptp(F) == 0.0:
        raise SolveError("calibrate_load_cell: all forces are equal; hang on another weight.")
    (sensitivity, offset), *_ = np.linalg.lstsq(
        np.stack([F, np.ones_like(F)], axis=1), U, rcond=None
    )
    return LoadCell(float(sensitivity), float(offset))
