"""The rows of a keyboard's last seconds, of which a page sees one key at a time."""

import threading
from collections import deque

import numpy as np

from touchback.gallery.keyboard.device import FRONT
from touchback.gallery.keyboard.keys import note_name
from touchback.workbench.play.action_drawing import ANGLES

KEPT = 20.0  # s, of the columns that are shown only: 17 MB for an octave
BEFORE, AFTER = 0.25, 0.35  # s around a strike that a replay shows
SHOWN = ("time", "depth", "force", *ANGLES)  # columns of one key: s, m, N, rad


class StrokeRows:
    """Takes blocks of rows as a tap gives them, and gives those of one key."""

    def __init__(self, notes: tuple[int, ...]) -> None:
        self._notes = notes
        self._blocks: deque[np.ndarray] = deque()  # (ticks, keys, SHOWN)
        self._columns: tuple[str, ...] = ()
        self._places = np.zeros(0, dtype=int)
        self._lock = threading.Lock()

    def take(self, rows: np.ndarray, columns: tuple[str, ...]) -> np.ndarray:
        """A block of ticks; gives what is kept of it, (ticks, keys, SHOWN)."""
        if columns != self._columns:
            self._columns = columns
            self._places = np.array([_places(note, columns) for note in self._notes])
        shown = rows[:, self._places]
        shown[:, :, SHOWN.index("depth")] *= FRONT
        with self._lock:
            self._blocks.append(shown)
            while self._blocks[0][-1, 0, 0] < shown[-1, 0, 0] - KEPT:
                self._blocks.popleft()
        return shown

    def between(self, note: int, begin: float, end: float) -> np.ndarray:
        """All rows of a key between two times [s], in the order `SHOWN`."""
        with self._lock:
            blocks = [each for each in self._blocks if begin <= each[-1, 0, 0]]
        if not blocks:
            return np.empty((0, len(SHOWN)))
        rows = np.concatenate(blocks)[:, self._notes.index(note)]
        return rows[(rows[:, 0] >= begin) & (rows[:, 0] <= end)]


def _places(note: int, columns: tuple[str, ...]) -> list[int]:
    """Where the columns `SHOWN` of a key are."""
    own = ("key", "finger force", *(f"action/{angle}" for angle in ANGLES))
    return [columns.index(name) for name in ("time", *(f"{note_name(note)}/{x}" for x in own))]
