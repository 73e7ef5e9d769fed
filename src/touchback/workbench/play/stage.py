"""Between a board and its pages: what the hub asks of it, and how what it tells gets out."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

import numpy as np

from touchback.realtime import Live
from touchback.realtime.control import Answer, Desk
from touchback.realtime.control.messages import Facts
from touchback.realtime.live_report import flag_names
from touchback.workbench.play.messages import Clock
from touchback.workbench.scene_messages import SceneSeen
from touchback.workbench.source import Posed, Values
from touchback.workbench.wire import ROWS, frame

if TYPE_CHECKING:
    from touchback.workbench.client import Client
    from touchback.workbench.hub import Hub

KEYS, ROW = 1, 2  # subscriptions of frames: all keys, and (with 256 × note) rows of one
_WAITING = 240  # frames of rows that may wait, four seconds: a stroke is to be drawn whole


class Told(Protocol):
    """What a board calls with what pages must know."""

    def __call__(self, kind: str, facts: Facts) -> None: ...


class PlaySource:
    """A board that draws itself: no scene and no poses, its desk answers. Nothing that can be set
    is told as such: what pages may know they are told by the board."""

    structure = 1

    def __init__(self, title: str, live: Live, desk: Desk) -> None:
        self.title, self.live, self.desk = title, live, desk

    def stale(self) -> bool:
        return False

    def prepare(self) -> None:
        pass

    def scene(self) -> SceneSeen:
        return empty_scene(self.title)

    def frame(self) -> Posed | None:
        return None

    def ticks(self) -> int:
        return self.live.ticks

    def values(self) -> Values:
        return {}

    def status(self) -> Mapping[str, object]:
        live = self.live
        report = live.report()
        return {
            "time": live.read("time"), "tick": live.ticks, "state": live.state,
            "held": "held" in flag_names(int(live.read("flags"))), "speed": live.plan.speed,
            "rate": live.plan.rate, "faults": list(live.faults), "late": report.counts["late"],
            "said": [each["text"] for each in report.faults[-3:]],
            "lateness": report.histograms["lateness"].summary(),
            "step time": report.histograms["step_time"].summary(),
        }  # fmt: skip

    def handle(self, message: bytes, client: str) -> Answer:
        return self.desk.handle(message, client)


def empty_scene(title: str) -> SceneSeen:
    """A scene in which nothing is to be drawn."""
    return SceneSeen(
        structure=1, title=title, flat=None, bodies=[], shapes=[], joints=[], loops=[], springs=[],
        arrows=[], sensors=[], bounds=[[0.0] * 3, [0.0] * 3],
    )  # fmt: skip


class Stage:
    """Carries what a board tells, in whatever thread, to the pages of a hub."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        hub.add(Clock, self._clock)

    def tell(self, kind: str, facts: Facts) -> None:
        """A text for all pages, with the time at which it is sent."""
        self._hub.call(self._tell, kind, dict(facts))

    def _tell(self, kind: str, facts: dict[str, object]) -> None:
        self._hub.tell(kind, {**facts, "sent": time.monotonic_ns()})

    def show(self, row: np.ndarray, keys: np.ndarray | None = None, note: int = 0) -> None:
        """Rows of what is in focus (a key's `note`), time [s] first, and numbers of all keys."""
        if self._hub.clients:
            self._hub.call(self._show, row, keys, note)

    def _show(self, row: np.ndarray, keys: np.ndarray | None, note: int) -> None:
        since = float(row[0, 0])
        shifted = row.copy()
        shifted[:, 0] -= since
        for client in self._hub.clients:
            client.stream("row", _frame(ROW + (note << 8), since, shifted), _WAITING)
            if keys is not None:
                client.stream("keys", _frame(KEYS, float(row[-1, 0]), keys))

    def _clock(self, message: Clock, client: Client) -> Facts:
        return {"ns": time.monotonic_ns()}


def _frame(subscription: int, time: float, numbers: np.ndarray) -> bytes:
    number = np.array([subscription], dtype="<u4").view("<f4")
    flat = np.concatenate([number, numbers.ravel().astype("<f4")])
    return frame(ROWS, 1, len(numbers), time, flat)
