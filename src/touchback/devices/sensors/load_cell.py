"""The load cell: a force as a voltage, with an offset."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError, SolveError
from touchback.estimate.checks import check_finite, series
from touchback.model.value import Value


@dataclass(frozen=True)
class LoadCell:
    """U = sensitivity F + offset; `sensitivity` in V/N, `offset` in V."""

    sensitivity: float
    offset: float = 0.0

    def __post_init__(self) -> None:
        check_finite("LoadCell", sensitivity=self.sensitivity, offset=self.offset)
        if self.sensitivity == 0.0:
            raise InputError("LoadCell: its sensitivity is 0; it would feel no force.")

    def reading(self, force: Value) -> Value:
        """Voltage [V] of a force [N]."""
        return force * self.sensitivity + self.offset

    def quantity(self, voltage: Value) -> Value:
        """Force [N] of a voltage [V]."""
        return (voltage - self.offset) * (1.0 / self.sensitivity)


def calibrate_load_cell(voltage: ArrayLike, force: ArrayLike) -> LoadCell:
    """Sensitivity and offset from voltages [V] under known forces [N], by least squares."""
    U, F = series("calibrate_load_cell", 2, voltage=voltage, force=force)
    if np.ptp(F) == 0.0:
        raise SolveError("calibrate_load_cell: all forces are equal; hang on another weight.")
    (sensitivity, offset), *_ = np.linalg.lstsq(
        np.stack([F, np.ones_like(F)], axis=1), U, rcond=None
    )
    return LoadCell(float(sensitivity), float(offset))
