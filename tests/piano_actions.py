"""Actions that are compiled once for all tests of the piano."""

import pytest

from touchback.instruments.piano import PressedTouch, StruckTouch, grand_piano_action
from touchback.instruments.piano.stroke_analysis import slow_press
from touchback.system import System


@pytest.fixture(scope="session")
def pressed() -> System:
    return grand_piano_action("motion", PressedTouch()).compile()


@pytest.fixture(scope="session")
def struck() -> System:
    return grand_piano_action("motion", StruckTouch()).compile()


@pytest.fixture(scope="session")
def slowly() -> System:
    return slow_press()
