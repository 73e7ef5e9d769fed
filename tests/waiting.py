"""How tests wait for what other threads, processes or pages do."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
PATIENCE = 60.0  # s: a machine may be busy


def until(ask: Callable[[], T], patience: float = PATIENCE) -> T:
    """What `ask` gives as soon as it is true."""
    end = time.monotonic() + patience
    while not (found := ask()):
        assert time.monotonic() < end, "it didn't happen"
        time.sleep(0.002)
    return found
