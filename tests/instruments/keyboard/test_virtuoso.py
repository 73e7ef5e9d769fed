"""The virtuoso passage: playable by ten fingers, and heard."""

from itertools import pairwise

import numpy as np
import pytest

from touchback.errors import InputError
from touchback.instruments.keyboard.key_strokes import (
    SOSTENUTO,
    SUSTAIN,
    UNA_CORDA,
    find_heard_notes,
    pedal_gestures,
    virtuoso,
)
from touchback.instruments.keyboard.keyboard_model import notes_of
from touchback.instruments.keyboard.keyboard_player import SETTLING_TIME, make_keyboard


@pytest.mark.parametrize("count", [7, 88])
def test_no_finger_is_asked_for_twice_at_once(count):
    notes = notes_of(count)
    strokes = virtuoso(notes, 0.6, 30.0)
    for note in notes:
        own = [stroke for stroke in strokes if stroke.note == note]
        for first, second in pairwise(own):
            assert second.time > first.time + first.press + first.stay + first.leave
    moments = np.arange(0.6, 30.0, 0.01)[:, None]
    begin = np.array([stroke.time for stroke in strokes])
    end = np.array([stroke.time + stroke.press + stroke.stay for stroke in strokes])
    assert ((moments > begin) & (moments < end)).sum(axis=1).max() <= 10
    assert strokes[0].time == 0.6
    assert all(s.time + s.press + s.stay + s.leave < 30.0 for s in strokes)


def test_every_stroke_is_heard_from_soft_to_loud():
    keys = make_keyboard(range(60, 70), "piano", rate=1000)
    strokes = virtuoso(keys.notes, SETTLING_TIME, SETTLING_TIME + 4.5)
    played = find_heard_notes(keys.simulate(strokes, SETTLING_TIME + 4.6), keys.notes)
    for stroke in strokes:
        sounded = [one.time - stroke.time for one in played if one.note == stroke.note]
        assert any(0.0 < wait < stroke.press + stroke.stay for wait in sounded)
    assert len(played) < 1.05 * len(strokes)  # few hammers bounce and strike twice
    loudness = [one.loudness for one in played]
    assert min(loudness) < 0.6
    assert 3.0 < max(loudness) < 5.0


def test_feet_half_pedal_every_second_and_shift_the_hammers_every_other_verse():
    feet = pedal_gestures(1.0, 11.0)
    assert [(f.time, f.place) for f in feet if f.pedal == UNA_CORDA] == [
        (1.0, 0.0), (5.0, 1.0), (9.0, 0.0)
    ]  # fmt: skip
    held = [(f.time, f.place) for f in feet if f.pedal == SOSTENUTO]
    ends = [(3.2, 1.0), (3.9, 0.0), (7.2, 1.0), (7.9, 0.0)]  # the next would begin at the end
    assert held == [(pytest.approx(time), place) for time, place in ends]
    sustain = [f for f in feet if f.pedal == SUSTAIN]
    assert len(sustain) == 10 * 32
    moves = np.array([(f.time, f.place) for f in sustain])
    down = 1.0 - np.abs(2.0 * ((moves[:, 0] - 1.0) % 1.0) - 1.0)  # and up, once a second
    np.testing.assert_allclose(moves[:, 1], down, atol=1e-9)
    assert all(foot.time < 11.0 for foot in feet)


def test_too_few_keys_are_refused():
    with pytest.raises(InputError, match="3 keys"):
        virtuoso([60, 62, 64], 0.0, 4.0)
