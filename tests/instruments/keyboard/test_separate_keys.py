"""Keys of the piano with modes: each a run of its own, live as offline."""

import pytest

from touchback.errors import InputError
from touchback.instruments.keyboard.key_strokes import Stroke
from touchback.instruments.keyboard.keyboard_pedals import SUSTAIN, Foot
from touchback.instruments.keyboard.keyboard_player import (
    SETTLING_TIME,
    NoteCallbacks,
    make_keyboard,
    make_separate_keys,
)

STROKES = [
    Stroke.of(SETTLING_TIME, 60, 0.3),
    Stroke.of(SETTLING_TIME + 0.1, 62, 0.6),
    Stroke.of(SETTLING_TIME + 0.6, 60, 0.6),
]


@pytest.fixture(scope="module")
def keys():
    return make_separate_keys([60, 62], "piano-modes")


def test_live_and_offline_keys_are_heard_alike(keys):
    offline = keys.hear(STROKES, 1.8)
    reports, online = keys.play(STROKES, 1.8, speed=None)
    assert [one.note for one in offline] == [60, 62, 60]
    assert [(one.note, one.time) for one in online] == [(one.note, one.time) for one in offline]
    # live inputs are written some milliseconds before a stroke, offline ones at it
    assert [a.loudness for a in online] == pytest.approx([b.loudness for b in offline], rel=1e-3)
    assert [report.counts["ticks"] for report in reports] == [1800, 1800]


def test_a_pedal_holds_the_dampers_of_all_keys(keys):
    feet = [Foot(0.1, SUSTAIN, 1.0), Foot(SETTLING_TIME + 0.6, SUSTAIN, 0.0)]
    for one in keys.hear([*STROKES[:2], *feet], SETTLING_TIME + 0.8):
        assert one.released < SETTLING_TIME + 0.6 < one.end < SETTLING_TIME + 0.7


def test_both_piano_models_sound_nearly_alike_under_the_same_finger(keys):
    full = make_keyboard([60, 62], "piano").hear(STROKES, 1.8)
    modes = keys.hear(STROKES, 1.8)
    assert [one.note for one in full] == [one.note for one in modes]
    assert [one.time for one in modes] == pytest.approx([one.time for one in full], abs=5e-3)
    assert [a.loudness for a in modes] == pytest.approx([b.loudness for b in full], rel=0.1)


def test_notes_are_told_as_they_sound_and_keys_that_are_not_there_are_named(keys):
    told = []
    ended = []
    ear = NoteCallbacks(told.append, lambda note, time: ended.append((note, time)))
    keys.play(STROKES, 1.4, ear, speed=None)
    assert [one.note for one in told] == [60, 62, 60]
    assert [note for note, _ in ended] == [60, 62]
    assert all(time > 0.7 for _, time in ended)
    with pytest.raises(InputError, match="no E4"):
        keys.hear([Stroke(0.1, 64)], 1.0)
