"""Steering wheels and pedals as event devices of Linux, as `tb.devices.evdev`."""

from touchback.devices.evdev.force_wheel import (
    PLACES,
    ForceWheel,
    FoundWheel,
    PedalTravel,
    WheelScale,
    calibrate,
    find_wheels,
    open_wheel,
    read_scale,
)

__all__ = [
    "PLACES", "ForceWheel", "FoundWheel", "PedalTravel", "WheelScale", "calibrate", "find_wheels",
    "open_wheel", "read_scale",
]  # fmt: skip
