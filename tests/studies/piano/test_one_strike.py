"""A regulation with which a key that is pressed once sounds once, and what it keeps to besides."""

import pytest

from studies.piano.held_force import held_force
from studies.piano.one_strike import PRESSED, STRUCK, WITH_MODES, one_strike
from studies.piano.presses import DRIVEN, GRID, PressLaboratory, PressLaboratoryWithModes
from studies.piano.regulation import measure
from studies.piano.repetition import repeat, repeating_action
from studies.piano.timing import timing
from touchback.gallery.piano.action import grand_piano_action
from touchback.gallery.piano.force_curve import force_curve, slow_press
from touchback.gallery.piano.strokes import play, stroke_of
from touchback.gallery.piano.with_modes import piano_action_with_modes

SLOW = [press for press in GRID if press.seconds > 0.1]  # of which half strike twice by default
FEW = SLOW[5::97]


@pytest.fixture(scope="module")
def felts() -> PressLaboratory:
    return PressLaboratory(one_strike())


@pytest.fixture(scope="module")
def modes() -> PressLaboratoryWithModes:
    return PressLaboratoryWithModes(one_strike(), WITH_MODES)


def test_slow_presses_of_all_kinds_strike_once(felts: PressLaboratory) -> None:
    sample = SLOW[3::15]
    assert len(sample) > 100
    assert felts.strikes(sample).tolist() == [1] * len(sample)


def test_a_key_that_is_moved_to_its_bed_strikes_once(felts: PressLaboratory) -> None:
    sample = [(depth, time) for depth in (9.5e-3, 9.65e-3, 9.8e-3) for time in (0.12, 0.14)]
    assert felts.driven(sample).tolist() == [1] * len(sample)


def test_no_press_of_the_model_with_modes_strikes_twice(modes: PressLaboratoryWithModes) -> None:
    assert max(modes.strikes(FEW)) == 1


@pytest.mark.soak
def test_no_press_of_the_whole_grid_strikes_twice(
    felts: PressLaboratory, modes: PressLaboratoryWithModes
) -> None:
    """With felts each sounds; with modes the slowest to 10 mm may be silent."""
    assert felts.strikes(GRID).tolist() == [1] * len(GRID)
    assert felts.driven().tolist() == [1] * len(DRIVEN)
    assert max(modes.strikes(GRID)) == 1


def test_it_is_regulated_as_technicians_would() -> None:
    """The spans of test_regulation.py; the let-off is in them as intended, too."""
    assert 1e-3 <= one_strike().regulation.let_off <= 2e-3
    found = measure(one_strike())
    assert 42e-3 < found.blow < 49e-3
    assert 1e-3 < found.let_off < 2e-3 and 1e-3 < found.held - found.let_off < 2e-3
    assert 12e-3 < found.check < 16e-3
    assert 0.046 < found.down_weight < 0.055 and found.up_weight > 0.020
    assert 0.035 < (found.down_weight + found.up_weight) / 2 < 0.042
    assert 0.010 < (found.down_weight - found.up_weight) / 2 < 0.015
    assert found.ratio == pytest.approx(5.0, abs=0.5) and 0.15 < found.effective_mass < 0.25


def test_its_timing_lies_between_real_grands_but_for_the_same_two() -> None:
    rows = timing(specification=one_strike(), touches={"pressed": PRESSED, "struck": STRUCK})
    outside = {(row.touch, row.quantity, row.speed) for row in rows if not row.inside}
    assert outside == {("pressed", "free flight", 4.0), ("struck", "free flight", 0.5)}


def test_it_repeats_fifteen_times_a_second_and_holds_three_newtons() -> None:
    system = repeating_action(one_strike())
    assert repeat(system, 15.0, 2e-3).every_time and repeat(system, 8.0, 6e-3).every_time
    for speed in (0.5, 4.0):
        assert held_force(speed, one_strike()).held == pytest.approx(3.0, abs=0.3)


def test_its_let_off_button_moves_the_force_where_it_was_measured_to() -> None:
    """As test_force_curve.py has it (Docquier 2021, fig. 25)."""
    system = slow_press(one_strike())
    low, usual, high = (
        force_curve(system, {"let-off button height": height}) for height in (-0.5e-3, 0.0, 0.5e-3)
    )
    assert low.force(8e-3, 9e-3) < usual.force(8e-3, 9e-3) - 0.2
    assert high.force(8e-3, 9e-3) > usual.force(8e-3, 9e-3)
    assert high.force(8.5e-3, 9e-3) > usual.force(8.5e-3, 9e-3) + 0.1


def test_both_models_throw_and_catch_the_hammer_alike() -> None:
    """Within what test_two_models.py allows the default, from the same blow."""
    felts = grand_piano_action("motion", PRESSED, one_strike()).compile()
    modes = piano_action_with_modes("motion", PRESSED, one_strike()).compile()
    for speed in (0.3, 3.0):
        ours, theirs = (
            stroke_of(play(system, 0.1 + 0.012 / speed, {**given, "touch speed": speed}))
            for system, given in ((modes, WITH_MODES), (felts, {}))
        )
        assert ours and theirs and ours.speed == pytest.approx(theirs.speed, rel=0.1)
        assert 0.5e-3 < theirs.strike - ours.strike < 3e-3
    held = [
        play(system, 0.35, {**given, "touch speed": 0.5}, output_step=1e-3)
        for system, given in ((modes, WITH_MODES), (felts, {}))
    ]
    at_rest = [run["string gap"][run.time < 0.0][-1] for run in held]
    caught = [run["string gap"][-1] for run in held]
    assert at_rest[0] == pytest.approx(at_rest[1], abs=0.1e-3)
    assert caught[0] == pytest.approx(caught[1], abs=0.5e-3)
