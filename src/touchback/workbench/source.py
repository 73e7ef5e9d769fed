"""What a workbench shows: a live run, a recording, or anything else that has these few methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

import numpy as np

from touchback.realtime.control import Answer
from touchback.workbench.scene_messages import SceneSeen

Values = dict[str, float]


class Posed(NamedTuple):
    """Poses at a time [s] of so many bodies (see `Poses.at`) of a mechanism of a size [m]."""

    time: float
    bodies: int
    numbers: np.ndarray
    size: float


class Source(Protocol):
    """Where scenes and poses come from, and who answers messages. The hub calls `prepare`, `scene`
    and `handle` in a thread of theirs and the others in its own; none of them may wait long."""

    title: str

    @property
    def structure(self) -> int:
        """The number of the structure that `frame` and `scene` show, from 1 on."""

    def stale(self) -> bool:
        """Whether there is another structure, for which `prepare` must be called."""

    def prepare(self) -> None:
        """Takes up the present structure."""

    def scene(self) -> SceneSeen:
        """What is to be drawn, with the present parameters."""

    def frame(self) -> Posed | None:
        """The newest poses; None: not at present."""

    def ticks(self) -> int:
        """How many instants there were; a frame after more of them is a new one."""

    def values(self) -> Values:
        """Everything that can be set, as it is."""

    def status(self) -> Mapping[str, object]:
        """How it goes."""

    def handle(self, message: bytes, client: str) -> Answer:
        """Answers a message of a client."""
