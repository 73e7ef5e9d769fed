"""The energy that passes between a motorised key and a finger."""

import numpy as np
import pytest

from studies.keyboard.energy import (
    HELD,
    TRILL,
    passed,
    played,
    run_of,
)
from touchback.instruments.keyboard.key_device import FRONT, KeyDevice
from touchback.instruments.keyboard.key_mechanisms import VOICES, by_law

FAST = ("piano", "harpsichord")  # in `make soak` every voice


@pytest.mark.parametrize(
    ("voice", "rate"),
    [
        pytest.param(voice, rate, marks=[pytest.mark.soak] * (rate > 1000 and voice not in FAST))
        for voice in VOICES
        for rate in (1000, 4000)
    ],
)
def test_a_display_gives_no_energy_that_it_was_not_given(voice, rate):
    for strokes in (HELD, TRILL):
        found = played(voice, rate, strokes)
        assert found.most < 1e-7  # J: an encoder's count of a light spring
        assert found.end < -1e-3
        assert found.kept > 0.0
        assert found.notes >= 0.9 * len(strokes)


@pytest.mark.parametrize("rate", [1000, 4000])
def test_a_key_that_is_held_down_is_still(rate):
    found = played("piano", rate, HELD)
    resting = (found.run.time > 1.3) & (found.run.time < 1.6)
    assert np.ptp(found.run["key"][resting]) * FRONT < 2e-5  # m: five counts
    assert found.between(1.3, 1.6) < 1e-6


def test_the_energy_books_of_the_run_say_the_same():
    """What the books lay at the motor's door is what the display took, and the rotor's friction;
    the rest of the finger's work went into bearings and the stop of the lever."""
    run = run_of("piano", 1000, HELD, KeyDevice(), energy_balance=True, method="rk4", step=6.25e-5)
    found, books = passed(run, HELD, KeyDevice()), run.energy_balance
    rotor = 24.0 * run["key rate"]
    friction = 5e-5 * 24.0 * rotor / np.sqrt(rotor**2 + 0.1**2)
    rubbed = np.trapezoid(friction * run["key rate"], run.time)
    assert books.work["motor"] == pytest.approx(found.end - rubbed, rel=1e-4)
    assert -books.dissipated["finger touch"] == pytest.approx(found.finger, rel=1e-3)
    assert found.kept == pytest.approx(books.dissipated["joint key"] + rubbed, rel=0.03)


def test_an_active_law_is_found_out():
    pushing = by_law(lambda depth, speed: 100.0 * depth - 6.0 * speed)
    assert played(pushing, 1000, HELD).most > 1e-3
