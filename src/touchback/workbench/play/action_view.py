"""What the piano page shows of an action: its shapes, the rows of its last strokes, and force over
depth, computed beside the live run."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from touchback import System
from touchback.errors import TouchbackError
from touchback.instruments.keyboard.key_device import FRONT
from touchback.instruments.keyboard.keyboard_model import note_name
from touchback.instruments.piano.action_drawing import BEFORE as DRAWN_BEFORE
from touchback.instruments.piano.action_drawing import (
    BEHIND,
    BODIES,
    BOTTOM,
    COLOURS,
    FALLING,
    LEFT,
    RIGHT,
    TOP,
    PartOutline,
    action_outlines,
)
from touchback.instruments.piano.action_specification import Specification, find_placements
from touchback.instruments.piano.stroke_analysis import ForceCurve, force_curve, slow_press

#: The angles that a pose consists of, in this order.
ANGLES = ("key", "whippen", "jack", "lever", "hammer", "damper")


def action_drawing(specification: Specification | None = None) -> dict[str, object]:
    """Polygons and circles [m] of each body in the pose of rest, hinges, and in which order and
    sense each turns."""
    spec = specification or Specification()
    at = find_placements(spec.dimensions, spec.regulation)
    parts = action_outlines(spec, at)
    hinges = {name: [float(x) for x in getattr(at, name)] for name in ANGLES}
    return {
        "bounds": [LEFT, RIGHT, BOTTOM, TOP],
        "bodies": list(BODIES), "behind": BEHIND, "before": DRAWN_BEFORE, "falling": list(FALLING),
        "angles": list(ANGLES), "hinges": hinges, "damper head": spec.dimensions.damper_head,
        "colours": COLOURS,
        "shapes": {name: [_drawing_plain(shape) for shape in own] for name, own in parts.items()},
    }  # fmt: skip


def _drawing_plain(shape: PartOutline) -> dict[str, object]:
    points = [[round(float(x), 6) for x in point] for point in shape.points]
    return {"points": points, "material": shape.material, "radius": shape.radius}


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


POINTS = 240  # of each side of a curve that is drawn


SPEED = 0.02  # m/s: as slow as weights can be told, so that a curve is there in a quarter second


CALM = 0.2  # s that a key must be in focus before a first curve of it is computed


@dataclass(frozen=True)
class _Question:
    """The screws of a key as they are, and as it was made."""

    note: int
    screws: Mapping[str, float]
    made: Mapping[str, float]


class Curves:
    """Presses the action slowly whenever somebody asks; of several questions only the latest is
    answered. `answer` gets the curve as plain data, in a thread of its own."""

    def __init__(self, answer: Callable[[dict[str, object]], None]) -> None:
        self._answer = answer
        self._asked: _Question | None = None
        self._changed, self._ended = threading.Condition(), False
        self._system: System | None = None
        self._usual: dict[int, dict[str, object]] = {}  # of keys, with the screws as made
        self.last: dict[str, object] | None = None
        self._thread = threading.Thread(target=self._serve, name="touchback-curve", daemon=True)
        self._thread.start()

    def ask(self, note: int, screws: Mapping[str, float], made: Mapping[str, float]) -> None:
        """The curve of the key of a MIDI note with these screws, soon, beside that as `made`."""
        with self._changed:
            self._asked = _Question(note, dict(screws), dict(made))
            self._changed.notify()

    def stop(self) -> None:
        """Answers no more."""
        with self._changed:
            self._ended = True
            self._changed.notify()
        self._thread.join()

    def _serve(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(self._wanted)
                asked, self._asked = self._asked, None
                while asked is not None and asked.note not in self._usual:
                    if not self._changed.wait_for(self._wanted, CALM):
                        break  # fingers stay here; on their way over keys they would be too many
                    asked, self._asked = self._asked, None
                if self._ended or asked is None:
                    return
            self.last = self._answered(asked)
            self._answer(self.last)

    def _wanted(self) -> bool:
        return self._ended or self._asked is not None

    def _answered(self, asked: _Question) -> dict[str, object]:
        if self._system is None:
            self._system = slow_press(speed=SPEED)
        if asked.note not in self._usual:
            self._usual[asked.note] = _curve(self._system, asked.made)
        usual = self._usual[asked.note]
        curve = usual if asked.screws == asked.made else _curve(self._system, asked.screws)
        named = {"note": asked.note, "key": note_name(asked.note)}
        return {**curve, **named, "usual": usual, "screws": dict(asked.screws)}


def _curve(system: System, screws: Mapping[str, float]) -> dict[str, object]:
    try:
        return _plain(force_curve(system, screws))
    except TouchbackError as error:
        return {"error": str(error)}


def _plain(curve: ForceCurve) -> dict[str, object]:
    """Depth [m] and force [N] of both sides, stages [m], weights [kg] and the let-off."""
    sides = {}
    for name, (depth, force) in (("down", curve.down), ("up", curve.up)):
        some = np.linspace(0, len(depth) - 1, min(POINTS, len(depth))).astype(int)
        sides[name] = [np.round(depth[some], 7).tolist(), np.round(force[some], 4).tolist()]
    return {**sides, "stages": curve.stages, "let-off": curve.let_off, "weights": curve.weights}
