"""An ear at a live keyboard: hears strikes within a millisecond, and stamps what it took."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from touchback.gallery.keyboard.keys import note_name
from touchback.gallery.keyboard.strikes import REPORTED
from touchback.realtime import Live

LOOK = 0.001  # s between looks: what the hub adds to a strike's way, half of it on average


@dataclass(frozen=True)
class Heard:
    """A note that began: how loudly, when in the model's time [s]; when its tick was published and
    when it was noticed (monotonic ns)."""

    note: int
    loudness: float
    time: float
    published: int
    noticed: int


class Listener:
    """A thread that looks at what the run published and tells of each note that began, of each
    that was damped, and at each look the model's time."""

    def __init__(
        self,
        live: Live,
        notes: tuple[int, ...],
        began: Callable[[Heard], None],
        damped: Callable[[int], None],
        looked: Callable[[float], None],
    ) -> None:
        self._live, self._notes = live, notes
        self._began, self._damped, self._looked = began, damped, looked
        self._counts = np.zeros(len(notes))
        self._ringing = np.zeros(len(notes), dtype=bool)
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._listen, name="touchback-ear", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Listens no more."""
        self._done.set()
        if self._thread.is_alive():
            self._thread.join()

    def _listen(self) -> None:
        fields, _ = self._live.latest()
        names = [note_name(note) for note in self._notes]
        at = np.array([[fields.index(f"{name}/{each}") for each in REPORTED] for name in names])
        clock, period = fields.index("time"), 1.0 / self._live.plan.rate
        while not self._done.wait(LOOK):
            try:
                _, message = self._live.latest()
                now = float(message.values[clock])
                self._hear(message.values[at], now, message.stamp, period)
                self._looked(now)
            except Exception as error:  # the keyboard goes on, unheard
                self._live.note(f"nobody listens any more: {type(error).__name__}: {error}")
                return

    def _hear(self, shown: np.ndarray, now: float, stamp: int, period: float) -> None:
        counts, ringing = shown[:, 0], shown[:, 3] > 0.5
        noticed = time.monotonic_ns()
        for i in np.flatnonzero(counts > self._counts):
            loudness, began = float(shown[i, 1]), float(shown[i, 2])
            late = max(now - began - period, 0.0)  # ticks since the one that told of it first
            self._began(Heard(self._notes[i], loudness, began, stamp - round(1e9 * late), noticed))
        # A note that has just begun rings, whatever its damper was at the tick before.
        fresh = counts > self._counts
        for i in np.flatnonzero(self._ringing & ~ringing & ~fresh):
            self._damped(self._notes[i])
        self._counts, self._ringing = counts, ringing | fresh
