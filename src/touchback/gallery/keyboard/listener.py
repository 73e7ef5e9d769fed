"""Ears at a live keyboard: they hear strikes within a millisecond, and stamp what it took."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from touchback.gallery.keyboard.keys import note_name
from touchback.gallery.keyboard.strikes import REPORTED
from touchback.gallery.keyboard.strokes import Heard
from touchback.realtime import Live

LOOK = 0.001  # s between looks: what the hub adds to a strike's way, half of it on average


@dataclass
class Ear:
    """Listens to live keys: `began` is told of each note as it sounds, `ended` of each note (and
    when [s]) that its damper has reached."""

    began: Callable[[Heard], None]
    ended: Callable[[int, float], None] = field(default=lambda note, time: None)
    _counts: dict[int, float] = field(default_factory=dict)
    _ringing: set[int] = field(default_factory=set)

    def look(self, now: Mapping[str, float], note: int, prefix: str = "", stamp: int = 0) -> None:
        """Take in what a key shows at a tick, which was published at a stamp (monotonic ns)."""
        count = now[f"{prefix}notes"]
        if count > self._counts.get(note, 0.0):
            self._counts[note] = count
            self._ringing.add(note)
            loudness, began = now[f"{prefix}loudness"], now[f"{prefix}note time"]
            seen = time.monotonic_ns()
            self.began(Heard(began, note, loudness, float("inf"), stamp, seen))
        elif note in self._ringing and now[f"{prefix}ringing"] < 0.5:
            self._ringing.remove(note)
            self.ended(note, now["time"])


class Listener:
    """A thread that looks at what the run published and tells an ear of each note that began and
    of each that was damped; `looked` at each look of the model's time."""

    def __init__(
        self,
        live: Live,
        notes: tuple[int, ...],
        ear: Ear,
        looked: Callable[[float], None] = lambda now: None,
    ) -> None:
        self._live, self._notes, self._ear, self._looked = live, notes, ear, looked
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
            published = stamp - round(1e9 * late)
            note = self._notes[i]
            self._ear.began(Heard(began, note, loudness, float("inf"), published, noticed))
        # A note that has just begun rings, whatever its damper was at the tick before.
        fresh = counts > self._counts
        for i in np.flatnonzero(self._ringing & ~ringing & ~fresh):
            self._ear.ended(self._notes[i], now)
        self._counts, self._ringing = counts, ringing | fresh
