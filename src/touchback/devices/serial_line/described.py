"""What a device says of itself, as plain data."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

from touchback.devices.opening import text_of

STATUS = {
    1: "forces act", 2: "has let go", 4: "homed", 8: "clipped", 16: "fault",
    32: "a position or velocity beyond its limit", 64: "a bad sensor", 128: "too much current",
    256: "simulated",
}  # fmt: skip
REASONS = (32, 64, 128)  # bits of a status that say why there is a fault


@dataclass(frozen=True)
class AxisFound:
    """An axis of a device: what one count, and one unit of force, is, and its limits. Units are rad
    and N m, or m and N where it is `linear`."""

    name: str
    linear: bool
    position_unit: float
    force_unit: float
    force: float
    velocity: float
    low: float
    high: float


@dataclass(frozen=True)
class Reading:
    """A sample: when it was measured in our clock [s] (0: that isn't known), give or take `doubt`,
    and in the device's, which goes on within a `session`; status, and of each axis position,
    velocity, force, current, voltage."""

    time: float
    doubt: float
    device_time: float
    session: int
    status: int
    axes: tuple[dict[str, float], ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The status in words."""
        return tuple(word for bit, word in STATUS.items() if self.status & bit)


def read_axis(axis: ctypes.Structure) -> AxisFound:
    """From the struct of C."""
    return AxisFound(
        text_of(axis.name), bool(axis.kind), float(axis.position_unit), float(axis.force_unit),
        float(axis.force), float(axis.velocity), float(axis.low), float(axis.high),
    )  # fmt: skip
