"""The rows of a keyboard's last seconds, of which a page sees one key at a time."""

import threading
from collections import deque

import numpy as np

from touchback.gallery.keyboard.device import FRONT
from touchback.gallery.keyboard.keys import note_name
from touchback.workbench.play.action_drawing import ANGLES

KEPT = 4.0  # s
BEFORE, AFTER = 0.25, 0.35  # s around a strike that a replay shows
SHOWN = ("time", "depth", "force", *ANGLES)  # columns of one key: s, m, N, rad


class StrokeRows:
    """Takes blocks of rows as a tap gives them, and gives those of one key."""

    def __init__(self, notes: tuple[int, ...]) -> None:
        self._notes = notes
        self._blocks: deque[np.ndarray] = deque()
        self._places: dict[int, list[int]] = {}
        self._columns: tuple[str, ...] = ()
        self._lock = threading.Lock()

    def take(self, rows: np.ndarray, columns: tuple[str, ...]) -> None:
        """A block of ticks."""
        with self._lock:
            if columns != self._columns:
                self._blocks.clear()
                self._columns = columns
                self._places = {note: self._of(note) for note in self._notes}
            self._blocks.append(rows)
            newest = rows[-1, columns.index("time")]
            while self._blocks[0][-1, columns.index("time")] < newest - KEPT:
                self._blocks.popleft()

    def _of(self, note: int) -> list[int]:
        name = note_name(note)
        wanted = ("key", "finger force", *(f"action/{angle}" for angle in ANGLES))
        return [self._columns.index(n) for n in ("time", *(f"{name}/{each}" for each in wanted))]

    def key(self, note: int, rows: np.ndarray) -> np.ndarray:
        """The columns `SHOWN` of a key in a block of rows."""
        shown = rows[:, self._places[note]].copy()
        shown[:, 1] *= FRONT
        return shown

    def keys(self, rows: np.ndarray) -> np.ndarray:
        """Depth [m] and force [N] of all keys in the last of the rows, (keys, 2)."""
        places = [self._places[note][1:3] for note in self._notes]
        return rows[-1][places] * (FRONT, 1.0)

    def between(self, note: int, begin: float, end: float) -> np.ndarray:
        """All rows of a key between two times [s], in the order `SHOWN`."""
        with self._lock:
            if not self._blocks:
                return np.empty((0, len(SHOWN)))
            shown = self.key(note, np.concatenate(self._blocks))
        return shown[(shown[:, 0] >= begin) & (shown[:, 0] <= end)]
