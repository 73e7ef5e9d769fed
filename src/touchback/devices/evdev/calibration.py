"""What an event device's numbers mean: a wheel's angle, its motor's torque, the ways of pedals."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from touchback.devices.evdev.described import ReportedAxis
from touchback.errors import NO_JSON, DeviceError, InputError
from touchback.recording import unknown_name
from touchback.regular_file import read_regular, write_whole

if TYPE_CHECKING:
    from touchback.devices.evdev.driver import ForceWheel

#: Which axes are pedals, in the order in which they are looked for.
USUAL = {
    "throttle": ("ABS_GAS", "ABS_Z", "ABS_Y"),
    "brake": ("ABS_BRAKE", "ABS_RZ", "ABS_RY"),
}
_LOOK = 1e-3  # s
_MOVED = 0.25  # of an axis: less is nobody's foot
_LARGEST = 1 << 20  # bytes of a file


@dataclass(frozen=True)
class PedalTravel:
    """A pedal: what its `axis` reports at `rest` and when it is pressed in `full`. A share `dead`
    of the way at both ends, at least what the device calls flat, is rest, or full."""

    axis: str
    rest: float
    full: float
    dead: float = 0.03

    def __post_init__(self) -> None:
        finite = math.isfinite(self.rest) and math.isfinite(self.full)
        if not (finite and self.rest != self.full and 0.0 <= self.dead < 0.4):
            raise InputError(
                f"Pedal on {self.axis}: rest {self.rest}, full {self.full}, dead {self.dead}; give "
                "two different ends, and less than 0.4 of the way that is dead."
            )

    def line(self, axis: ReportedAxis) -> tuple[float, float]:
        """Gain and offset from what is reported to 0 … 1."""
        dead = min(max(self.dead, axis.flat / abs(self.full - self.rest)), 0.4)
        gain = 1.0 / ((self.full - self.rest) * (1.0 - 2.0 * dead))
        return gain, -gain * self.rest - dead / (1.0 - 2.0 * dead)


@dataclass(frozen=True)
class WheelScale:
    """What Linux doesn't tell of a wheel: its `range` from stop to stop [rad], which its `axis`
    reports from least (left) to most, and the `peak` of its motor [N m] at full level; either below
    zero where a device has left and right the other way round. `pedals` by name: "throttle",
    "brake"."""

    range: float | None = None
    peak: float | None = None
    axis: str = "ABS_X"
    pedals: Mapping[str, PedalTravel] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for word in ("range", "peak"):
            given = getattr(self, word)
            if given is not None and not (math.isfinite(given) and given != 0.0):
                raise InputError(f"Wheel: its {word} is {given}; give a number that isn't zero.")

    def line(self, axis: ReportedAxis) -> tuple[float, float]:
        """Gain and offset from what is reported to an angle to the left [rad]."""
        gain = -(self.range or 0.0) / (axis.most - axis.least)
        return gain, -gain * (axis.least + axis.most) / 2.0

    def check(self, path: str, axes: Mapping[str, ReportedAxis]) -> None:
        """Refuses axes that a device doesn't have, and one without a way."""
        wheel = [] if self.range is None else [self.axis]
        for name in [*wheel, *(pedal.axis for pedal in self.pedals.values())]:
            if name not in axes:
                raise unknown_name(f"axis of {path!r}", name, axes)
            if not axes[name].least < axes[name].most:
                raise DeviceError(
                    f"Event device {path!r} says that its {name} goes from {axes[name].least} to "
                    f"{axes[name].most}: that is no axis."
                )

    def save(self, path: Path) -> None:
        """As JSON."""
        content = msgspec.json.format(msgspec.json.encode(asdict(self)), indent=2)
        write_whole(path, content + b"\n")


def read_scale(path: Path) -> WheelScale:
    """From a file that `save` wrote."""
    content = read_regular(path, _LARGEST)
    try:
        return msgspec.json.decode(content, type=WheelScale)
    except (*NO_JSON, InputError) as error:
        raise InputError(
            f"{path} is no calibration of a wheel: {error} `touchback device calibrate evdev:PATH "
            "--to FILE` writes one."
        ) from None


def calibrate(device: ForceWheel, seconds: float) -> WheelScale:
    """Watches somebody turn the wheel from stop to stop and press each pedal once: the axis that
    went farther than a quarter of its range is a pedal, at rest in the end, full where it was
    farthest from there."""
    axes, end = device.axes, time.monotonic() + seconds
    least, most = dict[str, float](), dict[str, float]()
    while (now := time.monotonic()) < end:
        for name, value in device.latest().items():
            least[name] = min(value, least.get(name, value))
            most[name] = max(value, most.get(name, value))
        time.sleep(min(_LOOK, end - now))
    rest, pedals = device.latest(), dict[str, PedalTravel]()
    for pedal, usual in USUAL.items():
        for name in usual:
            if name in axes and most[name] - least[name] > _MOVED * (
                axes[name].most - axes[name].least
            ):
                full = max(least[name], most[name], key=lambda at: abs(at - rest[name]))
                pedals[pedal] = PedalTravel(name, rest[name], full)
                break
    return replace(device.scale, pedals=pedals)
