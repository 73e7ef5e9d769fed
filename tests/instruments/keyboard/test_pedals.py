"""Pedals of a graded keyboard: which strings ring, how far, and what MIDI says of it."""

from pathlib import Path

import numpy as np
import pytest

import touchback as tb
from touchback.devices.midi import Control, NoteOff, NoteOn
from touchback.instruments.keyboard.key_strokes import Stroke, as_midi, as_sound, find_heard_notes
from touchback.instruments.keyboard.keyboard_pedals import (
    SOSTENUTO,
    SUSTAIN,
    UNA_CORDA,
    Foot,
    control_of,
    pedal_samples,
)
from touchback.instruments.keyboard.keyboard_player import (
    SETTLING_TIME,
    Keyboard,
    make_keyboard,
)
from touchback.instruments.keyboard.midi_fingers import (
    GradedTouches,
    MidiFingers,
    gestures_of,
    graded_touches,
)
from touchback.instruments.midi_file import Timed
from touchback.recording import open_run

BASS, MIDDLE, LAST_DAMPED, TOP = 21, 60, 89, 108


@pytest.fixture(scope="module")
def answers() -> GradedTouches:
    return graded_touches("piano")


@pytest.fixture(scope="module")
def keys() -> Keyboard:
    return make_keyboard([BASS, MIDDLE, LAST_DAMPED, 90, TOP], "piano")


def struck(keys: Keyboard, *feet: Foot, effort: float = 0.4) -> tb.Run:
    """All keys struck at once and let go after three tenths of a second."""
    strokes = [Stroke.of(SETTLING_TIME, note, effort, stay=0.2) for note in keys.notes]
    return keys.simulate([*strokes, *feet], SETTLING_TIME + 1.2)


@pytest.mark.parametrize("effort", [0.1, 0.45, 0.8], ids=["p", "mf", "f"])
def test_every_kind_of_key_strikes_once_and_those_with_a_damper_are_damped(
    keys: Keyboard, effort: float
) -> None:
    played = find_heard_notes(struck(keys, effort=effort), keys.notes)
    assert sorted(one.note for one in played) == list(keys.notes)
    for one in played:
        assert np.isfinite(one.released)
        assert np.isfinite(one.end) == (one.note <= LAST_DAMPED)
    speeds = {one.note: one.loudness for one in played}
    assert speeds[BASS] < speeds[MIDDLE] < speeds[TOP]  # the same finger, lighter hammers


@pytest.mark.parametrize("note", [BASS, LAST_DAMPED, TOP])
def test_keys_of_bass_and_treble_repeat_ten_times_a_second(note: int) -> None:
    key = make_keyboard([note], "piano")
    strokes = [Stroke(SETTLING_TIME + 0.1 * i, note, 0.04, 0.03, 0.02, 0.03) for i in range(8)]
    assert len(key.hear(strokes, SETTLING_TIME + 1.4)) == len(strokes)


def test_sustain_lets_notes_ring_until_it_is_lifted(keys: Keyboard) -> None:
    run = struck(keys, Foot(0.7, SUSTAIN, 1.0), Foot(1.5, SUSTAIN, 0.0))
    for one in find_heard_notes(run, [BASS, MIDDLE, LAST_DAMPED]):
        assert one.released < 1.1
        assert 1.5 < one.end < 1.6
    assert run["C4/action/damper"][-600] * 0.045 > 4e-3  # m over the string


def test_half_a_pedal_damps_by_degrees_and_heavy_dampers_more(keys: Keyboard) -> None:
    shares = []
    for place in (0.0, 0.3, 0.34, 0.38, 0.6):
        run = struck(keys, Foot(0.1, SUSTAIN, place))
        shares.append([run[f"{name}/ringing"][-1] for name in ("A0", "C4", "F6")])
    assert shares[0] == [0.0] * 3 and shares[-1] == [1.0] * 3
    assert np.all(np.diff(shares, axis=0) >= 0.0)
    middle = np.array(shares[1:-1])
    assert np.all((middle > 0.02) & (middle < 0.98) | (middle == 1.0))
    assert np.all(np.diff(middle, axis=1) >= 0.0) and middle[1, 0] < middle[1, 2]


def test_half_a_pedal_is_heard_as_a_note_that_fades_at_that_share(keys: Keyboard) -> None:
    run = struck(keys, Foot(0.1, SUSTAIN, 0.33))
    (one,) = find_heard_notes(run, [MIDDLE])
    share = 1.0 - run["C4/ringing"][-1]
    assert one.damping[-1][1] == pytest.approx(share, abs=1 / 32)  # to the nearest of 16 steps
    (note,) = as_sound([one])
    assert note.damping == one.damping


def test_sostenuto_holds_the_dampers_that_are_up_and_no_others(keys: Keyboard) -> None:
    strokes = [
        Stroke.of(SETTLING_TIME, MIDDLE, 0.4, stay=0.3), Stroke.of(SETTLING_TIME + 0.8, BASS, 0.4,
        stay=0.1),
    ]  # fmt: skip
    feet = [Foot(SETTLING_TIME + 0.3, SOSTENUTO, 1.0), Foot(SETTLING_TIME + 1.4, SOSTENUTO, 0.0)]
    run = keys.simulate([*strokes, *feet], SETTLING_TIME + 1.8)
    held, other = sorted(find_heard_notes(run, keys.notes), key=lambda one: one.time)
    assert held.note == MIDDLE and held.released < SETTLING_TIME + 0.6
    assert SETTLING_TIME + 1.4 < held.end < SETTLING_TIME + 1.5
    assert other.end < SETTLING_TIME + 1.2  # struck while the pedal was down: not caught


def test_una_corda_softens_the_blow_and_is_told_with_the_note(keys: Keyboard) -> None:
    usual, shifted = struck(keys), struck(keys, Foot(0.1, UNA_CORDA, 1.0))
    for name in ("A0", "C4", "C8"):
        times = []
        for run in (usual, shifted):
            gap = run[f"{name}/action/hammer"]
            times.append(run.time[np.argmax(gap)])
        assert times[1] >= times[0]  # softer felt: the hammer turns back later
    (one,) = find_heard_notes(shifted, [MIDDLE])
    assert one.una_corda == 1.0
    assert (
        as_sound([one])[0].una_corda
        and not as_sound(find_heard_notes(usual, [MIDDLE]))[0].una_corda
    )


def test_pedals_of_a_score_are_obeyed_and_told_again(
    keys: Keyboard, answers: GradedTouches
) -> None:
    score = [
        Timed(0.0, NoteOn(60, 64)), Timed(0.1, Control(64, 127)), Timed(0.3, NoteOff(60)),
        Timed(0.6, Control(64, 43)), Timed(0.65, Control(1, 99)), Timed(1.2, Control(64, 0)),
    ]  # fmt: skip
    gestures = gestures_of(score, answers, SETTLING_TIME)
    feet = [each for each in gestures if isinstance(each, Foot)]
    assert [round(127 * foot.place) for foot in feet] == [127, 43, 0]
    assert np.diff([foot.time for foot in feet]) == pytest.approx([0.5, 0.6])
    played = keys.hear(gestures, SETTLING_TIME + 1.6)
    told = as_midi(played, feet=feet)
    kinds = [type(each.message).__name__ for each in told]
    assert kinds == ["NoteOn", "Control", "NoteOff", "Control", "Control"]
    assert [each.message.value for each in told if isinstance(each.message, Control)] == [
        127,
        43,
        0,
    ]
    # the key was let go, its string rings on, and half a pedal damps it
    assert played[0].released < played[0].damping[0][0]


def test_controllers_from_a_port_move_feet(keys: Keyboard, answers: GradedTouches) -> None:
    fingers = MidiFingers(answers, keys.notes)
    found = fingers.answer([Control(64, 64), Control(67, 127), Control(7, 3)], 2.0)
    assert found == [Foot(2.0, SUSTAIN, 64 / 127), Foot(2.0, UNA_CORDA, 1.0)]
    assert [control_of(foot.pedal, foot.place) for foot in found] == [
        Control(64, 64), Control(67, 127),
    ]  # fmt: skip


def test_a_pedal_stays_where_it_was_put_last() -> None:
    feet = [Foot(0.0, SUSTAIN, 0.2), Foot(1.0, SUSTAIN, 1.0), Foot(1.0, SUSTAIN, 0.5)]
    times, places = pedal_samples(feet)[SUSTAIN]
    assert np.interp([0.0, 0.5, 0.999, 1.0, 2.0], times, places) == pytest.approx(
        [0.2, 0.2, 0.2, 0.5, 0.5]
    )


def test_a_live_performance_with_pedals_is_replayed_to_the_same_bits(tmp_path: Path) -> None:
    keys, file = make_keyboard([57, 60, 64], "piano"), tmp_path / "played.mcap"
    gestures = [
        Stroke.of(0.05, 57, 0.4, stay=0.1), Foot(0.1, SUSTAIN, 0.36), Foot(0.2, SOSTENUTO, 1.0),
        Foot(0.3, UNA_CORDA, 0.7),
    ]  # fmt: skip
    keys.perform(gestures, 0.4, record=str(file), speed=None)
    once, again = open_run(file), tb.replay(file)
    assert once[UNA_CORDA][-1] == 0.7 and once[SUSTAIN][-1] == 0.36
    assert again.ticks == 400 and again.same
