"""Devices on a serial line: a microcontroller with encoders and motors, and its driver here.

The line's protocol, version 2, is in docs/wire.md; `python -m touchback.devices.serial_line PATH`
is a simulated key at the other end, which says that it is one."""

from touchback.devices.serial_line.channels import Channel
from touchback.devices.serial_line.described import AxisFound, Reading
from touchback.devices.serial_line.driver import ClockEstimate, SerialDevice

__all__ = ["AxisFound", "Channel", "ClockEstimate", "Reading", "SerialDevice"]
