"""The buggy rides along: against the clock, behind a board in another process, with a page open."""

import pytest

from studies.riding.along import WAYS, Way, ride


@pytest.mark.parametrize("way", WAYS, ids=lambda way: f"{way.name}, {way.rate:g} Hz")
def test_the_buggy_rides_along_in_each_way_with_the_view_open(way: Way) -> None:
    """Nothing is held, and loops stay closed. Index 1 follows an encoder's steps with its feedback,
    the others are where it says."""
    found = ride(way, 0.5)
    assert found.ticks >= 0.5 * way.rate
    assert found.unsolved == 0
    assert found.loops < 1e-8
    assert found.age > 0.01  # of the filters' 10 and 20 ms
    assert found.run["steering angle"][-1] != 0.0
    if "index 1" not in way.name:
        assert found.behind < 1e-12
