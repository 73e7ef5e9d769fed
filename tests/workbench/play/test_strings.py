"""The strings of the page are those of `instruments.sound`."""

import numpy as np
import pytest

from touchback.errors import InputError
from touchback.instruments.sound import Note, render
from touchback.workbench.play.play_server import SPEEDS, string_table

RATE, SECONDS = 44100, 0.3


def sounded(table: dict[str, object], row: int) -> np.ndarray:
    """The sum of the fading sines of a table, as the worklet is to add them."""
    t = np.arange(round(RATE * SECONDS)) / RATE
    rows = zip(table["pulsation"], table["decay"], table["cosine"][row], table["sine"][row])
    return sum(np.exp(-d * t) * (c * np.cos(w * t) + s * np.sin(w * t)) for w, d, c, s in rows)


@pytest.mark.parametrize("note", [60, 84])
def test_a_struck_string_sounds_as_it_is_rendered(note: int) -> None:
    row = SPEEDS.index(1.0)
    due = render([Note(0.0, note, speed=1.0)], SECONDS, RATE)
    found = sounded(string_table(note), row)
    np.testing.assert_allclose(found, due, atol=1e-8 * np.abs(due).max())


def test_a_plucked_string_sounds_as_it_is_rendered() -> None:
    due = render([Note(0.0, 64, force=1.0)], SECONDS, RATE)
    np.testing.assert_allclose(sounded(string_table(64, "plucked"), 0), due, atol=1e-9)


def test_a_pipe_sounds_as_long_as_it_is_blown_at_multiples_of_its_note() -> None:
    table = string_table(69, "blown")
    assert table["decay"] == [0.0] * len(table["pulsation"])
    np.testing.assert_allclose(
        table["pulsation"], 2.0 * np.pi * 440.0 * np.arange(1, 1 + len(table["pulsation"]))
    )


def test_a_low_string_keeps_its_loudest_modes_only() -> None:
    """Of the 292 of A0: what is left out is a hundredth of the energy at most."""
    table = string_table(21, "plucked")
    assert len(table["pulsation"]) == 96
    whole = render([Note(0.0, 21, force=1.0)], SECONDS, RATE)
    assert np.sum((sounded(table, 0) - whole) ** 2) < 0.01 * np.sum(whole**2)


def test_an_unknown_string_is_refused() -> None:
    with pytest.raises(InputError, match="There is no string 'bowed'"):
        string_table(60, "bowed")
