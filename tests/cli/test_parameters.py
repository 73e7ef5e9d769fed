"""`--set list`, `--vary list`: what is listed is what is taken, and nothing else."""

import re

import pytest

from command import touchback
from touchback.cli.option_types import show_parameters
from touchback.errors import InputError
from touchback.instruments.key_feel import INSTRUMENTS
from touchback.instruments.keyboard.keyboard_model import touchback_key
from touchback.instruments.keyboard.keyboard_regulation import screws_of
from touchback.instruments.keyboard.wired_keys import wired_key
from touchback.instruments.piano.action_specification import Specification
from touchback.instruments.piano.stroke_analysis import slow_press
from touchback.model.parameters_and_signals import Parameter


def test_screws_are_the_same_behind_simulated_keys_and_keys_on_wires() -> None:
    simulated, wired = (
        screws_of(key.all_parameters()) for key in (touchback_key("piano"), wired_key("piano"))
    )
    assert simulated == wired and "hammer mass" in wired and "touch speed" not in wired


def test_what_feel_lists_is_of_the_action_and_not_of_what_presses_it() -> None:
    pressed = slow_press().model.all_parameters()
    listed = INSTRUMENTS["piano"].parameters()
    assert set(pressed) - set(listed) == {"touch speed", "hold"}
    assert set(listed) <= set(pressed)


def test_a_list_has_names_values_ends_and_units(capsys: pytest.CaptureFixture[str]) -> None:
    show_parameters({"blow": Parameter(0.04, "m", 0.03), "felt": Parameter(2.0)}, "keys")
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[1:] == [["blow", "0.04", "0.03", "m"], ["felt", "2"]]
    with pytest.raises(InputError, match="nothing to be set on keys"):
        show_parameters({}, "keys")


def test_the_command_lists_the_screws_and_plays_nothing() -> None:
    done = touchback("play", "piano", "--set", "list")
    assert done.returncode == 0, done.stderr
    head = re.escape(f"{Specification().masses.head:g}")
    assert re.search(rf"^hammer mass +{head} +0\.001 +0\.03 +kg", done.stdout, re.MULTILINE)
    assert "heard" not in done.stdout


@pytest.mark.parametrize("instrument", list(INSTRUMENTS))
def test_feel_lists_the_screws_and_presses_nothing(instrument: str) -> None:
    """Also beside other words, which aren't looked at."""
    known = INSTRUMENTS[instrument].parameters()
    for beside in ((), ("--set", "nothing=1")):
        done = touchback("feel", instrument, *beside, "--set", "list")
        assert done.returncode == 0, done.stderr
        first, *lines = done.stdout.splitlines()
        assert first.split()[0] == "name" and len(lines) == len(known)
        for line, (name, screw) in zip(lines, known.items(), strict=True):
            value = line.removeprefix(f"{name} ").split()[0]
            assert float(value) == pytest.approx(screw.default, rel=1e-5)
