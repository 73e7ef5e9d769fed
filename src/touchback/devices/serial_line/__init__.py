"""Devices on a serial line: a microcontroller with encoders and motors, and its driver here.

The line's protocol, version 2, is in docs/wire.md; `python -m touchback.devices.serial_line PATH`
is a simulated key at the other end, which says that it is one."""

from touchback.devices.serial_line.axis_identification import IdentifiedAxis, identify
from touchback.devices.serial_line.serial_device import (
    BAUD,
    AxisFound,
    Channel,
    ClockEstimate,
    Reading,
    SerialDevice,
)

__all__ = [
    "BAUD", "AxisFound", "Channel", "ClockEstimate", "IdentifiedAxis", "Reading", "SerialDevice",
    "identify",
]  # fmt: skip
