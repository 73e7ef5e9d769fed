"""Ears at a live keyboard: they hear strikes within a millisecond, and stamp what it took."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from touchback import Live
from touchback.instruments.keyboard.keys import note_name
from touchback.instruments.keyboard.strikes import REPORTED
from touchback.instruments.keyboard.strokes import FADED, Heard, damping_share

LOOK = 0.001  # s between looks: what the hub adds to a strike's way, half of it on average


@dataclass
class Ear:
    """Listens to live keys: `began` is told of each note as it sounds, `released` of each whose key
    was let go, `damped` of each whose damper came to lie on its string with another share of its
    weight, 0 to 1; the last two with when [s]."""

    began: Callable[[Heard], None]
    released: Callable[[int, float], None] = field(default=lambda note, time: None)
    damped: Callable[[int, float, float], None] = field(default=lambda note, time, share: None)


class Hearing:
    """Tells an ear what a live run of keys shows, look after look; `prefixes` are those of the
    keys' signals."""

    def __init__(self, live: Live, notes: Sequence[int], prefixes: Sequence[str], ear: Ear) -> None:
        self._live, self._notes, self._ear = live, list(notes), ear
        fields, _ = live.latest()
        self._at = np.array([[fields.index(own + each) for each in REPORTED] for own in prefixes])
        self._clock = fields.index("time")
        self._counts, self._shares = np.zeros(len(notes)), np.zeros(len(notes))
        self._held = np.zeros(len(notes), dtype=bool)
        self._left = np.zeros(len(notes))  # s of full damping, until a string is still
        self._now = 0.0

    def look(self, listens: Callable[[], bool] = lambda: True) -> float:
        """Takes in what the last tick showed, and gives its time [s]. Notes that began are told
        only where it `listens`, which is asked after the tick."""
        _, message = self._live.latest()
        counts, loudness, when, ringing, held, shifted = message.values[self._at].T
        now, noticed = float(message.values[self._clock]), time.monotonic_ns()
        fresh = (counts > self._counts) & listens()
        for i in np.flatnonzero(fresh):
            # ticks since the one that told of it first
            late = max(now - when[i] - 1.0 / self._live.plan.rate, 0.0)
            published = message.stamp - round(1e9 * late)
            self._ear.began(
                Heard(
                    float(when[i]), self._notes[i], float(loudness[i]), float("inf"), published,
                    noticed, float(shifted[i]),
                )
            )  # fmt: skip
        # A note that has just begun rings and is held, whatever its key was at the tick before.
        for i in np.flatnonzero(self._held & (held < 0.5) & ~fresh):
            self._ear.released(self._notes[i], now)
        self._held = fresh | (self._held & (held > 0.5))
        self._damp(np.where(fresh, 0.0, damping_share(ringing)), fresh, now - self._now)
        self._counts, self._now = counts, now
        return now

    def _damp(self, shares: np.ndarray, fresh: np.ndarray, passed: float) -> None:
        """Tells of other shares, as long as there is something to be damped."""
        self._shares = np.where(fresh, 0.0, self._shares)
        changed = (shares != self._shares) & (self._left > 0.0)
        for i in np.flatnonzero(changed):
            self._ear.damped(self._notes[i], self._now + passed, float(shares[i]))
        self._shares = np.where(changed, shares, self._shares)
        self._left = np.where(fresh, FADED, self._left - passed * shares)


class Notebook:
    """Writes down what its `ear` is told, and tells another: `notes` with when their keys were let
    go and how they were damped, as `heard` finds them in a recording, without one."""

    def __init__(self, other: Ear) -> None:
        self.notes: list[Heard] = []
        self.ear = Ear(self._began, self._released, self._damped)
        self._other, self._ringing = other, dict[int, list[_Ringing]]()

    def _began(self, note: Heard) -> None:
        self._damp(note.note, note.time, 0.0)  # a strike finds its string free
        self._ringing[note.note].append(_Ringing(len(self.notes), since=note.time))
        self.notes.append(note)
        self._other.began(note)

    def _released(self, note: int, time: float) -> None:
        for each in self._ringing.get(note, []):
            kept = self.notes[each.place]
            self.notes[each.place] = replace(kept, released=min(kept.released, time))
        self._other.released(note, time)

    def _damped(self, note: int, time: float, share: float) -> None:
        self._damp(note, time, share)
        self._other.damped(note, time, share)

    def _damp(self, note: int, time: float, share: float) -> None:
        """From a time on, all that rings of a key is damped by a share; what is still is left."""
        ringing = []
        for each in self._ringing.get(note, []):
            each.left -= each.share * (time - each.since)
            if each.left < 0.0:
                continue
            ringing.append(each)
            kept = self.notes[each.place]
            if share != each.share:
                end = min(kept.end, time) if share > 0.5 else kept.end
                damping = (*kept.damping, (time, share))
                self.notes[each.place] = replace(kept, end=end, damping=damping)
            each.share, each.since = share, time
        self._ringing[note] = ringing


@dataclass
class _Ringing:
    """A note that isn't still: its place, its damper's share since when [s], and how much full
    damping is left [s]."""

    place: int
    since: float
    share: float = 0.0
    left: float = FADED


class Listener:
    """A thread that looks at what the run published and tells an ear of it; `looked` at each look
    of the model's time."""

    def __init__(
        self,
        live: Live,
        notes: tuple[int, ...],
        ear: Ear,
        looked: Callable[[float], None] = lambda now: None,
    ) -> None:
        self._live, self._notes, self._ear, self._looked = live, notes, ear, looked
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
        prefixes = [f"{note_name(note)}/" for note in self._notes]
        hearing = Hearing(self._live, self._notes, prefixes, self._ear)
        while not self._done.wait(LOOK):
            try:
                self._looked(hearing.look())
            except Exception as error:  # the keyboard goes on, unheard
                self._live.note(f"nobody listens any more: {type(error).__name__}: {error}")
                return
