"""Devices served outside the tick: a thread that carries values between a device and a mailbox."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Protocol, runtime_checkable

from touchback.errors import InputError
from touchback.numbers import as_float, shown
from touchback.realtime.faults import words

_SLOWEST, _FASTEST = 1e-3, 1e5  # exchanges a second
_LAST_WORD = 2.0  # seconds that a device has for it


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
    `failure`, told to `failed`, and ends the service."""

    def __init__(
        self,
        name: str,
        exchange: Callable[[], None],
        rate: float,
        failed: Callable[[str], None],
    ) -> None:
        rate = _read_rate(name, rate)
        self.name, self.failure = name, None  # type: tuple[str, BaseException | None]
        self._exchange, self._period, self._failed = exchange, 1.0 / rate, failed
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._serve, name=f"touchback {name}", daemon=True)
        self._thread.start()

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
            self._exchange()
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


def _read_rate(name: str, rate: object) -> float:
    value, limits = as_float(rate), f"{_SLOWEST:g} to {_FASTEST:g}"
    if not _SLOWEST <= value <= _FASTEST:
        raise InputError(f"'{name}' is served {limits} times a second, got rate={shown(rate)}.")
    return value
