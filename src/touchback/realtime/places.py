"""States that a live run was put into: told in its recording, so that a replay takes them too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from touchback.native.live.layout import PLACE_HEAD
from touchback.recording.live_about import PlaceData
from touchback.system import System

PLACES = 1000  # that are remembered for the report


@dataclass(frozen=True)
class Place:
    """A state that was offered, the tick that took it (or refused it) before its step, and the
    energy [J] that this put into the mechanism."""

    tick: int
    time: float
    state: list[float]
    energy: float
    refused: bool

    @staticmethod
    def of(row: np.ndarray, system: System, parameters: dict[str, float]) -> Place:
        """As a tick noted it (live.h)."""
        tick, refused, time = int(row[1]), bool(row[2]), float(row[3])
        offered, before, after = np.split(row[PLACE_HEAD:], 3)
        energy = 0.0
        if not refused:
            stored = system.stored_energy
            energy = stored(after, parameters, time) - stored(before, parameters, time)
        return Place(tick, time, offered.tolist(), energy, refused)

    def data(self) -> PlaceData:
        """For a recording."""
        return {"tick": self.tick, "state": self.state}

    def as_dict(self) -> dict[str, object]:
        """For the report; without the state."""
        return {"tick": self.tick, "time": self.time, "energy": self.energy}
