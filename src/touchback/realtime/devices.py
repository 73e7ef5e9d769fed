"""Devices served outside the tick: a thread that carries values between a device and a mailbox."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from typing import Protocol, runtime_checkable

from touchback.errors import InputError
from touchback.numbers import LEAST, as_float, number_within, shown
from touchback.realtime.faults import words

_SLOWEST, _FASTEST = 1e-3, 1e5  # exchanges a second
_LOOK = 0.01  # seconds at least between looks whether a device comes back
_LAST_WORD = 2.0  # seconds that a device has for it
PATIENCE = 1.0  # seconds that a device's `write` may take, unless told otherwise


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
