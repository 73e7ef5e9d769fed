"""The energy that passes between a motorised key and a finger."""

import numpy as np
import pytest

from touchback.gallery.keyboard.device import FRONT
from touchback.gallery.keyboard.experiments.energy import HELD, TRILL, played
from touchback.gallery.keyboard.voices import VOICES, by_law


@pytest.mark.parametrize("rate", [1000, 4000])
@pytest.mark.parametrize("voice", list(VOICES))
def test_a_display_gives_no_energy_that_it_was_not_given(voice, rate):
    for strokes in (HELD, TRILL):
        passed = played(voice, rate, strokes)
        assert passed.most < 1e-7  # J: an encoder's count of a light spring
        assert passed.end < -1e-3
        assert passed.kept > 0.0
        assert passed.notes >= 0.9 * len(strokes)


@pytest.mark.parametrize("rate", [1000, 4000])
def test_a_key_that_is_held_down_is_still(rate):
    passed = played("piano", rate, HELD)
    resting = (passed.time > 1.3) & (passed.time < 1.6)
    since = passed.run.time >= passed.time[0]
    assert np.ptp(passed.run["key"][since][resting]) * FRONT < 2e-5  # m: five counts
    assert passed.between(1.3, 1.6) < 1e-6


def test_the_energy_books_of_the_run_say_the_same():
    """What the books lay at the motor's door is what the display took, and the rotor's friction;
    the rest of the finger's work went into bearings and the stop of the lever."""
    passed = played("piano", 1000, HELD)
    run, books = passed.run, passed.run.books
    rotor = 24.0 * run["key rate"]
    friction = 5e-5 * 24.0 * rotor / np.sqrt(rotor**2 + 0.1**2)
    rubbed = np.trapezoid(friction * run["key rate"], run.time)
    assert books.dissipated["motor"] == pytest.approx(rubbed - passed.end, rel=2e-3)
    power = run["finger force"] * run["key rate"] * FRONT
    assert passed.finger == pytest.approx(np.trapezoid(power, run.time), rel=5e-3)
    assert passed.kept == pytest.approx(books.dissipated["joint key"] + rubbed, rel=0.05)


def test_an_active_law_is_found_out():
    pushing = by_law(lambda depth, speed: 100.0 * depth - 6.0 * speed)
    assert played(pushing, 1000, HELD).most > 1e-3
