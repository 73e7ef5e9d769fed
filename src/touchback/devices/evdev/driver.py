"""The driver of a steering wheel as an event device: angle and pedals in, torque out, by a thread
of C."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from touchback.devices.evdev.calibration import PedalTravel, WheelScale
from touchback.devices.evdev.described import CODES, ReportedAxis, axes_of
from touchback.devices.evdev.events import GONE, refusal, told
from touchback.devices.opening import path_of, text_of
from touchback.devices.service import PRIORITY, Service
from touchback.errors import DeviceError, InputError
from touchback.native.evdev.wheel import (
    CONSTANT,
    SIMULATED,
    Wanted,
    WheelInput,
    WheelOutput,
    WheelThread,
)
from touchback.native.live.publication import Publication
from touchback.numbers import number_within
from touchback.realtime.device_io import DevicePort, DeviceService
from touchback.realtime.live_spec import own_thread
from touchback.recording import unknown_name

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


class ForceWheel(Service[WheelChannel]):
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
        wanted = Wanted(self.path, oldest, 1.0 / updates, *own_thread(priority, cpu))
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
        return told(self._thread.events(), f"{self.name!r} on {self.path!r}", inputs)

    def _end(self) -> None:
        """Takes the force away and closes the device, also one that is gone."""
        self._thread.stop()
