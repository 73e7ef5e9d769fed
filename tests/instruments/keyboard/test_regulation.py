"""Regulations: what was turned, on which keys, in a file and back."""

import math
from pathlib import Path

import pytest

from touchback.errors import InputError, TouchbackError
from touchback.instruments.keyboard.key_device import FRONT
from touchback.instruments.keyboard.key_mechanisms import MIDDLE, VOICES, WALL_VOICES
from touchback.instruments.keyboard.key_strokes import Stroke
from touchback.instruments.keyboard.keyboard_model import touchback_key
from touchback.instruments.keyboard.keyboard_player import make_keyboard
from touchback.instruments.keyboard.keyboard_regulation import (
    SCREW_SENTENCES,
    Regulation,
    read_regulation,
    regulation_of,
    screws_of,
    voices_with,
)
from touchback.instruments.piano.action_specification import graded_parameters
from touchback.model.parameters_and_signals import Parameter


def test_a_regulation_comes_back_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    regulation = Regulation(
        {"let-off button height": 3e-4}, {60: {"hammer mass": 0.008}, 61: {"key dip": 0.0101}}
    )
    regulation.save(file)
    assert read_regulation(file) == regulation
    assert regulation_of([str(file)]) == regulation


def test_later_ones_hold_and_those_of_one_key_go_before_those_of_all(tmp_path: Path) -> None:
    found = regulation_of(["C4/hammer mass=0.009", "key dip=0.01", "A0/key dip=0.0102"])
    assert found.screws_of(60) == {"hammer mass": 0.009, "key dip": 0.01}
    assert found.screws_of(21) == {"key dip": 0.0102}
    assert regulation_of(["A0/key dip=0.0102", "key dip=0.01"]).screws_of(21) == {"key dip": 0.01}
    put_back = found.with_screw("key dip", None, 21)
    assert put_back.screws_of(21) == {"key dip": 0.01}
    assert found.with_screw("key dip", None).screws_of(60) == {"hammer mass": 0.009}


def test_keys_are_built_with_it_and_others_stay_as_they_are_graded() -> None:
    asked = regulation_of(["backcheck distance=0.001", "A0/hammer mass=0.009"])
    values = make_keyboard([21, 108], "piano", regulation=asked).system.parameters
    assert values["A0/action/hammer mass"] == 0.009
    assert values["C8/action/hammer mass"] == graded_parameters(108)["hammer mass"]
    assert values["A0/action/backcheck distance"] == values["C8/action/backcheck distance"] == 1e-3


def test_walls_have_screws_too_and_a_held_key_feels_them() -> None:
    """A finger at rest on a wall of 800 N/m is pushed by as much for each metre."""
    keys = make_keyboard([60], "walls", regulation=regulation_of(["wall stiffness=800"]))
    held = keys.simulate([Stroke(0.0, 60, press=0.2, depth=0.02, stay=5.0)], duration=1.0)
    inside = FRONT * held["C4/key"][-1] - MIDDLE
    assert inside > 2e-3
    assert held["C4/finger force"][-1] == pytest.approx(800.0 * inside, abs=0.01)  # and friction


def test_the_numbers_of_other_voices_are_screws_and_a_stronger_plectrum_plucks_louder() -> None:
    stroke = [Stroke(0.0, 60, press=0.2, depth=0.03, stay=5.0)]
    for strength in (1.0, 1.5):
        asked = regulation_of([f"plectrum strength={strength}"])
        (note,) = make_keyboard([60], "harpsichord", regulation=asked).hear(stroke, 0.5)
        assert note.loudness == strength
    with pytest.raises(InputError, match="known: 'string above plectrum', 'plectrum stiffness'"):
        make_keyboard([60], "harpsichord", regulation=regulation_of(["zzz=1"]))


@pytest.mark.parametrize("voice", [*VOICES, *WALL_VOICES])
def test_every_screw_of_a_voice_has_a_sentence_and_says_whose_it_is(voice: str) -> None:
    screws = screws_of(touchback_key(voice).all_parameters())
    assert screws
    for name in screws:
        assert SCREW_SENTENCES[name].endswith("."), name
        assert voice.removesuffix("-modes") in voices_with(name), name


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("C4/hammer mass=0.2", r"C4, 'hammer mass': 0.2 kg is beyond its span, 0.001 to 0.03 kg"),
        ("hamer mass=0.008", r"no screw 'hamer mass'; did you mean 'hammer mass'"),
        ("H4/hammer mass=0.008", r"there is no key 'H4'"),
        ("hammer mass=heavy", r"got 'hammer mass=heavy'"),
        ("hammer mass=nan", r"beyond its span"),
        ("hammer mass", r"got 'hammer mass'; `--set list` shows the screws"),
        ("no-such.yaml", r"There is no file 'no-such.yaml'"),
    ],
)
def test_what_cannot_be_turned_is_named_with_its_value_and_span(asked: str, told: str) -> None:
    with pytest.raises(InputError, match=told):
        make_keyboard([60], "piano", regulation=regulation_of([asked]))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("name: pendulum", "begin with 'touchback regulation: 1'"),
        ("touchback regulation: 1\nscrews: {}", "has 'screws'"),
        ("touchback regulation: 1\nevery key: {hammer mass: heavy}", "'hammer mass': a number"),
        ("touchback regulation: 1\nkeys: {C4: 3}", "C4: names and values"),
        ("touchback regulation: 1\nevery key: [", "mine.yaml"),
    ],
)
def test_a_file_that_is_no_regulation_is_refused(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(TouchbackError, match=told):
        read_regulation(file)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_screw_without_a_span_still_takes_finite_numbers_only(value: float) -> None:
    with pytest.raises(InputError, match=f"a key, 'free': {value:g} is beyond its span"):
        Regulation({"free": value}).check({"free": Parameter(1.0)}, "Regulation")
