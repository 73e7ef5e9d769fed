"""What happens to an event device, in words."""

import errno
import os
from collections.abc import Iterable, Sequence

import numpy as np

from touchback.devices.evdev.described import NAMES
from touchback.devices.opening import refused
from touchback.native.library import LIB
from touchback.realtime.device_io import DevicePort

OPENED, GONE, LOST, STRANGE, OUTSIDE, REFUSED, LET_GO, CHANGED = (
    LIB.constant(f"TB_WHEEL_{name}")
    for name in (
        "OPENED", "GONE", "LOST", "STRANGE", "OUTSIDE", "REFUSED", "LET_GO", "CHANGED",
    )
)  # fmt: skip


def refusal(path: str, code: int) -> str:
    """Why a device can't be opened."""
    if code in (errno.ENOTTY, errno.EPROTO):
        return f"{path!r} is no event device; `touchback device list` tells which there are."
    if code == errno.EBUSY:
        return (
            f"Event device {path!r} is in use, by another program or here already: close it there, "
            "and give each device once."
        )
    why = refused(code, "Is it plugged in, and may you use it (group 'input')?")
    return f"Event device {path!r} can't be opened: {why}"


def told(rows: Iterable[np.ndarray], name: str, inputs: Sequence[DevicePort]) -> list[str]:
    """Events as texts that name the device and what was wrong; that it was opened first goes
    without saying."""
    texts = []
    for row in rows:
        kind, first, second = int(row[1]), float(row[2]), float(row[3])
        if kind == OPENED:
            texts.append(f"{name} is there again")
        elif kind == GONE:
            why = os.strerror(int(first))
            texts.append(f"{name} is gone ({why}); it is opened again when it is back")
        elif kind == LOST:
            texts.append(f"{name}: reports were lost in the kernel, and all axes asked anew")
        elif kind == STRANGE:
            texts.append(
                f"{name}: {second:g} on {NAMES[int(first)]} lies outside of what the device told "
                "of that axis, and is not used"
            )
        elif kind == OUTSIDE and int(first) < len(inputs):
            port = inputs[int(first)]
            texts.append(
                f"Input '{port.name}': {second:g} of {name} lies outside its range "
                f"[{port.low}, {port.high}], and is not used"
            )
        elif kind == REFUSED:
            texts.append(f"{name} doesn't take a force: {os.strerror(int(first))}")
        elif kind == LET_GO:
            texts.append(f"{name}: no torque for {first:.0f} ms, so that there is no force")
        elif kind == CHANGED:
            texts.append(
                f"{name}: another device is there now, whose axes aren't those known; close it and "
                "open the new one"
            )
    return texts
