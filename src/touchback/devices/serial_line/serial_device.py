"""The driver of a device on a serial line: positions in, forces out, by a thread of C."""

from __future__ import annotations

import ctypes
import errno
import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from touchback.devices.threaded_driver import (
    PRIORITY,
    ClockEstimate,
    PortDriver,
    explain_open_failure,
    path_of,
    text_of,
)
from touchback.errors import DeviceError, InputError
from touchback.native import LIB
from touchback.native.live.mailbox import Publication
from touchback.native.wire.serial_device_end import FEATURES, SIMULATED
from touchback.native.wire.serial_line_thread import (
    DESCRIBING,
    FIELDS,
    HEAD,
    RUNNING,
    LineInput,
    LineOutput,
    SerialLineSettings,
    WireLine,
)
from touchback.numbers import MOST, as_float, is_real, number_within, shown
from touchback.realtime import DevicePort, DeviceService, own_thread


@dataclass(frozen=True)
class Channel:
    """A field of an axis; see `SerialDevice.channel`."""

    device: SerialDevice
    field: str
    axis: int
    gain: float
    offset: float

    def serve(self, port: DevicePort) -> DeviceService:
        """Serves a port of a live run from the line's own thread."""
        if not port.is_input:
            if self.field != "force":
                raise InputError(
                    f"Output '{port.name}' can be the force of an axis, not its {self.field}."
                )
            if self.offset != 0.0:
                raise InputError(f"Output '{port.name}': a force has no offset, {self.offset}.")
        else:
            self.device.check_fields(self.field)
        return self.device.add(self, port)


STATUS = {
    1: "forces act", 2: "has let go", 4: "homed", 8: "clipped", 16: "fault",
    32: "a position or velocity beyond its limit", 64: "a bad sensor", 128: "too much current",
    256: "simulated",
}  # fmt: skip


REASONS = (32, 64, 128)  # bits of a status that say why there is a fault


@dataclass(frozen=True)
class AxisFound:
    """An axis of a device: what one count, and one unit of force, is, and its limits. Units are rad
    and N m, or m and N where it is `linear`."""

    name: str
    linear: bool
    position_unit: float
    force_unit: float
    force: float
    velocity: float
    low: float
    high: float


@dataclass(frozen=True)
class Reading:
    """A sample: when it was measured in our clock [s] (0: that isn't known), give or take `doubt`,
    and in the device's, which goes on within a `session`; status, and of each axis position,
    velocity, force, current, voltage."""

    time: float
    doubt: float
    device_time: float
    session: int
    status: int
    axes: tuple[dict[str, float], ...]

    @property
    def words(self) -> tuple[str, ...]:
        """The status in words."""
        return tuple(word for bit, word in STATUS.items() if self.status & bit)


def read_axis(axis: ctypes.Structure) -> AxisFound:
    """From the struct of C."""
    return AxisFound(
        text_of(axis.name), bool(axis.kind), float(axis.position_unit), float(axis.force_unit),
        float(axis.force), float(axis.velocity), float(axis.low), float(axis.high),
    )  # fmt: skip


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
    return f"Serial line {path!r} can't be opened: {explain_open_failure(code, mend)}"


def describe_line_events(
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


#: The line's usual speed [bit/s].
BAUD = 921600


SPEEDS = (115200, 230400, 460800, 921600, 1_000_000, 2_000_000, 3_000_000, 4_000_000)


_ASK_AGAIN = 0.1  # seconds


_SILENCE = 0.05  # [s] without a sample, at least, after which a device is asked anew


class SerialDevice(PortDriver[Channel]):
    """A device at the other end of a line, to `connect` to a live run: positions of its axes are
    inputs, forces outputs.

    `patience`: seconds that it has to say who it is. `rate` of samples and `watchdog` [s] are asked
    for; what it grants is in `period` and `watchdog`. A sample that may be older than `oldest`
    seconds is not used, a force that waited for so long not sent. A line that goes away is opened
    again; what happened is among the faults of the run.
    """

    def __init__(
        self,
        path: str,
        *,
        baud: int = BAUD,
        patience: float = 2.0,
        rate: float | None = None,
        watchdog: float | None = None,
        oldest: float = 0.02,
        priority: int = PRIORITY,
        cpu: int | None = None,
    ) -> None:
        if not is_real(baud) or baud not in SPEEDS:
            raise DeviceError(
                f"Serial line {path!r}: {shown(baud)} baud; give one of "
                f"{', '.join(map(str, SPEEDS))}."
            )
        self.path = path_of("SerialDevice", path)
        named = f"Serial line {path!r}:"
        oldest = number_within(f"{named} oldest is 0.0001 to 60 s", oldest, 1e-4, 60.0)
        patience = number_within(f"{named} patience is 0 s or more", patience, 0.0)
        quiet = max(_SILENCE, 2 * oldest)
        if rate is not None:
            sentence = f"{named} with this `oldest` rate is {2 / quiet:g} to 1e6 samples a second"
            rate = number_within(sentence, rate, 2.0 / quiet, 1e6)
        if watchdog is not None:
            watchdog = number_within(f"{named} watchdog is 0.001 to 60 s", watchdog, 1e-3, 60.0)
        self._line = WireLine(
            SerialLineSettings(
                self.path, baud, FEATURES, watchdog or 0.0, 1.0 / rate if rate else 0.0, quiet,
                oldest, *own_thread(priority, cpu),
            )
        )  # fmt: skip
        super().__init__()
        try:
            self._wait_for_hello(patience)
        except BaseException:
            self._line.stop()
            raise

    def _wait_for_hello(self, patience: float) -> None:
        until = time.monotonic() + patience
        while self._line.state != RUNNING:
            for event in map(Event.of, self._line.events()):
                if (refusal := event.refusal(self.path)) is not None:
                    raise DeviceError(refusal)
            if time.monotonic() > until:
                if self._line.state == DESCRIBING:
                    raise DeviceError(
                        f"Serial line {self.path!r}: the device says hello, but within "
                        f"{patience:g} s nothing of its axis {self._line.struct.described} "
                        "(docs/wire.md, describe)."
                    )
                said = text_of(self._line.about().word)
                raise DeviceError(
                    f"Serial line {self.path!r}: nobody answered within {patience:g} s"
                    + (f", but somebody said {said!r}" if said else "")
                    + ". Does the device's firmware run, with version 2 of the protocol and this "
                    "speed?"
                )
            time.sleep(1e-3)
        self._line.events()  # that it was met

    # ---- what it is -----------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """What the device calls itself."""
        return text_of(self._line.about().hello.name)

    @property
    def simulated(self) -> bool:
        """Whether the device says that it is a simulation."""
        return bool(self._line.about().hello.flags & SIMULATED)

    @property
    def axes(self) -> tuple[AxisFound, ...]:
        """Its axes, with scales and limits."""
        about = self._line.about()
        return tuple(read_axis(axis) for axis in about.axes[: about.hello.axes])

    @property
    def fields(self) -> tuple[str, ...]:
        """What its samples have of each axis: "position", and what else was granted."""
        granted = self._line.about().hello.features
        return tuple(name for bit, name in enumerate(FIELDS) if not bit or granted >> bit - 1 & 1)

    def check_fields(self, *names: str) -> None:
        """Refuses to go on without what its samples don't have."""
        if absent := [name for name in names if name not in self.fields]:
            raise DeviceError(
                f"{self.name!r} on {self.path!r} sends no {' and no '.join(absent)}, only "
                f"{', '.join(self.fields)}: give it firmware that measures it (docs/wire.md, "
                "features)."
            )

    @property
    def period(self) -> float:
        """Seconds between samples."""
        return 1e-6 * float(self._line.about().hello.period)

    @property
    def watchdog(self) -> float:
        """Seconds without a command after which the device lets go."""
        return 1e-6 * float(self._line.about().hello.watchdog)

    @property
    def sessions(self) -> int:
        """How often the device was met: once, and again after each loss."""
        return int(self._line.struct.greeted)

    @property
    def connected(self) -> bool:
        """Whether samples come."""
        return self._line.state == RUNNING

    @property
    def counts(self) -> dict[str, int]:
        """Samples that came, were lost, came too late or before homing; frames damaged; commands
        sent; commands that the line didn't take; how often it was opened."""
        return self._line.counts()

    @property
    def clock(self) -> ClockEstimate:
        """What is known of the device's clock."""
        _, _, _, _, round_trip, drift, exchanges, _ = self._line.latest().values[:HEAD]
        return ClockEstimate(float(drift), float(round_trip), int(exchanges))

    def latest(self) -> Reading:
        """The last sample."""
        self._check_open()
        message = self._line.latest()
        count, width = self._line.about().hello.axes, len(FIELDS)
        rows = message.values[HEAD:].reshape(-1, width)[:count]
        _, there, status, session, _, _, _, doubt = map(float, message.values[:HEAD])
        return Reading(
            1e-9 * message.stamp, doubt, there, int(session), int(status),
            tuple(dict(zip(FIELDS, map(float, row))) for row in rows),
        )  # fmt: skip

    def axis(self, number: int = 0) -> AxisFound:
        """An axis by its number, from 0."""
        axes = self.axes
        if number not in range(len(axes)):
            raise InputError(
                f"{self.name!r} has {len(axes)} axes, counted from 0, and no axis {shown(number)}."
            )
        return axes[int(number)]

    def samples(self, axis: int = 0) -> dict[str, np.ndarray]:
        """What came of an axis since the last call, by the device's own time [s]: "time", "status",
        "position", "velocity", "force", "current", "voltage". Some thousand samples are kept."""
        self.axis(axis)
        rows = self._line.samples()
        start = HEAD + axis * len(FIELDS)
        fields = {name: rows[:, start + k] for k, name in enumerate(FIELDS)}
        return {"time": rows[:, 1], "status": rows[:, 2].astype(int), **fields}

    def device_counts(self, patience: float = 2.0) -> dict[str, int]:
        """What the device has counted since its reset."""
        patience = number_within("device_counts: patience is 0 s or more", patience, 0.0)
        before = self._line.about().counted
        until, again = time.monotonic() + patience, 0.0
        while (about := self._line.about()).counted == before:
            self._check_open()
            now = time.monotonic()
            if now > until:
                raise DeviceError(f"{self.name!r} didn't tell its counts within {patience:g} s.")
            if now > again:
                self._line.ask_counts()
                again = now + _ASK_AGAIN
            time.sleep(1e-3)
        names = [name for name, *_ in LIB.struct("tb_counts")._fields_]
        return {name: int(getattr(about.counts, name)) for name in names}

    def clear(self) -> None:
        """Clears the device's latched faults, with the next command."""
        self._check_open()
        self._line.clear()

    # ---- ports of a live run --------------------------------------------------------------------

    def channel(
        self, field: str = "position", axis: int = 0, *, gain: float = 1.0, offset: float = 0.0
    ) -> Channel:
        """One number of an axis as a device of its own: "position", "velocity", "force", "current"
        or "voltage" for an input (gain × what is measured + offset), "force" for an output."""
        if field not in FIELDS:
            raise InputError(f"An axis has {', '.join(FIELDS)}, not {field!r}.")
        self.axis(axis)
        if not (abs(as_float(gain)) <= MOST and gain):
            raise InputError(f"gain is a finite number that isn't 0, got {shown(gain)}.")
        offset = number_within("offset is a finite number", offset, -MOST, MOST)
        return Channel(self, field, axis, float(gain), offset)

    def serve(self, port: DevicePort) -> DeviceService:
        """Serves a port by the line's thread: an input gets the position of the first axis, an
        output is its force. For others see `channel`."""
        return self.channel("position" if port.is_input else "force").serve(port)

    def _bind(self) -> None:
        inputs = [
            LineInput(
                port.mailbox(), channel.axis, FIELDS.index(channel.field), channel.gain,
                channel.offset, port.low, port.high,
            )
            for channel, port in self._served if port.is_input
        ]  # fmt: skip
        outputs, publication = [], None
        for channel, port in self._served:
            if not port.is_input and (found := port.place()) is not None:
                outputs.append(LineOutput(channel.axis, found, channel.gain))
                publication = Publication(port.mailbox(), port.period(), *port.word())
        self._line.bind(inputs, outputs, publication)

    def _news(self) -> list[str]:
        inputs = [port for _, port in self._served if port.is_input]
        return describe_line_events(self._line.events(), self, inputs)

    def _end(self) -> None:
        """Lets the motors go and closes the line, also one that is gone."""
        self._line.stop()
