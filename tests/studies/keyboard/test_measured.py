"""The grand action as a table on a key: what a table keeps of it, and what it can't.

Where these fail after a change of the action, `python -m studies measured --keep` measures anew."""

import numpy as np
import pytest

from studies.keyboard.measured import measure, off, quickly, slowly
from touchback.instruments.keyboard.key_mechanisms import DIP, measured_action
from touchback.instruments.keyboard.key_strokes import Stroke
from touchback.instruments.keyboard.keyboard_player import SETTLING_TIME, make_keyboard
from touchback.instruments.piano.action_specification import Masses
from touchback.instruments.piano.stroke_analysis import force_curve, slow_press


@pytest.fixture(scope="module")
def action():
    return force_curve(slow_press())


@pytest.fixture(scope="module")
def again():
    """Down, up to 8.5 mm after the let-off, and down again."""
    return {voice: slowly(voice, (9.9e-3, 8.5e-3, 9.9e-3)) for voice in ("piano", "measured")}


def most(side, low, high):
    return np.interp(np.linspace(low, high, 201), *side).max()


def test_slowly_the_table_is_felt_as_the_action(action, again):
    down = again["measured"][0]
    assert off(down, action.down, 0.5e-3, action.stages["C"]) < 0.06  # N: friction of the motor
    assert most(down, 7e-3, 9e-3) == pytest.approx(action.let_off[1], rel=0.1)


def test_the_table_does_not_know_that_the_jack_has_slipped(again):
    for voice, low, high in (("measured", 0.95, 1.05), ("piano", 0.0, 0.8)):
        first, _, second = (most(side, 8.6e-3, 9.3e-3) for side in again[voice])
        assert low <= second / first <= high


def test_the_table_has_the_hammer_s_mass_but_the_key_does_not_show_it():
    # Alone the hammer, 5 times as fast as the key, weighs 25 times its mass at the key front.
    masses = np.array(measured_action().masses)
    before_let_off = masses[np.array(measured_action().positions) < 7e-3]
    assert np.median(before_let_off) == pytest.approx(25.0 * Masses().head, rel=0.35)
    assert most(quickly("measured", 0.1), 0.0, 4.5e-3) < 0.4 * most(
        quickly("action", 0.1), 0.0, 4.5e-3
    )


def test_it_is_played_as_any_voice_and_lies_still():
    keys = make_keyboard([60], "measured")
    run = keys.simulate([Stroke.of(SETTLING_TIME, 60, 0.4, stay=0.6)], SETTLING_TIME + 0.7)
    assert run["C4/notes"][-1] == 1.0
    held = 0.2595 * run["C4/key"][run.time > run.time[-1] - 0.1]
    assert held.min() > DIP and np.ptp(held) < 5 * 4.2e-6  # counts


@pytest.mark.soak
def test_measured_anew_the_table_is_the_one_that_is_kept():
    fresh, kept = measure(), measured_action()
    assert fresh.residual == pytest.approx(kept.residual, rel=0.05)
    np.testing.assert_allclose(fresh.forces, kept.forces, atol=0.05)
