"""How tests wait for what other threads, processes or pages do."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import numpy as np

    from touchback.realtime import Live

T = TypeVar("T")
PATIENCE = 60.0  # s: a machine may be busy


def until(ask: Callable[[], T], patience: float = PATIENCE, pause: float = 0.002) -> T:
    """What `ask` gives as soon as it is true, asked again after each pause."""
    end = time.monotonic() + patience
    while not (found := ask()):
        assert time.monotonic() < end, "it didn't happen"
        time.sleep(pause)
    return found


def until_it_stays(live: Live, name: str, value: float, within: float, ticks: int = 100) -> None:
    """Waits until an output stays where it should be for so many ticks, of which none is left out
    however seldom a busy machine lets this thread look."""
    stayed = 0

    def look(rows: np.ndarray, columns: tuple[str, ...]) -> None:
        nonlocal stayed
        for each in rows[:, columns.index(name)]:
            if stayed < ticks:
                stayed = stayed + 1 if abs(each - value) < within else 0

    with closing(live.tap(look)):
        until(lambda: stayed == ticks)
