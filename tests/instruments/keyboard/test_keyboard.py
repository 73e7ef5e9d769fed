"""The Touchback keyboard: what fingers feel and what is heard, offline and live."""

from dataclasses import replace

import numpy as np
import pytest

import touchback as tb
from touchback.errors import InputError, ModelError
from touchback.instruments.keyboard import by_law, keyboard_player, note_name, touchback_key
from touchback.instruments.keyboard.key_mechanisms import DIP
from touchback.instruments.keyboard.key_strokes import (
    Stroke,
    as_midi,
    as_sound,
    find_heard_notes,
    input_samples,
    passage,
)
from touchback.instruments.keyboard.keyboard_model import graded_key
from touchback.instruments.keyboard.keyboard_player import SETTLING_TIME, make_keyboard
from touchback.instruments.keyboard.midi_fingers import gestures_of, touches

FRONT_MM = 259.5


def pressed(system, effort=0.4, duration=1.6, **options):
    """One stroke on one key; the run at 1 kHz with four steps a tick."""
    samples = input_samples([Stroke.of(SETTLING_TIME, 60, effort, stay=0.3)])
    inputs = {name.split("/", 1)[1]: value for name, value in samples.items()}
    return tb.simulate(
        system, duration=duration, rate=1000, step=2.5e-4, inputs=inputs, progress=False, **options
    )


@pytest.fixture(scope="module")
def grand():
    return touchback_key("piano").compile()


def test_a_stroke_sounds_one_note_and_lets_it_ring_until_the_key_is_back(grand):
    run = pressed(grand)
    assert run["notes"][-1] == 1.0
    assert 0.5 < run["loudness"][-1] < 3.0
    ringing = run.time[run["ringing"] > 0.5]
    assert run["note time"][-1] - 0.1 < ringing[0] < run["note time"][-1]
    assert ringing[-1] < run.time[-1] - 0.3


def test_the_passage_is_a_scale_that_grows_louder_a_trill_and_two_chords():
    keys = [60, 62, 64, 65]
    strokes = passage(keys, 1.5)
    scale, trill, chords = strokes[:4], strokes[4:12], strokes[12:]

    def at_once(some):
        return [replace(each, time=0.0) for each in some]

    assert [each.time for each in scale] == pytest.approx([1.5 + 0.25 * i for i in range(4)])
    assert at_once(scale) == [
        Stroke.of(0.0, note, 0.1 + 0.8 * i / 3, stay=0.1) for i, note in enumerate(keys)
    ]
    assert [each.note for each in trill] == [65, 64] * 4  # the two highest
    assert [each.time for each in trill] == pytest.approx([2.5 + 0.11 * i for i in range(8)])
    then = 2.5 + 8 * 0.11  # s
    assert [each.time for each in chords] == pytest.approx([then, then, then + 0.9, then + 0.9])
    assert at_once(chords) == [
        Stroke.of(0.0, note, effort, stay=0.4)
        for effort in (0.3, 0.7)
        for note in (60, 64)  # every other key
    ]
    assert {each.note for each in passage([60], 0.0)} == {60}  # one key plays it all
    grand = sorted({each.note for each in passage(range(21, 109), 0.0)})
    assert grand == list(range(21, 109, 11))  # eight of 88


def test_a_harder_touch_sounds_louder_and_sooner():
    answers = touches("piano")
    assert answers.loudness == tuple(sorted(answers.loudness))
    assert answers.delay == tuple(sorted(answers.delay, reverse=True))
    assert answers.loudness[0] < 0.6  # m/s: piano
    assert answers.loudness[-1] > 4.0  # fortissimo


def test_the_let_off_is_felt_and_a_harpsichord_has_none_of_a_piano_s_weight(grand):
    slow = {"finger start": 0.6, "finger depth": 0.03, "finger press": 3.0, "finger stay": 1.0}
    curves = {}
    for voice in ("piano", "harpsichord"):
        system = grand if voice == "piano" else touchback_key(voice).compile()
        run = tb.simulate(
            system, duration=3.6, rate=1000, step=2.5e-4, inputs=slow, output_step=1e-3
        )
        depth = run["key"] * FRONT_MM
        going = (run.time > 0.6) & (depth > 1.0)
        curves[voice] = depth[going], run["finger force"][going]
    depth, force = curves["piano"]
    before, at = force[(depth > 4) & (depth < 6)], force[(depth > 7.5) & (depth < 9.3)]
    assert 0.3 < np.median(before) < 1.2  # N: down weight of some 50 g
    assert at.max() > np.median(before) + 0.3
    depth, force = curves["harpsichord"]
    assert np.median(force[(depth > 1) & (depth < 3)]) < 0.2
    assert force[(depth > 3.2) & (depth < 5.5)].max() > 0.6  # the plectrum


def test_a_harpsichord_plucks_alike_however_it_is_struck():
    system = touchback_key("harpsichord").compile()
    loud, soft = (pressed(system, effort) for effort in (0.9, 0.1))
    assert loud["notes"][-1] == soft["notes"][-1] == 1.0
    assert loud["loudness"][-1] == soft["loudness"][-1]


def test_a_law_of_one_s_own_is_felt():
    system = touchback_key(by_law(lambda depth, speed: 200.0 * depth + 2.0 * speed)).compile()
    run = pressed(system, effort=0.0, duration=1.0)
    rest = (run.time > 0.95) & (run.time < 0.99)
    depth = run["key"][rest] * 0.2595
    assert np.all(depth < DIP)
    np.testing.assert_allclose(run["finger force"][rest], 200.0 * depth, rtol=0.1)


@pytest.mark.parametrize(
    ("given", "point", "leverage"),
    [({}, 7.125e-3, 5.0), ({"sounds_at": 3e-3, "leverage": 8.0}, 3e-3, 8.0)],
)
def test_a_law_sounds_where_and_as_loudly_as_the_page_says_and_lies_on_its_bed(
    given, point, leverage
):
    system = touchback_key(by_law(lambda depth, speed: 0.5 + speed, **given)).compile()
    run = pressed(system, effort=0.3, duration=1.6)
    depth, speed = 0.2595 * run["key"], 0.2595 * run["key rate"]
    tick = run["note time"][-1]  # that saw it
    before, at = np.interp([tick - 1e-3, tick], run.time, depth)
    assert before - 5e-6 < point < at + 5e-6  # a count
    then = np.interp(tick - 2.5e-3, run.time, speed)  # a tick before, sensed 1.5 ticks late
    assert run["loudness"][-1] == pytest.approx(leverage * then, rel=0.03)
    held = (run.time > 0.85) & (run.time < 0.88)
    bed = (run["finger force"][held] - 0.5) / 2500.0
    np.testing.assert_allclose(depth[held] - 9.5e-3, bed, atol=0.2e-3)
    damped = np.flatnonzero((run["ringing"][:-1] > 0.5) & (run["ringing"][1:] < 0.5))
    assert depth[damped[-1]] == pytest.approx(0.5 * point, abs=0.6e-3)  # it leaves fast


def test_a_law_that_sounds_below_its_bed_is_refused():
    with pytest.raises(InputError, match=r"sounds at 10 mm, the bed is at 9\.5 mm"):
        by_law(lambda depth, speed: depth, sounds_at=10e-3)


@pytest.mark.parametrize("wrong", [None, "0.5 N", float("nan"), [0.1]])
def test_a_law_that_gives_no_force_is_refused_by_its_name(wrong):
    def soft(depth, speed):
        return wrong

    with pytest.raises(ModelError, match=r"by_law: the force \[N\] of the law 'soft': "):
        touchback_key(by_law(soft))


def typewriter(depth, speed):
    """As in docs/tutorial_key.md."""
    spring = 0.4 + 250.0 * depth
    return tb.select(depth < 4e-3, spring, spring - 0.8) + 1.5 * speed


@pytest.mark.parametrize("voice", [by_law(typewriter), "wall"], ids=["typewriter", "wall"])
@pytest.mark.parametrize("effort", [0.1, 0.4, 0.9])
def test_a_key_without_a_hammer_sounds_about_as_loud_as_a_grand(grand, voice, effort):
    run = pressed(touchback_key(voice).compile(), effort)
    assert run["notes"][-1] == 1.0
    assert 0.5 < run["loudness"][-1] / pressed(grand, effort)["loudness"][-1] < 2.0


def test_voices_can_be_switched_while_playing():
    keys = make_keyboard([60], "organ", "wall")
    with tb.live(keys.system, rate=1000, substeps=16, method="euler", speed=None) as live:
        for name, value in Stroke(0.05, 60, 0.1, 0.014, stay=5.0).inputs.items():
            live[f"C4/{name}"] = value
        live.run(0.8)
        organ = live.read("C4/key") * FRONT_MM
        live["C4/voice"] = 1.0
        live.run(0.8)
        wall = live.read("C4/key") * FRONT_MM
    assert organ > 8.0
    assert wall < 6.5  # the wall in the middle pushes the key up again


def test_live_and_offline_performances_are_heard_alike():
    keys = make_keyboard(7, "piano")
    strokes = [
        Stroke.of(SETTLING_TIME + 0.08 * i, note, 0.1 + 0.1 * i)
        for i, note in enumerate(keys.notes)
    ]
    offline = find_heard_notes(keys.simulate(strokes, 2.0), keys.notes)
    report, live = keys.perform(strokes, 2.0, record=True, speed=None)
    online = find_heard_notes(live.recorded(), keys.notes)
    assert [one.note for one in online] == [one.note for one in offline]
    assert [one.loudness for one in online] == pytest.approx(
        [one.loudness for one in offline], rel=1e-6
    )
    assert report.counts["ticks"] == 2000


def test_a_score_comes_back_in_time_and_nearly_as_loud():
    keys, answers = make_keyboard([60, 64], "piano"), touches("piano")
    from touchback.devices.midi import NoteOff, NoteOn
    from touchback.instruments.midi_file import Timed

    score = [
        Timed(0.0, NoteOn(60, 60)), Timed(0.4, NoteOff(60)),
        Timed(0.5, NoteOn(64, 90)), Timed(0.9, NoteOff(64)),
        Timed(1.0, NoteOn(60, 75)), Timed(1.4, NoteOff(60)),
    ]  # fmt: skip
    strokes = gestures_of(score, answers, start=SETTLING_TIME)
    played = find_heard_notes(keys.simulate(strokes, 2.8), keys.notes)
    assert [one.note for one in played] == [60, 64, 60]
    gaps = np.diff([one.time for one in played])
    np.testing.assert_allclose(gaps, [0.5, 0.5], atol=0.01)
    messages = [timed.message for timed in as_midi(played) if isinstance(timed.message, NoteOn)]
    assert [message.velocity for message in messages] == pytest.approx([60, 90, 75], abs=6)
    assert [note.note for note in as_sound(played)] == [60, 64, 60]


def test_a_tick_of_88_keys_is_88_ticks_of_one():
    keys = make_keyboard(88, "piano", rate=1000)
    assert len(keys.notes) == 88
    assert (note_name(keys.notes[0]), note_name(keys.notes[-1])) == ("A0", "C8")
    strokes = [Stroke.of(0.02, 48, 0.5), Stroke.of(0.02, 81, 0.5)]
    run, one = keys.simulate(strokes, 0.2), touchback_key("piano").compile()
    for note, name in ((48, "C3"), (81, "A5")):
        alone = tb.simulate(
            one, duration=0.2, rate=1000, step=62.5e-6, method="euler", output_step=1e-3,
            inputs=strokes[0].inputs,
            parameters=graded_key(note, one), progress=False,
        )  # fmt: skip
        np.testing.assert_array_equal(run[f"{name}/action/hammer"], alone["action/hammer"])
    assert run["C3/notes"][-1] == 1.0
    assert run["C4/notes"][-1] == 0.0


def test_what_cannot_be_played_is_said():
    keys = make_keyboard([60], "organ")
    with pytest.raises(InputError, match="no D4"):
        keys.simulate([Stroke(0.1, 62)], 1.0)
    with pytest.raises(InputError, match=r"no voice 'pino'.*'piano'"):
        touchback_key("pino")
    with pytest.raises(InputError, match="1 to 29"):
        make_keyboard(0)
    with pytest.raises(InputError, match=r"starts at -0\.1"):
        keys.simulate([Stroke(-0.1, 60)], 1.0)


def test_blows_that_are_over_within_a_tick_are_heard_at_every_phase_of_it():
    keys = make_keyboard(range(60, 70), "piano", rate=1000)
    strokes = [Stroke.of(SETTLING_TIME + 1e-4 * i, note, 1.0) for i, note in enumerate(keys.notes)]
    played = keys.hear(strokes, SETTLING_TIME + 0.2)
    assert sorted(one.note for one in played) == list(keys.notes)
    assert min(one.loudness for one in played) > 4.0


def test_choosing_another_voice_sounds_nothing_by_itself():
    """Whatever was felt before: an organ is always as loud, and a ball always lies on its key."""
    voices = ("harpsichord", "organ", "ball", "wall", "synthesizer")
    keys = make_keyboard([60], *voices, rate=1000.0)
    with tb.live(
        keys.system, rate=1000.0, substeps=keys.substeps, method="euler", speed=None
    ) as run:
        run.run(SETTLING_TIME)
        for voice in (1, 2, 0, 2, 3, 2, 4, 2):
            run.change({"C4/voice": float(voice)})
            run.run(0.1)
            assert run.read("C4/notes") == 0.0, voices[voice]


def test_a_performance_in_parts_is_heard_as_one_in_a_piece(monkeypatch):
    """Parts that end within strokes and while dampers fall; what was heard is the same."""
    board = make_keyboard(2, "piano", rate=1000.0)
    strokes = [Stroke.of(SETTLING_TIME, 60, 0.4), Stroke.of(SETTLING_TIME + 0.1, 62, 0.6)]
    whole = board.hear(strokes, 1.6)
    expected = find_heard_notes(board.simulate(strokes, 1.6), board.notes)
    assert len(whole) == 2
    monkeypatch.setattr(keyboard_player, "_PART", 20_000)
    parts = board.hear(strokes, 1.6)
    for found in (whole, parts):
        assert [one.note for one in found] == [one.note for one in expected]
        for name in ("time", "loudness", "end", "released"):
            ours, theirs = ([getattr(one, name) for one in each] for each in (found, expected))
            assert ours == pytest.approx(theirs, rel=1e-9)
        for ours, theirs in zip(found, expected, strict=True):
            assert np.array(ours.damping) == pytest.approx(np.array(theirs.damping), rel=1e-9)


def test_many_keys_at_a_high_rate_are_heard_without_losing_rows(monkeypatch):
    """Where a recording of every tick would be too much, notes come from looks at the run."""
    monkeypatch.setattr(keyboard_player, "_RECORDED", 0.0)
    board = make_keyboard(2, "piano", rate=1000.0)
    strokes = [Stroke.of(SETTLING_TIME, 60, 0.4), Stroke.of(SETTLING_TIME + 0.1, 62, 0.6)]
    (report,), found = board.play(strokes, 1.6)
    assert report.counts["lost_rows"] == 0
    offline = board.hear(strokes, 1.6)
    assert [one.note for one in found] == [one.note for one in offline]
    assert [one.loudness for one in found] == pytest.approx(
        [one.loudness for one in offline], rel=0.05
    )
