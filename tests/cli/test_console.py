"""What the command prints is shown as it is, on every terminal."""

import io
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlparse
from urllib.request import url2pathname

import pytest

import touchback as tb
from command import touchback
from touchback.cli import console
from touchback.cli.console import prepare

NAMES = ("travel [mm]", "[red]load", "[link=a]b")
UNITS = (":x:", "[/]", "[mm]")


def odd_model() -> tb.Model:
    """A sledge whose names and units look like markup and emoji."""
    model = tb.Model("[bold]sled [mm]")
    sledge = model.body("[b]", mass=1.0)
    model.joint("rail", tb.Prismatic("x"), model.ground, sledge)
    for name, unit in zip(NAMES, UNITS, strict=True):
        model.state(name, 1.0, rate=0.0, unit=unit)
        model.sensor(f"{name} seen", tb.Position(sledge))
    return model


def test_names_and_units_are_neither_markup_nor_emoji(tmp_path: Path) -> None:
    file = tmp_path / "odd [mm] :x:.yaml"
    odd_model().save(file)
    for words in (["show", str(file)], ["simulate", str(file), "--duration", "0.1"]):
        done = touchback(*words)
        assert done.returncode == 0, done.stderr
        for name, unit in zip(NAMES, UNITS, strict=True):
            assert f"{name} seen" in done.stdout, words
            assert unit in done.stdout, words
    done = touchback("live", file, "--seconds", "0.01", "--speed", "0", "--set", "[b]=3")
    assert "'[b]'" in done.stderr


def test_an_error_shows_brackets_as_they_are(tmp_path: Path) -> None:
    shown = touchback("show", "[bold]:x:", cwd=tmp_path)
    assert shown.returncode == 2
    assert "'[bold]:x:'" in shown.stderr


@pytest.mark.parametrize(
    "words", [["--help"], ["show", "cart-pole"], ["simulate", "--help"], ["list"]], ids=str
)
def test_an_ascii_terminal_is_given_letters_that_it_has(words: list[str]) -> None:
    shown = touchback(*words, encoding="ascii")
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.isascii()
    assert "?" not in shown.stdout.replace("--", "")


def test_a_process_on_an_ascii_terminal_says_the_same() -> None:
    surroundings = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    shown = subprocess.run(
        [sys.executable, "-m", "touchback.cli", "show", "cart-pole"],
        capture_output=True, env=surroundings, timeout=120,
    )  # fmt: skip
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout.decode("ascii") == touchback("show", "cart-pole", encoding="ascii").stdout


def test_every_character_has_a_plain_one() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    prepare(stream)
    stream.write("│─└⣿⠁ µ × ≤ – é λ 漢")
    stream.flush()
    assert raw.getvalue().decode() == "|-+#. u x <= - e lambda ?"


def test_a_page_is_opened_where_there_is_a_display_and_its_token_is_in_no_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(console.webbrowser, "open", opened.append)
    monkeypatch.setattr(console, "is_attended", lambda: True)
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    console.show_page("http://127.0.0.1:1/?token=secret&b")
    assert opened == []
    assert capsys.readouterr().out.splitlines() == [
        "page: http://127.0.0.1:1/?token=secret&b",
        "Open this address in a browser; Ctrl-C ends the command.",
    ]
    monkeypatch.setenv("DISPLAY", ":0")
    console.show_page("http://127.0.0.1:1/?token=secret&b")
    (address,) = opened
    assert address.startswith("file://") and "secret" not in address
    file = Path(url2pathname(urlparse(address).path))
    assert "url=http://127.0.0.1:1/?token=secret&amp;b" in file.read_text()
    assert file.stat().st_mode & 0o077 == 0  # nobody else reads it
    file.unlink()
    monkeypatch.setattr(console, "is_attended", lambda: False)
    console.show_page("http://127.0.0.1:1/?token=secret&b")
    assert len(opened) == 1
