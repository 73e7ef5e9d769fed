"""Which wheels are plugged in."""

import ctypes
import glob
import os
from dataclasses import dataclass
from pathlib import Path

from touchback.devices.evdev.calibration import WheelScale, read_scale
from touchback.devices.evdev.described import axes_of
from touchback.devices.evdev.driver import ForceWheel
from touchback.devices.evdev.events import refusal
from touchback.devices.opening import text_of
from touchback.errors import DeviceError, InputError
from touchback.native.evdev.wheel import CONSTANT
from touchback.native.library import LIB

AUTO = "auto"
PLACES = ("/dev/input/by-id/*event*", "/dev/input/event*")


@dataclass(frozen=True)
class FoundWheel:
    """An event device with axes: where, its name, what it reports, whether it takes a constant
    force; or why it can't be opened."""

    path: str
    name: str = ""
    axes: tuple[str, ...] = ()
    pushes: bool = False
    refused: str = ""


def find_wheels() -> list[FoundWheel]:
    """Event devices that report axes, and those that can't be asked; each once, by the name that
    stays when it is plugged in again, where it has one."""
    paths = [path for place in reversed(PLACES) for path in glob.glob(place)]
    once = {os.path.realpath(path): path for path in paths}
    found = [_asked(path) for path in sorted(once.values())]
    return [each for each in found if each.refused or each.axes]


def _asked(path: str) -> FoundWheel:
    about, way = LIB.struct("tb_evdev_about")(), ctypes.c_void_p()
    file = LIB.tb_evdev_open(os.fsencode(path), ctypes.addressof(way), ctypes.addressof(about))
    if file < 0:
        return FoundWheel(path, refused=refusal(path, -file))
    LIB.tb_evdev_close(file)
    pushes = bool(about.features & CONSTANT)
    return FoundWheel(path, text_of(about.name), tuple(axes_of(about)), pushes)


def open_wheel(place: str, scale: WheelScale | None = None) -> ForceWheel:
    """A wheel at a path, or the only one that is plugged in ("auto"); with the `scale` of a file
    where the place has one behind an @: "auto@wheel.json"."""
    path, at, file = place.partition("@")
    if at and scale is not None:
        raise InputError(f"'{place}' names a calibration, and range or peak are given besides.")
    if not path:
        raise InputError(f"A wheel is given as evdev:PATH or evdev:{AUTO}, got 'evdev:{place}'.")
    known = read_scale(Path(file)) if at else scale
    return ForceWheel(_only() if path == AUTO else path, known)


def _only() -> str:
    found = [each for each in find_wheels() if each.pushes and "ABS_X" in each.axes]
    if len(found) == 1:
        return found[0].path
    there = ", ".join(f"evdev:{each.path} ({each.name})" for each in found) or "none"
    raise DeviceError(
        f"evdev:{AUTO} takes the only wheel with force feedback that is plugged in; there is "
        f"{there}. `touchback device list` shows all event devices; name one."
    )
