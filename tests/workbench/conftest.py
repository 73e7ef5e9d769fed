"""A workbench that the tests of a file share."""

from collections.abc import Iterator

import pytest

from touchback import gallery, workbench
from touchback.workbench import Workbench


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    """A slider-crank on the page."""
    with workbench.open(gallery.make("slider-crank").compile()) as opened:
        yield opened
