"""A client of a control port, for scripts and other programs in Python."""

from __future__ import annotations

import itertools
import math
import select
import socket
import threading
import time
from collections.abc import Sequence
from typing import Self, cast

import msgspec

from touchback.errors import NO_JSON, DeviceError, InputError
from touchback.realtime.control.control_messages import (
    LONGEST,
    Choose,
    Describe,
    Go,
    Message,
    Pause,
    Read,
    Reset,
    Resume,
    Set,
    Speed,
    Step,
    Stop,
    Switch,
)
from touchback.realtime.control.control_port import Address, Hello
from touchback.realtime.port_guards import number_of

_LONGEST_ANSWER = 1 << 26  # bytes


def control(address: str, token: str | None = None, timeout: float = 10.0) -> Control:
    """The control port of a live run in another process: see `Live.open_control`."""
    return Control(address, token, timeout)


def _ended(made: socket.socket) -> bool:
    """Whether the other side closed a connection on which nothing is under way."""
    try:
        return bool(select.select([made], [], [], 0.0)[0]) and not made.recv(1, socket.MSG_PEEK)
    except (OSError, ValueError):
        return True


class Control:
    """A connection to a control port; from any thread, and a context manager. What the run refuses
    raises `InputError` with its words, a connection that fails `DeviceError`; the next call then
    connects anew."""

    def __init__(self, address: str, token: str | None = None, timeout: float = 10.0) -> None:
        self._address, self._timeout = Address.of(address), timeout
        self._token = token or self._address.token or None
        self._lock, self._numbers = threading.Lock(), itertools.count(1)
        self._socket: socket.socket | None = None
        self._buffer = bytearray()
        with self._lock:
            self._connect()

    def _connect(self) -> socket.socket:
        if self._socket is not None:
            if not _ended(self._socket):
                return self._socket
            self.close()
        made = socket.socket(self._address.family, socket.SOCK_STREAM)
        made.settimeout(self._timeout)
        try:
            self._call(made)
            self._socket, self._buffer = made, bytearray()
            if self._token is not None:
                made.sendall(msgspec.json.encode(Hello(self._token)) + b"\n")
                answer = self._line(made)
                if not answer.get("ok"):
                    raise InputError(str(answer.get("error")))
        except OSError as error:
            made.close()
            self._socket = None
            raise DeviceError(
                f"There is no control port at {self._address}: {error.strerror or error}. Does the "
                "run go on, and did it open one there (live.open_control, `touchback live "
                "--control`)?"
            ) from None
        except BaseException:
            self.close()
            raise
        return made

    def _call(self, made: socket.socket) -> None:
        """Connects; a Unix socket that many call at once asks to come again."""
        until = time.monotonic() + self._timeout
        while True:
            try:
                return made.connect(self._address.target)
            except BlockingIOError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.02)

    def ask(self, message: Message) -> dict[str, object]:
        """What a message is answered: its facts."""
        number = next(self._numbers)
        text = msgspec.json.encode(msgspec.structs.replace(message, id=number))
        if len(text) > LONGEST:
            raise InputError(f"A message has at most {LONGEST} bytes, got {len(text)}.")
        with self._lock:
            wire = self._connect()
            try:
                wire.sendall(text + b"\n")
                answer = self._line(wire)
                while answer.get("id") not in (number, None):  # of one that was given up
                    answer = self._line(wire)
            except BaseException as error:
                self.close()
                if not isinstance(error, OSError):
                    raise
                raise DeviceError(
                    f"The control port at {self._address} doesn't answer: {error}."
                ) from None
        if not answer.pop("ok", False):
            raise InputError(str(answer.get("error")))
        del answer["id"]
        return answer

    def _line(self, wire: socket.socket) -> dict[str, object]:
        """An answer."""
        while (end := self._buffer.find(b"\n")) < 0:
            data = wire.recv(65_536)
            if not data or len(self._buffer) > _LONGEST_ANSWER:
                raise ConnectionError("it closed the connection")
            self._buffer += data
        line = bytes(self._buffer[:end])
        del self._buffer[: end + 1]
        try:
            return msgspec.json.decode(line, type=dict[str, object])
        except NO_JSON:
            raise ConnectionError("it isn't the control port of a live run") from None

    def close(self) -> None:
        """Ends the connection; the run goes on."""
        made, self._socket = self._socket, None
        if made is not None:
            made.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *what: object) -> None:
        self.close()

    # ---- messages -------------------------------------------------------------------------------

    def set(self, name: str, value: float, ramp: float | None = None) -> dict[str, object]:
        """An input or a live parameter, from the next tick on, or along a ramp [s]."""
        number = number_of(name, value)
        if not math.isfinite(number):
            raise InputError(f"'{name}' must be a finite number, got {number}.")
        return self.ask(Set(name, number, ramp))

    def __setitem__(self, name: str, value: float) -> None:
        """The same: `rig["length"] = 0.12`."""
        self.set(name, value)

    def choose(self, control: str, alternative: str) -> dict[str, object]:
        """Lets an alternative of a control act."""
        return self.ask(Choose(control, alternative))

    def switch(
        self, activate: Sequence[str] = (), deactivate: Sequence[str] = ()
    ) -> dict[str, object]:
        """Lets constraints act or rest."""
        return self.ask(Switch(tuple(activate), tuple(deactivate)))

    def pause(self) -> dict[str, object]:
        """The model rests and outputs are safe."""
        return self.ask(Pause())

    def go(self) -> dict[str, object]:
        """Goes on after a pause."""
        return self.ask(Go())

    def step(self, ticks: int = 1) -> dict[str, object]:
        """Single ticks of a paused run."""
        return self.ask(Step(ticks))

    def speed(self, value: float) -> dict[str, object]:
        """How fast the model's time goes, of real time."""
        return self.ask(Speed(number_of("speed", value)))

    def reset(self) -> dict[str, object]:
        """Back to the state that the run started from; a model that its state holds goes on."""
        return self.ask(Reset())

    def resume(self) -> dict[str, object]:
        """Clears faults that last."""
        return self.ask(Resume())

    def stop(self) -> dict[str, object]:
        """Emergency stop; where another thread waits for an answer, by a connection of its own."""
        if not self._lock.locked():
            return self.ask(Stop())
        with Control(str(self._address), self._token, self._timeout) as beside:
            return beside.ask(Stop())

    def what(self) -> dict[str, object]:
        """Everything that the run exposes."""
        return self.ask(Describe())

    def read(self, *names: str) -> dict[str, float]:
        """Outputs, states and energies of one and the same tick, by name (all)."""
        return cast(dict[str, float], self.ask(Read(names))["values"])
