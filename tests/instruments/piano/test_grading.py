"""Actions from bass to treble: weighed, struck and damped as published figures say."""

import numpy as np
import pytest

from touchback.errors import InputError
from touchback.instruments.piano.action_specification import (
    Specification,
    find_placements,
    graded_parameters,
    has_damper,
    head_rise,
    rotate_in_plane,
)
from touchback.instruments.piano.stroke_analysis import force_curve, key_weights, slow_press
from touchback.system import System


@pytest.fixture(scope="module")
def slowly() -> System:
    return slow_press()


@pytest.mark.parametrize("note", [21, 36, 89, 108])
def test_every_key_goes_down_and_comes_up_as_a_technician_would_have_it(
    slowly: System, note: int
) -> None:
    """46 to 52 g down and 20 g up at least (Steinway's, by the reference table), two grams from the
    middle key; what leads balance, the mean of both, within half a gram."""
    own, middle = key_weights(slowly, graded_parameters(note)), key_weights(slowly)
    assert own is not None and middle is not None
    assert 0.046 < own[0] < 0.052 and own[1] > 0.020
    assert own[0] == pytest.approx(middle[0], abs=2e-3)
    assert sum(own) / 2 == pytest.approx(sum(middle) / 2, abs=0.5e-3)


def test_without_its_own_leads_a_bass_key_would_be_heavy(slowly: System) -> None:
    masses = Specification().masses
    middle = {"key lead mass": masses.leads, "key lead distance": masses.lead_distance}
    unbalanced = {**graded_parameters(21), **middle}
    found = key_weights(slowly, unbalanced)
    assert found is not None and found[0] > 0.06


def test_the_middle_key_is_that_of_the_specification() -> None:
    assert graded_parameters(60) == {}
    near = graded_parameters(61)
    assert near["hammer mass"] == pytest.approx(Specification().masses.head, rel=0.02)
    assert near["key lead mass"] == pytest.approx(Specification().masses.leads, rel=0.03)
    assert near["string stiffness"] == pytest.approx(1.0, rel=0.06)


@pytest.mark.parametrize("depth", [1e-3, 4.75e-3])
def test_the_head_rises_as_the_linkage_says(slowly: System, depth: float) -> None:
    """Felts still give a little under a key that has just begun to move."""
    spec = Specification()
    at = find_placements(spec.dimensions, spec.regulation)
    run = force_curve(slowly).run
    down = (run.time > 0.0) & (run.time < 1.0)
    # less than half a millimetre: the instant at its end may be inside or not, by rounding
    inside = down & (abs(run["key depth"] - depth) < 0.4999e-3)
    key, hammer = run["key"][inside], run["hammer"][inside]
    heights = [
        rotate_in_plane(at.rest_angle + angle, spec.masses.head_centre)[1] for angle in hammer
    ]
    due = head_rise(spec, at, depth / spec.dimensions.key_front)
    assert np.polyfit(key, heights, 1)[0] == pytest.approx(due, rel=0.02)


def test_dampers_end_where_those_of_grands_do() -> None:
    """Between D6 and G6."""
    ends = [note for note in range(21, 109) if has_damper(note)][-1]
    assert 86 <= ends <= 91


def test_a_note_beyond_the_keyboard_is_refused() -> None:
    with pytest.raises(InputError, match="Note 20 has no key"):
        graded_parameters(20)


def test_half_a_pedal_takes_a_part_of_the_damper_s_weight_from_the_string(slowly: System) -> None:
    """At rest the felt carries the damper's weight at its head less what the tray pushes: the rest
    of k (lift − height)."""
    spec = Specification()
    weight, stiffness = spec.masses.damper * 9.81, spec.pedals.tray[0]
    for lift in (0.0, 0.7e-3, 1.4e-3, 8e-3):
        run = force_curve(slowly, {"pedal lift": lift}).run
        i = int(np.argmax(run.time >= 0.0))
        height = spec.dimensions.damper_head * run["damper"][i]
        due = max(weight - max(stiffness * (lift - height), 0.0), 0.0)
        friction = spec.centres.damper[0] / spec.dimensions.damper_head
        assert run["damper seat force"][i] == pytest.approx(due, abs=friction)
    assert run["damper seat gap"][i] > 3e-3
