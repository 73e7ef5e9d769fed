"""A key on a serial line: a microcontroller with an encoder and a motor, and its driver here.

The line's protocol is in docs/devices.md; `python -m touchback.devices.serial_line PATH` is a
simulated key at the other end, which says that it is one."""

from touchback.devices.serial_line.driver import SerialKey
from touchback.devices.serial_line.frames import Unframer, frame
from touchback.devices.serial_line.messages import Command, Hello, Sample

__all__ = ["Command", "Hello", "Sample", "SerialKey", "Unframer", "frame"]
