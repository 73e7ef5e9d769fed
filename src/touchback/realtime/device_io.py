"""Device I/O of live runs: devices and UDP, served outside the tick until a run ends."""

from __future__ import annotations

import math
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from touchback.errors import InputError
from touchback.names import unknown_name
from touchback.native.live.live_loop import LiveLoop
from touchback.native.live.mailbox import Mailbox, Message
from touchback.numbers import LEAST, as_float, number_within, shown
from touchback.realtime.fault_log import words
from touchback.realtime.live_spec import LiveSpec
from touchback.realtime.port_guards import WatchedInput
from touchback.realtime.shared_memory import HEAD, PUBLISHED, OwnPorts
from touchback.realtime.udp_signals import Receiver, Sender
from touchback.system import System

_SLOWEST, _FASTEST = 1e-3, 1e5  # exchanges a second


_LOOK = 0.01  # seconds at least between looks whether a device comes back


_LAST_WORD = 2.0  # seconds that a device has for it


PATIENCE = 1.0  # seconds that a device's `write` may take, by default


@runtime_checkable
class ReadableDevice(Protocol):
    """Something that gives a value for an input; None when it has nothing new."""

    def read(self) -> float | None: ...


@runtime_checkable
class WritableDevice(Protocol):
    """Something that takes the value of an output."""

    def write(self, value: float) -> None: ...


Device = ReadableDevice | WritableDevice


class Service:
    """Calls `exchange` so many times a second until it is closed. What a device raises is kept in
    `failure`, told to `failed`, and ends the service. So is one that takes longer than `patience`
    seconds, once each time, and the service goes on when it comes back."""

    def __init__(
        self,
        name: str,
        exchange: Callable[[], None],
        rate: float,
        failed: Callable[[str], None],
        patience: float = math.inf,
    ) -> None:
        rate = _read_rate(name, rate)
        self._patience, self._since = patience, math.inf  # when the exchange at hand began
        self.name, self.failure = name, None  # type: tuple[str, BaseException | None]
        self._exchange, self._period, self._failed = exchange, 1.0 / rate, failed
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._serve, name=f"touchback {name}", daemon=True)
        self._thread.start()
        if not math.isinf(patience):
            watch = threading.Thread(target=self._watch, name=f"touchback {name}?", daemon=True)
            watch.start()

    def _watch(self) -> None:
        """Whether the device comes back in time."""
        told = math.inf
        while self._thread.is_alive() and self.failure is None:
            since = self._since
            left = since + self._patience - time.monotonic()
            if left <= 0.0 and since != told:
                told = since
                self._failed(
                    f"'{self.name}': its device's write hasn't returned for {self._patience:g} s; "
                    "see to the device, and resume"
                )
            self._closing.wait(min(max(left, _LOOK), self._patience))
            if self._closing.is_set():  # from now on `close` looks
                return

    def _serve(self) -> None:
        due = time.monotonic()
        while not self._closing.is_set():
            if not self._try():
                return
            due = max(due + self._period, time.monotonic())
            self._closing.wait(due - time.monotonic())
        self._try()  # the last word of a run

    def _try(self) -> bool:
        try:
            self._since = time.monotonic()
            self._exchange()
            self._since = math.inf
        except BaseException as error:  # a device may fail in any way: by SystemExit, too
            self.failure = error
            self._failed(f"'{self.name}' is served no more: {words(error)}")
        return self.failure is None

    def close(self) -> None:
        """Ends the service with one last exchange, so that a device gets the last word of a run. It
        happens in the service's own thread: a device can't keep the run from ending."""
        self._closing.set()
        if self._thread is not threading.current_thread():  # a device may end the run
            self._thread.join(_LAST_WORD)
            if self._thread.is_alive():
                self._failed(f"'{self.name}': its device didn't answer within {_LAST_WORD:g} s")

    def abandon(self) -> None:
        """In a child process, which doesn't have the thread, there is nothing to let go of."""


def read_patience(name: str, patience: object) -> float:
    """How long a device's `write` may take [s]."""
    sentence = f"'{name}': patience is a positive number of seconds, or infinite for no bound"
    return number_within(sentence, patience, LEAST)


def _read_rate(name: str, rate: object) -> float:
    value, limits = as_float(rate), f"{_SLOWEST:g} to {_FASTEST:g}"
    if not _SLOWEST <= value <= _FASTEST:
        raise InputError(f"'{name}' is served {limits} times a second, got rate={shown(rate)}.")
    return value


class ConnectedRun(Protocol):
    """What devices and UDP need of a live run."""

    system: System
    spec: LiveSpec
    _ports: OwnPorts
    _loop: LiveLoop

    def write(self, name: str, value: float, stamp: int | None = None) -> None: ...

    def feed(self, name: str, value: float) -> None: ...

    def snapshot(self) -> dict[str, float]: ...

    def published(self) -> tuple[dict[str, float], Message]: ...

    def fail(self, text: str) -> None: ...

    def note(self, text: str) -> None: ...


class DevicePort:
    """An input, whose mailbox the device writes, or an output, at a place of what is published."""

    def __init__(self, run: ConnectedRun, name: str, is_input: bool) -> None:
        self.run, self.name, self.is_input = run, name, is_input
        watched = run.spec.inputs.get(name, WatchedInput()) if is_input else WatchedInput()
        self.low, self.high = watched.low, watched.high

    def mailbox(self) -> Mailbox:
        """The input's own, though the structure may not have it at present, or the one in which
        the run publishes."""
        return self.run._ports.mailbox(self.name if self.is_input else PUBLISHED)

    def place(self) -> int | None:
        """Of an output in what is published; None when the structure doesn't have it."""
        names = list(self.run.system.output_names)
        return len(HEAD) + names.index(self.name) if self.name in names else None

    def word(self) -> tuple[int, int]:
        """The address and the present value of the word for which places hold."""
        region = self.run._ports
        return region.word_address, region.refresh()

    def take_with(self, leader: DevicePort | None) -> None:
        """Lets ticks take this input's messages together with those of another, its leader, or not
        at all; alone without one."""
        names, ports = list(self.run.system.input_names), self.run._loop.ports
        if self.name in names and (leader is None or leader.name in names):
            group = 0 if leader is None else 1 + names.index(leader.name)
            ports[names.index(self.name)].group = group

    def period(self) -> int:
        """Nanoseconds between two publications, about."""
        speed = self.run.spec.speed
        rate = self.run.spec.rate * (speed if speed and math.isfinite(speed) else 1.0)
        return round(1e9 / rate)

    def note(self, text: str) -> None:
        """A fault of the run in words."""
        self.run.note(text)


class DeviceService(Protocol):
    """What serves a port until the run ends."""

    def close(self) -> None:
        """Ends it; the last word of the run is on its way."""

    def abandon(self) -> None:
        """Lets go of it in a child process."""

    def follow(self) -> None:
        """The run has another structure."""


@dataclass(frozen=True)
class PortService:
    """A served port, as what a run ends, by what its device does for it."""

    end: Callable[[], None]
    forget: Callable[[], None]
    rebind: Callable[[], None]

    def close(self) -> None:
        """Serves it no more."""
        self.end()

    def abandon(self) -> None:
        """A child process has no thread that serves."""
        self.forget()

    def follow(self) -> None:
        """The run has another structure."""
        self.rebind()


@runtime_checkable
class ServingDevice(Protocol):
    """A device that serves ports of a live run from a thread of its own."""

    def serve(self, port: DevicePort) -> DeviceService: ...


class Connection(Protocol):
    """What ends with a run."""

    def close(self) -> None:
        """Ends it."""

    def abandon(self) -> None:
        """Lets go of it in a child process."""


class Connections:
    """The connections of one run."""

    _run: ConnectedRun

    def __init__(self, run: ConnectedRun) -> None:
        self._run = weakref.proxy(run)  # no circle: who lets go of a run ends it, see Live.__del__
        self._all: list[Connection] = []
        self._serving: list[DeviceService] = []
        self._closed = False

    def connect(
        self, name: str, device: Device | ServingDevice, rate: float | None, patience: float
    ) -> Service | DeviceService:
        """A device for an input or a guarded output, whose `write` may take `patience` seconds."""
        patience = read_patience(name, patience)
        system, spec = self._run.system, self._run.spec
        is_input = name in system.input_names
        if not is_input and name not in system.output_names:
            raise unknown_name("port", name, [*system.input_names, *system.output_names])
        if not is_input and name not in spec.outputs:
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
            name, exchange, spec.rate if rate is None else rate, self._run.fail,
            math.inf if is_input else patience,  # a device may wait for what it reads
        )  # fmt: skip
        self.add(service)
        return service

    def _served(self, name: str, device: ServingDevice, is_input: bool) -> DeviceService:
        serving = device.serve(DevicePort(self._run, name, is_input))
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
