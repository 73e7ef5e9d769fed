"""Taps: whoever wants the rows of ticks while a run goes on gets them, in a thread of its own.

A tap that is slow loses its oldest rows, never the recording's; one that raises is dropped with a
note. Nothing of it can be felt by the ticks.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable

import numpy as np

from touchback.callback_signature import check_takes
from touchback.errors import InputError
from touchback.numbers import number_within, positive_number, shown
from touchback.realtime.fault_log import words

_MOST_WAITING = 1 << 21  # numbers: 16 MiB for a tap that doesn't keep up
_PATIENCE = 1.0  # seconds that the end of a run waits for a tap

Block = tuple[np.ndarray, tuple[str, ...]]
Callback = Callable[[np.ndarray, tuple[str, ...]], object]
"""Gets rows of ticks, one after the other and none missing but for `lost`, and their columns."""


class Tap:
    """One who wants rows. `lost`: how many it was too slow for; `failure`: what ended it."""

    def __init__(
        self,
        callback: Callback,
        note: Callable[[str], None],
        drain: Callable[[], None],
        rate: float | None = None,
    ) -> None:
        self._callback, self._note, self._drain = callback, note, drain
        self._period = None if rate is None else 1.0 / positive_number("A tap's rate", rate)
        self._waiting: deque[Block] = deque()
        self._size = 0  # numbers that wait
        self._changed = threading.Condition()
        self._busy = False
        self.closed, self.lost = False, 0
        self.failure: str | None = None
        self._thread = threading.Thread(target=self._serve, name="touchback-tap", daemon=True)
        self._thread.start()

    def offer(self, block: Block) -> None:
        """Rows for it, when its turn comes."""
        with self._changed:
            if self.closed:
                return
            self._waiting.append(block)
            self._size += block[0].size
            while self._size > _MOST_WAITING and len(self._waiting) > 1:
                old = self._waiting.popleft()[0]
                self._size -= old.size
                self.lost += len(old)
            self._changed.notify_all()

    def _serve(self) -> None:
        while True:
            with self._changed:
                self._busy = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._waiting or self.closed, self._period)
                if not self._waiting and self.closed:
                    return
                block = self._waiting.popleft() if self._waiting else None
                self._size -= 0 if block is None else block[0].size
                self._busy = block is not None
            try:
                if block is None:  # nobody drained for as long as this one waits
                    self._drain()
                else:
                    self._callback(*block)
            except BaseException as error:  # whatever it is: the run is not to be harmed
                self._fail(words(error))
                return

    def _fail(self, why: str) -> None:
        with self._changed:
            self.closed, self._busy, self.failure = True, False, why
            self._waiting.clear()
            self._changed.notify_all()
        self._note(f"a tap raised, and gets no more rows: {why}")

    def wait(self, seconds: float | None = None) -> None:
        """Until it has had everything that waits for it."""
        if threading.current_thread() is not self._thread:
            with self._changed:
                self._changed.wait_for(
                    lambda: self.closed or not (self._waiting or self._busy), seconds
                )

    def close(self) -> None:
        """It gets the rows of all ticks until now, if it takes them soon, and no more."""
        self._drain()
        self.end()

    def end(self) -> None:
        """It gets what waits for it, and no more."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()
        if threading.current_thread() is not self._thread:
            self._thread.join(_PATIENCE)


class Taps:
    """The taps of one run."""

    def __init__(self) -> None:
        self._all: tuple[Tap, ...] = ()
        self._lock = threading.Lock()

    def add(
        self,
        callback: Callback,
        note: Callable[[str], None],
        drain: Callable[[], None],
        rate: float | None,
    ) -> Tap:
        """Another one, of a run that notes faults and can be drained."""
        if not callable(callback):
            raise InputError(f"A tap is a function of rows and columns, got {shown(callback)}.")
        check_takes("A tap's function", callback, ["rows", "columns"])
        if rate is not None:
            rate = number_within("A tap's rate is 1 to 10000 calls a second", rate, 1.0, 1e4)
        tap = Tap(callback, note, drain, rate)
        with self._lock:
            self._all = (*(each for each in self._all if not each.closed), tap)
        return tap

    def offer(self, rows: np.ndarray, columns: list[str]) -> None:
        """Rows for all of them, which nobody may change: they are the recording's too."""
        if not (self._all and len(rows)):
            return
        shown = rows.view()
        shown.flags.writeable = False
        for tap in self._all:
            tap.offer((shown, tuple(columns)))

    @property
    def open(self) -> bool:
        """Whether anybody wants rows."""
        return any(not tap.closed for tap in self._all)

    def wait(self) -> None:
        """Until all have had what waits for them."""
        for tap in self._all:
            tap.wait()

    def close(self) -> None:
        """Lets all of them go."""
        taps, self._all = self._all, ()
        for tap in taps:
            tap.end()
