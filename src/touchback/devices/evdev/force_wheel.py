"""The driver of a steering wheel as an event device: angle and pedals in, torque out, by a thread
of C."""

from __future__ import annotations

import ctypes
import errno
import glob
import math
import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import msgspec
import numpy as np

from touchback.devices.evdev.evdev_description import CODES, NAMES, ReportedAxis, axes_of
from touchback.devices.threaded_driver import (
    PRIORITY,
    PortDriver,
    explain_open_failure,
    path_of,
    text_of,
)
from touchback.errors import NO_JSON, DeviceError, InputError
from touchback.names import unknown_name
from touchback.native import LIB
from touchback.native.evdev.wheel_thread import (
    CONSTANT,
    SIMULATED,
    WheelInput,
    WheelOutput,
    WheelSettings,
    WheelThread,
)
from touchback.native.live.mailbox import Publication
from touchback.numbers import number_within
from touchback.realtime import DevicePort, DeviceService, own_thread
from touchback.safe_files import read_regular, write_atomically

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
    why = explain_open_failure(code, "Is it plugged in, and may you use it (group 'input')?")
    return f"Event device {path!r} can't be opened: {why}"


def describe_wheel_events(
    rows: Iterable[np.ndarray], name: str, inputs: Sequence[DevicePort]
) -> list[str]:
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
        write_atomically(path, content + b"\n")


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


WHEEL, TORQUE = "wheel", "torque"


@dataclass(frozen=True)
class WheelChannel:
    """What a port of a live run is connected to: "wheel", a pedal, or "torque"."""

    device: ForceWheel
    what: str

    def serve(self, port: DevicePort) -> DeviceService:
        """Serves a port of a live run from the device's own thread."""
        if port.is_input == (self.what == TORQUE):
            given = "the wheel's angle or a pedal" if port.is_input else "the wheel's torque"
            raise InputError(f"'{port.name}' can be {given}, not '{self.what}'.")
        return self.device.add(self, port)


class ForceWheel(PortDriver[WheelChannel]):
    """A steering wheel, with its pedals or without, or pedals alone, to `connect` to a live run:
    its angle [rad, to the left] and pedals [0 to 1] are inputs, its motor's torque [N m, to the
    left] an output.

    Event devices tell neither angle nor torque: `scale` does. A torque that the run published
    longer than `oldest` seconds ago is no force any more; the device gets a new level `updates`
    times a second at most. A device that is unplugged is opened again when it is back; what
    happened is among the faults of the run."""

    def __init__(
        self,
        path: str,
        scale: WheelScale | None = None,
        *,
        oldest: float = 0.02,
        updates: float = 500.0,
        patience: float = 2.0,
        priority: int = PRIORITY,
        cpu: int | None = None,
    ) -> None:
        self.path, self.scale = path_of("ForceWheel", path), scale or WheelScale()
        named = f"Event device {path!r}:"
        oldest = number_within(f"{named} oldest is 0.0001 to 60 s", oldest, 1e-4, 60.0)
        sentence = f"{named} updates is 1 to 10 000 a second"
        updates = number_within(sentence, updates, 1.0, 10_000.0)
        patience = number_within(f"{named} patience is 0 s or more", patience, 0.0)
        wanted = WheelSettings(self.path, oldest, 1.0 / updates, *own_thread(priority, cpu))
        self._thread = WheelThread(wanted)
        super().__init__()
        try:
            self._wait_for_it(patience)
            self.scale.check(path, self.axes)
        except BaseException:
            self._thread.stop()
            raise

    def _wait_for_it(self, patience: float) -> None:
        until = time.monotonic() + patience
        while not self._thread.running:
            for row in self._thread.events():
                if int(row[1]) == GONE:
                    raise DeviceError(refusal(self.path, int(row[2])))
            if time.monotonic() > until:
                raise DeviceError(f"Event device {self.path!r} didn't answer in {patience:g} s.")
            time.sleep(1e-3)
        self._thread.events()  # that it was opened

    # ---- what it is -----------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """What the device calls itself."""
        return text_of(self._thread.about().name)

    @property
    def simulated(self) -> bool:
        """Whether there is no such device."""
        return bool(self._thread.about().features & SIMULATED)

    @property
    def pushes(self) -> bool:
        """Whether it takes a constant force."""
        return bool(self._thread.about().features & CONSTANT)

    @property
    def axes(self) -> dict[str, ReportedAxis]:
        """What it reports, by names of Linux ("ABS_X")."""
        return axes_of(self._thread.about())

    @property
    def connected(self) -> bool:
        """Whether it is there."""
        return self._thread.running

    @property
    def counts(self) -> dict[str, int]:
        """Reports, how often some were lost, axes outside of what was told, how often it was
        opened; torques taken from runs, how many of them beyond the peak or too late; levels given
        to the device, and refused by it."""
        return self._thread.counts()

    @property
    def longest(self) -> float:
        """The longest that the device needed to take a level [s]."""
        return 1e-9 * float(self._thread.struct.longest)

    @property
    def saturated(self) -> float:
        """Of the torques that runs asked for, the share beyond the peak."""
        counts = self.counts
        return counts["saturated"] / max(counts["taken"], 1)

    def latest(self) -> dict[str, float]:
        """What all axes reported last, as they do."""
        self._check_open()
        values = self._thread.latest().values
        return {name: float(values[CODES[name]]) for name in self.axes}

    # ---- ports of a live run --------------------------------------------------------------------

    def channel(self, what: str = WHEEL) -> WheelChannel:
        """The "wheel", a pedal by its name in the scale, or the "torque"."""
        known = [WHEEL, TORQUE, *self.scale.pedals]
        if what not in known:
            raise unknown_name("part of the wheel", what, known)
        if what == TORQUE and not self.pushes:
            raise DeviceError(f"{self.name!r} on {self.path!r} takes no constant force.")
        if what == TORQUE and self.scale.peak is None:
            raise InputError(
                f"{self.name!r}: event devices don't tell their torque; give the peak of its motor "
                "[N m], from its data sheet or measured."
            )
        if what == WHEEL and self.scale.range is None:
            raise InputError(
                f"{self.name!r}: event devices don't tell angles; give the range from stop to stop "
                "[rad]."
            )
        return WheelChannel(self, what)

    def serve(self, port: DevicePort) -> DeviceService:
        """Serves a port: an output is the torque; an input gets the pedal of its name, or else the
        wheel's angle. For others see `channel`."""
        pedal = port.name if port.name in self.scale.pedals else WHEEL
        return self.channel(pedal if port.is_input else TORQUE).serve(port)

    def _input(self, what: str, port: DevicePort) -> WheelInput:
        given: PedalTravel | None = self.scale.pedals.get(what)
        if given is None:
            axis = self.axes[self.scale.axis]
            gain, offset = self.scale.line(axis)
            code, ends = CODES[self.scale.axis], (-math.inf, math.inf)
        else:
            gain, offset = given.line(self.axes[given.axis])
            code, ends = CODES[given.axis], (0.0, 1.0)
        return WheelInput(port.mailbox(), code, gain, offset, *ends, port.low, port.high)

    def _bind(self) -> None:
        inputs = [self._input(each.what, port) for each, port in self._served if port.is_input]
        output = None
        for _, port in self._served:
            if not port.is_input and (place := port.place()) is not None:
                publication = Publication(port.mailbox(), port.period(), *port.word())
                output = WheelOutput(place, self.scale.peak or math.inf, publication)
        self._thread.bind(inputs, output)

    def _news(self) -> list[str]:
        inputs = [port for _, port in self._served if port.is_input]
        return describe_wheel_events(
            self._thread.events(), f"{self.name!r} on {self.path!r}", inputs
        )

    def _end(self) -> None:
        """Takes the force away and closes the device, also one that is gone."""
        self._thread.stop()


AUTO = "auto"


#: Where wheels are looked for.
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
    found = [_probe_wheel(path) for path in sorted(once.values())]
    return [each for each in found if each.refused or each.axes]


def _probe_wheel(path: str) -> FoundWheel:
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
