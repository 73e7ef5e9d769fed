"""Optimal presses, on a piano and on two switches."""

import numpy as np
import pytest

from studies.keyboard.presses import SURE, Press, keys, loudness, most_even, tried
from touchback.instruments.keyboard.key_mechanisms import LEVERAGE, VOICE_NUMBERS


@pytest.fixture(scope="module")
def boards():
    return {voice: keys(voice, 12) for voice in ("piano", "synthesizer")}


def test_a_synthesizer_hears_the_time_between_its_switches_in_whole_ticks(boards):
    found = loudness(boards["synthesizer"], [Press(t, 0.02) for t in (0.06, 0.1, 0.15, 0.2)])
    upper, lower = (
        VOICE_NUMBERS["synthesizer"][f"{name} switch"].default for name in ("upper", "lower")
    )
    ticks = 1e3 * LEVERAGE * (lower - upper) / found
    assert ticks == pytest.approx(np.round(ticks), abs=1e-6)
    assert (np.diff(found) < 0.0).all()


def test_the_same_presses_are_ranked_differently_by_both(boards):
    quick_and_shallow, slow_and_deep = Press(0.06, 0.0122), Press(0.2, 0.0224)
    piano, switches = (
        loudness(boards[voice], [quick_and_shallow, slow_and_deep])
        for voice in ("piano", "synthesizer")
    )
    assert piano[0] < piano[1] and switches[0] > switches[1]


def test_a_press_below_the_weight_of_the_action_is_silent_and_one_above_is_sure(boards):
    assert loudness(boards["piano"], [Press(0.2, 0.009)])[0] == 0.0
    soft = tried(boards["piano"], Press(0.2, 0.0122), 12)
    assert soft.sure >= SURE and 0.18 < soft.mean < 0.6
    risky = tried(boards["piano"], Press(0.2, 0.0105), 12)
    assert risky.sure < SURE


def test_the_most_even_repetition_sounds_every_time_and_varies_less_than_the_finger(boards):
    even = most_even(boards["piano"])
    assert even.sure == 1.0
    assert even.spread / even.mean < 0.12  # the finger's time and depth scatter by 11 % together
