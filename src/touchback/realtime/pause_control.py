"""The transport of a live run: who lets it rest, and the states that it was put into."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from touchback.native import PLACE_HEAD
from touchback.recording import PlaceData
from touchback.system import System

PLACES = 1000  # that are remembered for the report


@dataclass(frozen=True)
class StateChange:
    """A state that was offered to a run, the tick that took (or refused) it before its step, and
    the energy [J] that this put into the mechanism."""

    tick: int
    time: float
    state: list[float]
    energy: float
    refused: bool

    @staticmethod
    def of(row: np.ndarray, system: System, parameters: dict[str, float]) -> StateChange:
        """As a tick noted it (live.h)."""
        tick, refused, time = int(row[1]), bool(row[2]), float(row[3])
        offered, before, after = np.split(row[PLACE_HEAD:], 3)
        energy = 0.0
        if not refused:
            stored = system.stored_energy
            energy = stored(after, parameters, time) - stored(before, parameters, time)
        return StateChange(tick, time, offered.tolist(), energy, refused)

    def data(self) -> PlaceData:
        """For a recording."""
        return {"tick": self.tick, "state": self.state}

    def as_dict(self) -> dict[str, object]:
        """For the report; without the state."""
        return {"tick": self.tick, "time": self.time, "energy": self.energy}


class RestingRun(Protocol):
    """A run whose model can rest."""

    def _apply_rest(self, resting: bool) -> None: ...


class Transport:
    """Whether the model of a run rests: while somebody has paused it, and while others need it to
    rest for a while; from any thread."""

    _run: RestingRun

    def __init__(self, run: RestingRun) -> None:
        self._run = weakref.proxy(run)  # no circle: who lets go of a run ends it, see Live.__del__
        self._lock = threading.Lock()
        self._paused, self._rests = False, 0

    def pause(self) -> None:
        """Lets the model rest until `go`."""
        self._set(paused=True)

    def go(self) -> None:
        """Ends a pause; the model goes on once nobody else needs its rest."""
        self._set(paused=False)

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Lets the model rest within a `with` block, paused or not."""
        self._set(more=1)
        try:
            yield
        finally:
            self._set(more=-1)

    def _set(self, more: int = 0, paused: bool | None = None) -> None:
        with self._lock:
            self._rests += more
            self._paused = self._paused if paused is None else paused
            self._run._apply_rest(self._paused or self._rests > 0)
