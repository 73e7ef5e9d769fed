"""Actions that are compiled once for all studies of the piano."""

import pytest

from piano_actions import pressed, slowly, struck
from studies.piano.repetition import repeating_action
from touchback.system import System

__all__ = ["pressed", "slowly", "struck"]


@pytest.fixture(scope="session")
def repeating() -> System:
    return repeating_action()
