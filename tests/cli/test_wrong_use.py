"""Wrong use is refused before any work starts: exit code 2, and a message that names the option."""

from collections.abc import Callable
from pathlib import Path

import pytest

from command import touchback
from touchback.errors import InputError


def refused(words: list[str]) -> str:
    """What the command says."""
    done = touchback(*words)
    assert done.returncode == 2, (words, done)
    return done.stderr.removeprefix("error: ")


@pytest.fixture
def nothing_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(given: str) -> None:
        raise AssertionError("work was started")

    for family in ("simulate_commands", "live_commands", "model_commands"):
        monkeypatch.setattr(f"touchback.cli.{family}.load", load)


OUT_OF_RANGE = [
    ("live", "--seconds", "nan"),
    ("live", "--seconds", "-1"),
    ("live", "--seconds", "0"),
    ("live", "--seconds", "inf"),
    ("live", "--rate", "nan"),
    ("live", "--rate", "0.5"),
    ("live", "--speed", "-1"),
    ("live", "--speed", "nan"),
    ("live", "--listen", "99999"),
    ("live", "--listen", "-1"),
    ("live", "--substeps", "0"),
    ("live", "--worst", "-1"),
    ("live", "--cpu", "-2"),
    ("simulate", "--duration", "nan"),
    ("simulate", "--duration", "-3"),
    ("simulate", "--step", "0"),
    ("simulate", "--rtol", "nan"),
    ("simulate", "--rate", "-1"),
    ("quality", "--rate", "nan"),
    ("quality", "--error", "0"),
    ("quality", "--limit", "nan"),
    ("quality", "--duration", "inf"),
]


@pytest.mark.usefixtures("nothing_is_loaded")
@pytest.mark.parametrize(("command", "option", "value"), OUT_OF_RANGE)
def test_a_number_out_of_range_is_named(command: str, option: str, value: str) -> None:
    told = refused([command, "pendulum", option, value])
    assert told.startswith(f"{option} is {float(value):g}; give a number")


@pytest.mark.parametrize(
    "words",
    [
        ["play", "piano", "--rate", "7"],
        ["play", "piano", "--seconds", "-1"],
        ["play", "piano", "--seconds", "nan"],
        ["feel", "piano", "--speed", "nan"],
        ["drive", "step-steer", "--speed", "1e9"],
        ["trial", "answers.jsonl", "--effort", "nan"],
        ["trial", "answers.jsonl", "--repeats", "-1"],
    ],
)
def test_instruments_refuse_numbers_too(words: list[str]) -> None:
    assert refused(words).startswith(f"{words[-2]} is ")


@pytest.mark.parametrize(("keys", "more"), [("0", []), ("1000", []), ("30", ["--fast"])])
def test_a_keyboard_has_keys_and_no_more_than_there_are(keys: str, more: list[str]) -> None:
    told = refused(["play", "piano", "--keys", keys, *more, "--seconds", "0.1"])
    assert told.startswith(f"Keyboard: notes {keys}; give 1 to 29 white keys")


WRITTEN = [
    (["simulate", "pendulum"], "--plot", ".png"),
    (["simulate", "pendulum"], "--csv", ".csv"),
    (["live", "pendulum"], "--record", ".mcap"),
    (["live", "pendulum"], "--report", ".json"),
    (["quality", "pendulum"], "--plot", ".svg"),
    (["quality", "pendulum"], "--csv", ".json"),
    (["show", "pendulum"], "--svg", ".svg"),
    (["feel", "piano"], "--wav", ".wav"),
    (["feel", "piano"], "--csv", ".csv"),
    (["play", "piano"], "--wav", ".wav"),
    (["play", "piano"], "--midi", ".mid"),
    (["play", "mechanisms"], "--picture", ".svg"),
]


def in_no_folder(folder: Path, ending: str) -> Path:
    return folder / "missing" / f"file{ending}"


def in_a_file(folder: Path, ending: str) -> Path:
    (folder / "taken").touch()
    return folder / "taken" / f"file{ending}"


def a_folder(folder: Path, ending: str) -> Path:
    path = folder / f"folder{ending}"
    path.mkdir()
    return path


def of_another_kind(folder: Path, ending: str) -> Path:
    return folder / "file.foo"


@pytest.mark.usefixtures("nothing_is_loaded")
@pytest.mark.parametrize("place", [in_no_folder, in_a_file, a_folder, of_another_kind])
@pytest.mark.parametrize(("words", "option", "ending"), WRITTEN)
def test_a_file_that_cannot_be_written_is_named_before_the_work(
    words: list[str],
    option: str,
    ending: str,
    place: Callable[[Path, str], Path],
    tmp_path: Path,
) -> None:
    path = place(tmp_path, ending)
    told = refused([*words, option, str(path)])
    assert told.startswith(f"{option}: ")
    assert path.name in told or str(path.parent) in told


@pytest.mark.usefixtures("nothing_is_loaded")
def test_generated_text_needs_a_folder_too(tmp_path: Path) -> None:
    assert "no folder" in refused(["generate", "pendulum", "-o", str(tmp_path / "no" / "a.c")])


def test_a_keyboard_too_slow_to_strike_once_is_refused() -> None:
    from touchback.instruments.keyboard.keyboard_player import make_keyboard, make_separate_keys

    with pytest.raises(InputError, match="200 to 10000 ticks a second, got rate=7"):
        make_keyboard(7, "piano", rate=7.0)
    with pytest.raises(InputError, match="got rate=7"):
        make_separate_keys(7, "piano-modes", rate=7.0)


@pytest.mark.parametrize(
    ("ports", "said"),
    [
        (["voltage=serial:a", "voltag=serial:b"], "did you mean 'voltage'"),
        (["voltage=serial:a", " voltage =serial:b"], "port 'voltage' is given twice"),
        (["voltage=serial:a", "serial:b"], "a port, '=' and a device are expected"),
    ],
)
def test_no_device_is_opened_before_all_ports_are_known(
    ports: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def open_device(given: str) -> None:
        raise AssertionError("a device was opened")

    monkeypatch.setattr("touchback.devices.open_device", open_device)
    done = touchback("live", "motor-arm", *(f"--connect={each}" for each in ports))
    assert done.returncode != 0
    assert said in done.stderr
