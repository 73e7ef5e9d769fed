"""Force over depth of an action whose screws are being turned, computed beside the live run."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

import numpy as np

from touchback.errors import TouchbackError
from touchback.gallery.piano.force_curve import ForceCurve, force_curve, slow_press
from touchback.system import System

POINTS = 240  # of each side of a curve that is drawn
SPEED = 0.02  # m/s: as slow as weights can be told, so that a curve is there in a quarter second


class Curves:
    """Presses the action slowly whenever somebody asks; of several questions only the latest is
    answered. `answer` gets the curve as plain data, in a thread of its own."""

    def __init__(self, answer: Callable[[dict[str, object]], None]) -> None:
        self._answer = answer
        self._asked: Mapping[str, float] | None = None
        self._made: Mapping[str, float] = {}
        self._changed, self._ended = threading.Condition(), False
        self._system: System | None = None
        self.last: dict[str, object] | None = None
        self.usual: dict[str, object] | None = None  # with the screws as they were made
        self._thread = threading.Thread(target=self._serve, name="touchback-curve", daemon=True)
        self._thread.start()

    def ask(self, screws: Mapping[str, float], usual: bool = False) -> None:
        """The curve with these screws, soon; as they were made, if that is the `usual` one."""
        with self._changed:
            if usual:
                self._made = dict(screws)
            self._asked = dict(screws)
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
                self._changed.wait_for(lambda: self._ended or self._asked is not None)
                if self._ended:
                    return
                screws, self._asked = self._asked or {}, None
            if self._system is None:
                self._system = slow_press(speed=SPEED)
            if self.usual is None:
                self.usual = _curve(self._system, self._made)
            same = screws == self._made
            self.last = self.usual if same else _curve(self._system, screws)
            self._answer({**self.last, "usual": self.usual, "screws": dict(screws)})


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
