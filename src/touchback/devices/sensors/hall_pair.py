"""Two Hall sensors in opposition under a lever (Docquier 2021, eq. 17)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError, SolveError
from touchback.estimate.checks import check_finite, series
from touchback.model.value import Value
from touchback.numbers import check_fields


@dataclass(frozen=True)
class HallPair:
    """Height from the voltages of a front and a rear sensor: k (U_front² − U_rear²) + offset.
    `k` in m/V², `offset` in m."""

    k: float
    offset: float = 0.0

    def __post_init__(self) -> None:
        check_finite("HallPair", k=self.k, offset=self.offset)

    def quantity(self, front: Value, rear: Value) -> Value:
        """The height [m] at which the sensors show these voltages [V]."""
        return self.k * (front * front - rear * rear) + self.offset


@dataclass(frozen=True)
class HallSensor:
    """One sensor, `distance` [m] from a magnet when the lever is at height zero, where it shows
    `voltage` [V]. On its axis a small magnet's field falls with the cube of the distance. `facing`
    is +1 for the sensor that the lever approaches when its height grows, else −1."""

    distance: float
    voltage: float
    facing: float = 1.0

    def __post_init__(self) -> None:
        check_fields(self)
        check_finite("HallSensor", distance=self.distance, voltage=self.voltage)
        if not (self.distance > 0.0 and self.facing in (-1, 1)):
            raise InputError(
                f"HallSensor: {self.distance} m from its magnet, facing {self.facing}; the "
                "distance is above zero, facing is 1 or -1."
            )

    def reading(self, height: Value) -> Value:
        """The voltage [V] at a height [m]."""
        ratio = self.distance / (self.distance - self.facing * height)
        return self.voltage * ratio * ratio * ratio


def calibrate_hall_pair(
    front: ArrayLike, rear: ArrayLike, height: ArrayLike
) -> tuple[HallPair, float]:
    """k and offset from voltages [V] at known heights [m], by least squares, and the largest
    deviation from the straight line that (17) claims [m]."""
    front, rear, height = series("calibrate_hall_pair", 3, front=front, rear=rear, height=height)
    combined = front**2 - rear**2
    if np.ptp(combined) < 1e-9 * max(1.0, np.abs(combined).max()):
        raise SolveError(
            "calibrate_hall_pair: U_front² − U_rear² hardly changes over the samples; move the "
            "lever over its whole travel, and check that the sensors lie in opposition."
        )
    (k, offset), *_ = np.linalg.lstsq(
        np.stack([combined, np.ones_like(combined)], axis=1), height, rcond=None
    )
    worst = float(np.abs(k * combined + offset - height).max())
    return HallPair(float(k), float(offset)), worst
