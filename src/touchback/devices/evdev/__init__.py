"""Steering wheels and pedals as event devices of Linux, as `tb.devices.evdev`."""

from touchback.devices.evdev.calibration import PedalTravel, WheelScale, calibrate, read_scale
from touchback.devices.evdev.driver import ForceWheel
from touchback.devices.evdev.listing import FoundWheel, find_wheels, open_wheel

__all__ = [
    "ForceWheel", "FoundWheel", "PedalTravel", "WheelScale", "calibrate", "find_wheels",
    "open_wheel", "read_scale",
]  # fmt: skip
