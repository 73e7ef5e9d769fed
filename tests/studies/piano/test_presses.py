"""Which presses of a key strike twice, and what regulation does about it."""

import numpy as np
import pytest

from studies.piano.one_strike import one_strike
from studies.piano.presses import (
    GRID,
    Press,
    PressLaboratory,
    PressLaboratoryWithModes,
)
from touchback.gallery.piano.strokes import crossings
from touchback.gallery.piano.touch import minimum_jerk

MAPPED = 0.5  # share of the grid that strikes twice, at most
SECONDS = (0.06, 0.08, 0.1, 0.12, 0.14, 0.17, 0.2)
NAMED = tuple(
    Press(seconds, depth, 1500.0 * (depth - 9.5e-3), 1500.0)
    for seconds in SECONDS
    for depth in (10.5e-3, 11e-3, 11.5e-3, 12e-3, 13e-3)
)  # a finger of 1500 N/m that goes down and stays


@pytest.fixture(scope="module")
def felts() -> PressLaboratory:
    return PressLaboratory()


@pytest.fixture(scope="module")
def modes() -> PressLaboratoryWithModes:
    return PressLaboratoryWithModes()


def test_the_grid_has_thousands_of_presses_over_four_quantities() -> None:
    assert len(set(GRID)) == len(GRID) >= 2000
    for name, least, most in (
        ("seconds", 0.06, 0.2), ("depth", 10e-3, 13e-3), ("held", 1.5, 4.9),
        ("stiffness", 600.0, 6000.0),
    ):  # fmt: skip
        values = {getattr(press, name) for press in GRID}
        assert (min(values), max(values)) == pytest.approx((least, most)) and len(values) >= 4


def test_a_press_goes_to_its_depth_and_then_to_what_holds_the_key() -> None:
    press, times = Press(0.1, 12e-3, 3.0, 1500.0), np.linspace(0.0, 0.4, 4001)
    depth, speed = press.motion(times, 9.5e-3)
    assert np.interp(0.1, times, depth) == pytest.approx(12e-3)
    assert depth[-1] == pytest.approx(9.5e-3 + 3.0 / 1500.0)
    np.testing.assert_allclose(np.gradient(depth, times), speed, atol=1e-4)
    far, fast = minimum_jerk(np.array([-1.0, 0.0, 0.5, 1.0, 2.0]))
    assert far.tolist() == [0.0, 0.0, 0.5, 1.0, 1.0] and fast.tolist() == [0, 0, 1.875, 0, 0]


def test_a_quick_press_strikes_once(felts: PressLaboratory) -> None:
    """So quick that the jack is out when the hammer comes back."""
    quick = [press for press in NAMED if press.seconds < 0.11]
    assert felts.strikes(quick).tolist() == [1] * len(quick)


def test_a_slow_reach_throws_the_hammer_twice_and_another_regulation_does_not(
    felts: PressLaboratory,
) -> None:
    usual = felts.strikes(NAMED)
    better = PressLaboratory(one_strike()).strikes(NAMED)
    assert 8 < (usual > 1).sum() < 16  # of 35: docs/presses.md says why
    assert usual.min() == 1
    assert better.tolist() == [1] * len(NAMED)


def test_the_model_with_modes_counts_its_strikes(modes: PressLaboratoryWithModes) -> None:
    struck = modes.strikes([NAMED[0], NAMED[10]])
    assert struck.tolist() == [1, 1]


def test_a_late_let_off_and_a_strong_spring_strike_twice_more_often(
    felts: PressLaboratory,
) -> None:
    """What a technician calls a bubbling hammer."""
    late = {"let-off button height": 0.15e-3, "repetition spring": 0.040}
    struck = PressLaboratory(parameters=late).strikes(NAMED)
    assert (struck > 1).sum() >= (felts.strikes(NAMED) > 1).sum() + 3


@pytest.mark.soak
def test_the_whole_grid_strikes_twice_nowhere_that_the_map_does_not_show() -> None:
    """The bound of the map in docs/presses.md, as regulated; test_one_strike.py has the other."""
    assert (PressLaboratory().strikes(GRID) > 1).mean() <= MAPPED


def test_crossings_count_what_falls_to_the_string() -> None:
    time = np.linspace(0.0, 1.0, 1001)
    assert len(crossings(time, np.cos(6 * np.pi * time))) == 3
