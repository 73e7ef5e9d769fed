"""A key that is pressed once sounds once, in both models, unless it is badly regulated."""

import numpy as np
import pytest

from studies.piano.presses import (
    BUBBLING,
    DRIVEN,
    GRID,
    Press,
    PressLaboratory,
    PressLaboratoryWithModes,
)
from touchback.instruments.piano.finger_motions import minimum_jerk
from touchback.instruments.piano.stroke_analysis import crossings

SLOW = [press for press in GRID if press.seconds > 0.1]
FEW = SLOW[5::97]
SOFT = [
    press
    for press in GRID
    if press.seconds < 0.08 and press.depth < 10.2e-3 and press.stiffness < 1000
]
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


def test_presses_of_all_kinds_strike_once(felts: PressLaboratory) -> None:
    for sample in (NAMED, SLOW[3::15]):
        assert felts.strikes(sample).tolist() == [1] * len(sample)


def test_a_key_that_is_moved_to_its_bed_strikes_once(felts: PressLaboratory) -> None:
    sample = [(depth, time) for depth in (9.5e-3, 9.65e-3, 9.8e-3) for time in (0.12, 0.14)]
    assert felts.driven(sample).tolist() == [1] * len(sample)


def test_presses_of_the_model_with_modes_strike_once(modes: PressLaboratoryWithModes) -> None:
    """Slow ones, and quick ones of a soft finger, after which the hammer comes near its string."""
    for sample in (FEW, SOFT):
        assert modes.strikes(sample).tolist() == [1] * len(sample)


@pytest.mark.soak
def test_each_press_of_the_whole_grid_strikes_once(felts: PressLaboratory) -> None:
    assert felts.strikes(GRID).tolist() == [1] * len(GRID)
    assert felts.driven().tolist() == [1] * len(DRIVEN)


@pytest.mark.soak
def test_each_press_of_the_whole_grid_strikes_once_in_the_model_with_modes(
    modes: PressLaboratoryWithModes,
) -> None:
    assert modes.strikes(GRID).tolist() == [1] * len(GRID)


def test_a_late_let_off_and_a_strong_spring_throw_the_hammer_twice() -> None:
    """What a technician calls a bubbling hammer: half of the slow reaches do. After a quick one the
    jack is out when the hammer comes back."""
    struck = PressLaboratory(parameters=BUBBLING).strikes(NAMED)
    assert struck.min() == 1
    quick, slow = (
        [n > 1 for press, n in zip(NAMED, struck, strict=True) if (press.seconds < 0.11) == early]
        for early in (True, False)
    )
    assert not any(quick) and np.mean(slow) == pytest.approx(0.5, abs=0.15)


def test_crossings_count_what_falls_to_the_string() -> None:
    time = np.linspace(0.0, 1.0, 1001)
    assert len(crossings(time, np.cos(6 * np.pi * time))) == 3
