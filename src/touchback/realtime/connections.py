"""What is connected to a live run: devices and UDP, served outside the tick until it ends."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Protocol

from touchback.errors import InputError
from touchback.realtime.devices import (
    Device,
    ReadableDevice,
    Service,
    WritableDevice,
    read_patience,
)
from touchback.realtime.served import ServedPort, Serving, ServingDevice
from touchback.realtime.udp import Receiver, Sender
from touchback.recording import unknown_name

if TYPE_CHECKING:
    from touchback.realtime.signals import Signals


class Connection(Protocol):
    """What ends with a run."""

    def close(self) -> None:
        """Ends it."""

    def abandon(self) -> None:
        """Lets go of it in a child process."""


class Connections:
    """The connections of one run."""

    _run: Signals

    def __init__(self, run: Signals) -> None:
        self._run = weakref.proxy(run)  # no circle: who lets go of a run ends it, see Live.__del__
        self._all: list[Connection] = []
        self._serving: list[Serving] = []
        self._closed = False

    def connect(
        self, name: str, device: Device | ServingDevice, rate: float | None, patience: float
    ) -> Service | Serving:
        """A device for an input or a guarded output, whose `write` may take `patience` seconds."""
        patience = read_patience(name, patience)
        system, plan = self._run.system, self._run.plan
        is_input = name in system.input_names
        if not is_input and name not in system.output_names:
            raise unknown_name("port", name, [*system.input_names, *system.output_names])
        if not is_input and name not in plan.outputs:
            raise InputError(
                f"Output '{name}' isn't guarded: say what is safe for the device by "
                f"live(…, outputs={{{name!r}: GuardedOutput(…)}})."
            )
        if isinstance(device, ServingDevice):
            return self._served(name, device, is_input)
        if is_input:
            if not isinstance(device, ReadableDevice):
                raise InputError(f"Input '{name}' needs a device with read().")
            exchange = self._reading(name, device)
        else:
            if not isinstance(device, WritableDevice):
                raise InputError(f"Output '{name}' needs a device with write(value).")
            exchange = self._writing(name, device)
        service = Service(
            name, exchange, plan.rate if rate is None else rate, self._run.fail,
            math.inf if is_input else patience,  # a device may wait for what it reads
        )  # fmt: skip
        self.add(service)
        return service

    def _served(self, name: str, device: ServingDevice, is_input: bool) -> Serving:
        serving = device.serve(ServedPort(self._run, name, is_input))
        self._serving.append(serving)
        self.add(serving)
        return serving

    def follow(self) -> None:
        """The run has another structure: what is published lies elsewhere."""
        for serving in self._serving:
            serving.follow()

    def _reading(self, name: str, device: ReadableDevice) -> Callable[[], None]:
        def exchange() -> None:
            value = device.read()
            if value is not None:
                self._run.feed(name, float(value))

        return exchange

    def _writing(self, name: str, device: WritableDevice) -> Callable[[], None]:
        seen = -1

        def exchange() -> None:
            nonlocal seen
            values, message = self._run.published()
            if message.stamp != seen:
                seen = message.stamp
                device.write(values[name])

        return exchange

    def listen(self, port: int, host: str) -> Receiver:
        """Inputs from UDP."""
        receiver = Receiver(self._run.write, host, port)
        self.add(receiver)
        return receiver

    def send(self, host: str, port: int, outputs: Sequence[str], rate: float) -> Service:
        """Outputs or states over UDP."""
        known = list(self._run.snapshot())
        for name in outputs:
            if name not in known:
                raise unknown_name("output", name, known)
        sender = Sender(host, port)

        def exchange() -> None:
            now = self._run.snapshot()
            for name in outputs:
                if name in now:  # another structure may not have it
                    sender.send(name, now[name])

        service = Service("udp", exchange, rate, self._run.note)
        self.add(service, sender)
        return service

    def add(self, *connections: Connection) -> None:
        """Until the run ends; which it may have done meanwhile, by a device's own hand."""
        self._all += connections
        if self._closed:
            self.close()

    def close(self) -> None:
        """Ends all of them, whatever each may raise."""
        self._closed = True
        with ExitStack() as each:
            for connection in reversed(self._all):
                each.callback(connection.close)

    def abandon(self) -> None:
        """Lets go of them in a child process."""
        for connection in self._all:
            connection.abandon()
