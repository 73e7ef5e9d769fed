"""What happens on a line, in words."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from touchback.devices.opening import refused
from touchback.devices.serial_line.described import REASONS, STATUS
from touchback.native.library import LIB
from touchback.realtime.device_io import DevicePort

if TYPE_CHECKING:
    from touchback.devices.serial_line.driver import SerialDevice

_GONE, _QUIET, _MET, _OLD, _STRANGER, _STATUS, _OUTSIDE, _RESET, _CHANGED, _REFUSED, _FLAWED = (
    LIB.constant(f"TB_LINE_{name}")
    for name in (
        "GONE", "QUIET", "MET", "OLD", "STRANGER", "STATUS", "OUTSIDE", "RESET", "CHANGED",
        "REFUSED", "FLAWED",
    )
)  # fmt: skip
_UNIT = "a number that isn't zero"
_LIMIT = "a number of 0 or more"
_DESCRIBED = (  # in the order of TB_POSITION_UNIT, with what each should be: of an axis,
    ("one count of position", _UNIT), ("one unit of velocity", _UNIT), ("one unit of force", _UNIT),
    ("one unit of current", _UNIT), ("one unit of voltage", _UNIT), ("the largest force", _LIMIT),
    ("the highest velocity", _LIMIT), ("the lowest position", "a number"),
    ("the highest position", "a number not below the lowest"),
    ("its kind", "0 (rotary) or 1 (linear)"),
)  # fmt: skip
_SAID = (  # and, going on with TB_AXIS_COUNT, of the device
    ("its number of axes", f"1 to {LIB.constant('TB_AXES')}"),
    ("the time between its samples, in µs,", "1 to 25000 (or up to `oldest` where that is longer)"),
    ("the watchdog's time, in µs,", "{} to {}".format(
        *(LIB.constant(f"TB_{word}_WATCHDOG") for word in ("SHORTEST", "LONGEST")))),
    ("what its samples have, as features,", "no more than what it is asked for"),
)  # fmt: skip


@dataclass(frozen=True)
class Event:
    """A row of what a line has to tell."""

    kind: int
    first: float
    second: float

    @classmethod
    def of(cls, row: np.ndarray) -> Event:
        """From the ring's row."""
        return cls(int(row[1]), float(row[2]), float(row[3]))

    def refusal(self, path: str) -> str | None:
        """Why a device can't be met at all; None when it may still be."""
        if self.kind == _GONE:
            return _unopened(path, int(self.first))
        if self.kind == _OLD:
            return (
                f"Serial line {path!r}: the device speaks version 1 of the protocol, which isn't "
                "spoken here any more; give it firmware of version 2 (firmware/, docs/wire.md)."
            )
        if self.kind == _STRANGER:
            return (
                f"Serial line {path!r}: the device chose version {self.first:g} of the protocol; "
                "here version 2 is spoken."
            )
        if self.kind == _FLAWED:
            flaw, axis = divmod(int(self.first), 8)
            what, wanted = (*_DESCRIBED, *_SAID)[flaw - 1]
            of_axis = f" of its axis {axis}" if flaw <= len(_DESCRIBED) else ""
            return (
                f"Serial line {path!r}: the device says{of_axis} that {what} is "
                f"{self.second:.10g}; give it firmware that says {wanted} (docs/wire.md)."
            )
        return None


def _unopened(path: str, code: int) -> str:
    if code == errno.ENOTTY:
        return f"{path!r} is no serial line."
    if code == errno.EBUSY:
        return (
            f"Serial line {path!r} is in use, by another program or here already: close it there, "
            "and give each line once."
        )
    mend = "Is the device plugged in, and may you use it (group 'dialout')?"
    return f"Serial line {path!r} can't be opened: {refused(code, mend)}"


def told(
    rows: Iterable[np.ndarray], device: SerialDevice, inputs: Sequence[DevicePort]
) -> list[str]:
    """Events as texts that name the device and what was wrong."""
    texts = []
    for event in map(Event.of, rows):
        name = f"{device.name!r} on {device.path!r}"
        if event.kind == _GONE:
            why = os.strerror(int(event.first))
            texts.append(f"{name}: the line is gone ({why}); it is opened again when it is back")
        elif event.kind == _REFUSED:
            texts.append(f"{name} isn't back yet: {_unopened(device.path, int(event.first))}")
        elif event.kind == _QUIET:
            texts.append(f"{name}: no sample for {event.first:.0f} ms; it is asked again")
        elif event.kind == _RESET:
            texts.append(f"{name} was reset; it is asked again")
        elif event.kind == _MET:
            texts.append(f"{name} is back, in session {event.first:g}")
        elif event.kind == _STATUS:
            reasons = [STATUS[bit] for bit in REASONS if int(event.first) & bit]
            texts.append(f"{name} reports a fault: {', '.join(reasons) or 'no reason given'}")
        elif event.kind == _OUTSIDE and int(event.first) < len(inputs):
            port = inputs[int(event.first)]
            texts.append(
                f"Input '{port.name}': {event.second:g} of {name} lies outside its range "
                f"[{port.low}, {port.high}], and is not used"
            )
        elif event.kind == _CHANGED:
            texts.append(
                f"{name}: another device answers, whose axes, or what it measures, aren't those "
                "known; close it and open the new one"
            )
        elif (refusal := event.refusal(device.path)) is not None:
            texts.append(refusal)
    return texts
