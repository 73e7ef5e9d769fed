"""Live runs with a command server and manipulators."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

import touchback as tb
from manipulated import Asked, Start
from touchback.realtime.control import Exposed
from touchback.workbench.manipulate import model_with_hands


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a run of a model with a hand: as fast as possible, unless a speed is given."""
    with ExitStack() as runs:

        def started(
            model: tb.Model, x0: tb.State | None = None, exposed: Exposed | None = None,
            speed: float | None = None, record: bool | Path = False, hand: bool = True,
            rate: float = 1000.0,
        ) -> Asked:  # fmt: skip
            system = (model_with_hands(model) if hand else model).compile()
            live = tb.live(system, x0, rate=rate, speed=speed, record=record)
            return Asked(runs.enter_context(live), exposed)

        yield started
