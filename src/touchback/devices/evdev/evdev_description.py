"""What an event device says of itself, in Python."""

import ctypes
from dataclasses import dataclass

from touchback.native.evdev.wheel_thread import AXES

# Of linux/input-event-codes.h; others go by their number.
_NAMES = {
    "ABS_X": 0, "ABS_Y": 1, "ABS_Z": 2, "ABS_RX": 3, "ABS_RY": 4, "ABS_RZ": 5, "ABS_THROTTLE": 6,
    "ABS_RUDDER": 7, "ABS_WHEEL": 8, "ABS_GAS": 9, "ABS_BRAKE": 10, "ABS_HAT0X": 16,
    "ABS_HAT0Y": 17,
}  # fmt: skip
CODES = {f"ABS_{code}": code for code in range(AXES) if code not in _NAMES.values()} | _NAMES
NAMES = {code: name for name, code in CODES.items()}


@dataclass(frozen=True)
class ReportedAxis:
    """An axis of an event device: from `least` to `most`; the kernel leaves out changes below about
    `fuzz`, and calls values within `flat` of the middle (of a stick) zero."""

    name: str
    least: int
    most: int
    fuzz: int
    flat: int


def axes_of(about: ctypes.Structure) -> dict[str, ReportedAxis]:
    """Those that a tb_evdev_about has, by name."""
    found = {}
    for code in range(AXES):
        if about.present >> code & 1:
            name, axis = NAMES[code], about.axes[code]
            found[name] = ReportedAxis(name, axis.least, axis.most, axis.fuzz, axis.flat)
    return found
