"""The driver of a device on a serial line: positions in, forces out, by a thread of C."""

from __future__ import annotations

import time

import numpy as np

from touchback.devices.opening import path_of, text_of
from touchback.devices.serial_line.channels import Channel
from touchback.devices.serial_line.described import AxisFound, Reading, read_axis
from touchback.devices.serial_line.events import Event, told
from touchback.devices.service import PRIORITY, ClockEstimate, Service
from touchback.errors import DeviceError, InputError
from touchback.native.library import LIB
from touchback.native.live.publication import Publication
from touchback.native.wire.far_end import FEATURES, SIMULATED
from touchback.native.wire.line import (
    DESCRIBING,
    FIELDS,
    HEAD,
    RUNNING,
    LineInput,
    LineOutput,
    Wanted,
    WireLine,
)
from touchback.numbers import MOST, as_float, is_real, number_within, shown
from touchback.realtime.device_io import DevicePort, DeviceService
from touchback.realtime.live_spec import own_thread

BAUD = 921600
SPEEDS = (115200, 230400, 460800, 921600, 1_000_000, 2_000_000, 3_000_000, 4_000_000)
_ASK_AGAIN = 0.1  # seconds
_SILENCE = 0.05  # [s] without a sample, at least, after which a device is asked anew


class SerialDevice(Service[Channel]):
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
            Wanted(
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
        return told(self._line.events(), self, inputs)

    def _end(self) -> None:
        """Lets the motors go and closes the line, also one that is gone."""
        self._line.stop()
