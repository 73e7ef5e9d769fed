"""Keys as a finger feels them and as they sound."""

import numpy as np
import pytest

from touchback.errors import InputError
from touchback.instruments import harpsichord
from touchback.instruments.key_feel import INSTRUMENTS, feel_voice
from touchback.instruments.keyboard.key_mechanisms import VOICE_NUMBERS
from touchback.instruments.piano.finger_motions import virtuoso_passage

SPEED = 0.01


@pytest.fixture(scope="module")
def piano():
    return INSTRUMENTS["piano"].feel({}, SPEED)


@pytest.fixture(scope="module")
def plucked():
    return INSTRUMENTS["harpsichord"].feel({}, SPEED)


def test_the_piano_s_stages_follow_one_another_and_the_let_off_is_the_peak(piano):
    assert list(piano.marks) == ["A", "B", "C", "D"]
    assert sorted(piano.marks.values()) == list(piano.marks.values())
    depth, force = piano.sides["down"]
    inside = depth < 9.2e-3
    peak = depth[inside][np.argmax(force[inside])]
    assert piano.marks["C"] < peak < piano.marks["D"]
    assert piano.figures["let-off"].endswith(f"{1e3 * peak:.1f} mm")


def weighed(felt):
    """Forces [g] on the way down and up where only whippen and hammer are moved, and where that
    is."""
    end = min(6e-3, *(begin for name, begin in felt.marks.items() if name != "A"))
    sides = [felt.sides[side] for side in ("down", "up")]
    down, up = (force[(depth > 1e-3) & (depth < end)] / 9.81e-3 for depth, force in sides)
    return down, up, f"from 1.0 to {1e3 * end:.1f} mm"


@pytest.mark.parametrize(
    "settings",
    [{}, {"let-off button height": -3e-3}, {"capstan height": 2e-3}, {"jack position": -3e-3}],
    ids=str,
)
def test_the_piano_s_weights_are_those_of_its_curve(settings):
    """Also where a screw lets the let-off begin early: its force is none of the weight."""
    felt = INSTRUMENTS["piano"].feel(settings, SPEED)
    down, up, where = weighed(felt)
    assert felt.figures["down weight"] == f"{down.max():.0f} g, {where}"
    assert felt.figures["up weight"] == f"{up.min():.0f} g, {where}"
    assert 40 < down.max() < 60


@pytest.mark.parametrize("seed", range(3))
def test_the_weights_of_a_key_out_of_regulation_are_those_of_its_curve(seed):
    random = np.random.default_rng(seed)
    spans = {
        "capstan height": (-0.4e-3, 0.4e-3), "let-off button height": (-0.7e-3, 0.7e-3),
        "repetition spring": (0.015, 0.06), "hammer mass": (3e-3, 12.5e-3),
        "key lead mass": (0.0, 0.08), "knuckle friction": (0.0, 0.35),
        "centre friction": (0.0, 2.0), "pedal lift": (0.0, 8e-3), "key dip": (8.8e-3, 10.3e-3),
    }  # fmt: skip
    screws = {name: float(random.uniform(*span)) for name, span in spans.items()}
    felt = INSTRUMENTS["piano"].feel(screws, SPEED)
    down, up, where = weighed(felt)
    assert felt.figures["down weight"] == f"{down.max():.0f} g, {where}"
    assert felt.figures["up weight"] == f"{up.min():.0f} g, {where}"


def test_a_quick_press_tells_no_weights():
    felt = INSTRUMENTS["piano"].feel({}, 0.05)
    assert felt.figures["down weight"] == felt.figures["up weight"]
    assert "20 mm/s" in felt.figures["down weight"]


def test_a_key_bed_before_the_let_off_is_said():
    felt = INSTRUMENTS["piano"].feel({"key dip": 6e-3}, SPEED)
    assert list(felt.marks) == list(felt.legend) == ["A", "B", "D"]
    assert felt.figures["let-off"].startswith("none")


@pytest.mark.parametrize("height", [0.8e-3, 3e-3])
def test_a_hammer_that_is_never_let_off_is_said(height):
    """A button so high that the jack isn't turned out: the key squeezes the hammer to the string,
    and its force falls nowhere before the bed."""
    felt = INSTRUMENTS["piano"].feel({"let-off button height": height}, SPEED)
    depth, force = felt.sides["down"]
    squeezed = force[(depth > 8.5e-3) & (depth < 9.5e-3)]
    assert np.all(np.diff(squeezed) > 0.0)
    assert (
        felt.figures["let-off"] == "none: the jack doesn't leave the knuckle, down to the key bed"
    )
    assert "nothing is let off" in felt.legend["C"] and felt.legend["D"] == "the key bed"


def test_the_harpsichord_s_pluck_is_that_of_its_curve_at_any_speed():
    """A quick press starts with the force that sets the jack going, which plucks nothing."""
    felt = INSTRUMENTS["harpsichord"].feel({"plectrum strength": 0.3}, 0.2)
    depth, force = felt.sides["down"]
    bent = (depth >= felt.marks["B"]) & (depth <= felt.marks["C"])
    assert felt.figures["pluck"].startswith(f"{force[bent].max():.2f} N")


def test_a_lower_button_lets_off_earlier(piano):
    lower = INSTRUMENTS["piano"].feel({"let-off button height": -0.5e-3}, SPEED)
    assert lower.marks["C"] < piano.marks["C"] - 0.2e-3
    assert lower.marks["B"] == pytest.approx(piano.marks["B"], abs=0.05e-3)


@pytest.fixture(scope="module")
def played():
    return INSTRUMENTS["piano"].play({})


def test_every_stroke_of_the_passage_sounds_until_its_damper_falls(played):
    passage = virtuoso_passage()
    assert len(played.notes) == sum(map(len, passage.values()))
    for note in played.notes:
        strokes = passage[note.note]
        stroke = max((s for s in strokes if s.start < note.time), key=lambda s: s.start)
        assert note.time < stroke.start + stroke.fall + 0.02
        if stroke.back < 0.0:  # else the key is held, and its damper off
            assert stroke.end < note.end < stroke.end + 0.1


def test_a_heavier_hammer_is_slower(played):
    heavy = INSTRUMENTS["piano"].play({"hammer mass": 0.011})
    usual, slower = ([note.speed for note in each.notes] for each in (played, heavy))
    assert np.mean(slower) < 0.98 * np.mean(usual)


def test_the_harpsichord_s_pluck_is_felt_through_the_key_s_lever(plucked):
    ratio = harpsichord.BACK / harpsichord.FRONT
    weight = harpsichord.JACK_MASS * harpsichord.GRAVITY
    depth, force = plucked.sides["down"]
    before = depth < plucked.marks["C"] - 0.05e-3
    expected = (weight + 700.0 * (ratio * depth[before] - 3.2e-3).clip(0.0)) * ratio
    np.testing.assert_allclose(force[before][40:], expected[40:], atol=0.03)
    assert plucked.marks["C"] == pytest.approx((3.2e-3 + 1.0 / 700.0) / ratio, rel=1e-3)
    assert plucked.figures["pluck"].startswith("1.1")
    assert plucked.sides["up"][1][200:].max() < 0.2  # silent on the way up


def test_a_plectrum_that_is_too_strong_is_said():
    felt = INSTRUMENTS["harpsichord"].feel({"plectrum strength": 5.0}, SPEED)
    assert "none" in felt.figures["pluck"] and list(felt.marks) == ["A", "B"]


def test_two_of_three_strokes_pluck_and_sound():
    played = INSTRUMENTS["harpsichord"].play({"plectrum strength": 0.8})
    assert [note.force for note in played.notes] == [0.8, 0.8]
    samples = played.samples()
    first = round(44100 * played.notes[0].time)
    assert np.all(samples[:first] == 0.0) and np.abs(samples[first : first + 2000]).max() > 0.0


def test_rows_hold_the_curve_in_the_order_of_time(plucked):
    rows = plucked.rows()
    down = rows[:, 2] == 1.0
    assert np.all(np.diff(down.astype(int)) <= 0)
    np.testing.assert_array_equal(rows[down, 1], plucked.sides["down"][1])
    assert rows[-1, 0] < 0.3e-3


def test_an_unknown_parameter_is_named():
    with pytest.raises(InputError, match="buton"):
        INSTRUMENTS["piano"].feel({"buton": 1.0}, SPEED)


# ---- voices of motorised keys --------------------------------------------------------------------


def pressed(voice: str, depth: float, way: str = "down", **settings: float) -> float:
    """The force of a voice, pressed slowly, at a depth [m]; words for its numbers."""
    felt = feel_voice(voice, {name.replace("_", " "): x for name, x in settings.items()})
    order = 1 if way == "down" else -1
    depths, forces = (side[::order] for side in felt.sides[way])
    return float(np.interp(depth, depths, forces))


@pytest.mark.parametrize("strength", [1.0, 1.5])
def test_a_plectrum_gives_way_at_its_strength(strength: float) -> None:
    """A tick of 1 ms at 20 mm/s bends it by 14 mN more at the most; the jack weighs 90 mN."""
    felt = feel_voice("harpsichord", {"plectrum strength": strength})
    depth, force = felt.sides["down"]
    assert force[depth < 6.4e-3].max() == pytest.approx(strength + 0.09, abs=0.02)
    assert felt.marks["C"] == pytest.approx(3.2e-3 + strength / 700.0)
    assert force[(depth > felt.marks["C"] + 1e-4) & (depth < 6.4e-3)] == pytest.approx(0.09)
    assert felt.legend["C"].startswith("plucked")


def test_other_voices_push_as_their_numbers_say() -> None:
    """In closed form, from the numbers of `--set list`; depths in m, forces in N. A count is
    4.15 µm: 3.1 mN where the wind lets a pallet go, 10.4 mN of the ball's skin, of which the key,
    at 20 mm/s, is half a tick of 1 ms further in than what carries the ball on average."""
    assert pressed("organ", 5e-3) == pytest.approx(0.5 + 60.0 * 5e-3, abs=1e-3)
    assert pressed("organ", 5e-3, pallet_spring_preload=1.0) == pytest.approx(1.3, abs=1e-3)
    assert pressed("organ", 0.9e-3) == pytest.approx(0.554 + 1.2 * 0.4, abs=3.1e-3)  # 2/5 from open
    half_a_tick = 2500.0 * 0.02 * 0.5e-3
    assert pressed("ball", 7e-3) == pytest.approx(0.08 * 9.81 + half_a_tick, abs=10.4e-3)
    assert pressed("ball", 7e-3, ball_mass=0.16) == pytest.approx(0.16 * 9.81, rel=0.05)
    assert pressed("wall", 5e-3) == pytest.approx(2500.0 * 0.25e-3 + 3.0 * 0.02, abs=0.01)
    assert pressed("wall", 5e-3, "up") == pytest.approx(2500.0 * 0.25e-3 - 3.0 * 0.02, abs=0.01)
    assert pressed("wall", 5e-3, plain_wall_depth=4.9e-3) == pytest.approx(0.31, abs=0.01)
    assert pressed("synthesizer", 5e-3) == pytest.approx(0.45 + 25.0 * 5e-3, abs=1e-3)
    table = pressed("measured", 5e-3)
    assert pressed("measured", 5e-3, table_gain=2.0) == pytest.approx(2.0 * table)
    assert pressed("wall-standard", 5e-3) == pytest.approx(2500.0 * 0.25e-3, abs=0.05)


def given_back(voice: str) -> float:
    """Energy [J] that a voice gives the finger over a slow press: each tick's force is held."""
    sides = feel_voice(voice).sides
    depth, force = (np.concatenate([sides[way][k] for way in ("down", "up")]) for k in (0, 1))
    return -float(np.sum(force[:-1] * np.diff(depth)))


def test_the_balanced_wall_gives_no_energy_back_since_the_curve_has_the_keys_counts_and_stamps():
    """A spring of 2500 N/m bears 0.625 N at 0.25 mm. Held for 1 ms at 20 mm/s it is late by half a
    tick, 25 mN, and gives back 2 · 25 mN · 0.6 mm = 0.03 mJ, as a standard wall does. A wall that
    knows its counts and when they changed makes that up: 25 mN more on the way in, 25 mN less on
    the way out, and a thirtieth of that energy at the most."""
    assert given_back("wall-standard") == pytest.approx(0.03e-3, rel=0.05)
    assert given_back("wall-balanced") < 1e-6
    down, up = (pressed("wall-balanced", 5e-3, way) for way in ("down", "up"))
    assert (down, up) == pytest.approx((0.65, 0.60), abs=0.005)


@pytest.mark.parametrize("voice", VOICE_NUMBERS)
def test_every_number_of_a_voice_is_live_and_changes_what_is_felt_or_heard(voice: str) -> None:
    usual = feel_voice(voice)
    for name, number in VOICE_NUMBERS[voice].items():
        changed = feel_voice(voice, {name: 1.3 * number.default})
        heard = name in ("pipe speaks at", "upper switch", "lower switch")
        if heard:
            assert changed.marks != usual.marks, name
            continue
        depth = np.linspace(0.0, min(max(x.sides["down"][0]) for x in (usual, changed)), 200)
        forces = [np.interp(depth, *each.sides["down"]) for each in (usual, changed)]
        assert np.abs(forces[0] - forces[1]).max() > 5e-3, name
