"""Curves on braille characters, and the command that draws them."""

import os
import subprocess
import sys
import wave
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

from command import touchback
from touchback.cli import benchmark_commands
from touchback.cli.benchmark_commands import bench
from touchback.cli.braille_chart import chart
from touchback.instruments.keyboard.keyboard_regulation import Regulation


def dots(character: str) -> int:
    return (ord(character) - 0x2800).bit_count() if ord(character) >= 0x2800 else 0


def test_a_chart_has_letters_numbers_and_a_line_where_it_belongs() -> None:
    x = np.linspace(0.0, 10.0, 50)
    lines = chart([(x, x / 2)], {"A": 0.0, "B": 5.0}, (10.0, 5.0), columns=46, rows=10).split("\n")
    assert lines[0].index("A") == 6 and abs(lines[0].index("B") - 26) <= 1
    assert lines[1].strip().startswith("5") and lines[10].strip().startswith("0")
    assert lines[-1].split() == ["0", "2", "4", "6", "8"]  # 10 has no room
    assert dots(lines[1][45]) and dots(lines[10][7])  # from the lower left to the upper right
    assert not any(dots(character) for character in lines[1][8:24])


@pytest.mark.parametrize(
    ("top", "numbers"),
    [(5.0, [5, 4, 3, 2, 1, 0]), (5.5, [4, 2, 0]), (12.0, [10, 5, 0]), (0.1, [0.1, 0.08, 0.06])],
)
def test_numbers_beside_a_chart_are_few_and_round(top: float, numbers: list[float]) -> None:
    """Steps of 1, 2 or 5, about five of them, each beside the row of its height."""
    x = np.linspace(0.0, 1.0, 20)
    rows = chart([(x, top * x)], {}, (1.0, top), columns=40, rows=21).split("\n")[1:22]
    told = {i: float(row.split()[0]) for i, row in enumerate(rows) if row[0:5].strip(" │┤")}
    assert list(told.values())[: len(numbers)] == pytest.approx(numbers)
    for row, number in told.items():
        assert abs(row - 20.0 * (1.0 - number / top)) <= 0.5


def test_what_lies_outside_is_left_out_and_a_second_curve_is_dotted() -> None:
    x = np.linspace(0.0, 1.0, 200)
    flat, high = np.full(200, 0.5), np.full(200, 2.0)
    solid = chart([(x, flat)], {}, (1.0, 1.0))
    dotted = chart([(x, high), (x, flat)], {}, (1.0, 1.0))
    count_solid, count_dotted = (sum(map(dots, text)) for text in (solid, dotted))
    assert 0 < count_dotted < 0.5 * count_solid


def test_feel_draws_keeps_and_sounds(tmp_path: Path) -> None:
    shown = touchback(
        "feel", "harpsichord", "--set", "plectrum strength=0.8", "--wav", "h.wav", "--csv", "h.csv",
        cwd=tmp_path,
    )  # fmt: skip
    assert shown.returncode == 0, shown.stderr
    assert "over depth [mm]" in shown.stdout and "C from" in shown.stdout
    assert sum(map(dots, shown.stdout)) > 100
    curve = np.loadtxt(tmp_path / "h.csv", delimiter=",", skiprows=1)
    peak = float(curve[curve[:, 0] < 6e-3, 1].max())
    assert f"pluck: {peak:.2f} N" in shown.stdout
    with wave.open(str(tmp_path / "h.wav")) as sound:
        assert sound.getframerate() == 44100 and sound.getnframes() == round(2.5 * 44100)


def test_feel_takes_a_saved_regulation_for_its_middle_c(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    Regulation({"hammer mass": 0.008}, {60: {"key dip": 0.006}, 62: {"key dip": 0.012}}).save(file)
    shown = touchback("feel", "piano", "--set", file)
    assert shown.returncode == 0, shown.stderr
    assert "--set: only C4 is here; what is said of D4 is left out." in shown.stdout
    assert "let-off: none: the key bed is reached first" in shown.stdout
    turned = touchback("feel", "piano", "--set", "hammer mass=0.008", "--set", "key dip=0.006")
    assert shown.stdout.endswith(turned.stdout)


def test_a_reader_who_leaves_costs_no_file(tmp_path: Path) -> None:
    """`feel … --csv h.csv | head -1`, where head is gone before the first word."""
    words = [sys.executable, "-m", "touchback.cli", "feel", "harpsichord", "--csv", "h.csv"]
    read, write = os.pipe()
    os.close(read)
    with open(write, "wb") as nobody:
        done = subprocess.run(words, cwd=tmp_path, stdout=nobody, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (tmp_path / "h.csv").read_text().startswith("depth [m],force [N],down")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["flute"], "piano"),
        (["piano", "--set", "buton=1"], "buton"),
        (["piano", "--set", "key dip=9.5"], "9.5 m is beyond its span, 0.006 to 0.013 m"),
        (["piano", "--set", "touch speed=1"], "no screw 'touch speed'"),  # that is --speed
        (["piano", "--set", "nowhere.yaml"], "nowhere.yaml"),
        (["piano", "--set", "8"], "a screw, '=' and a number in SI units, or a .yaml file"),
        (["piano", "--wav", "a.mp3"], r".wav"),
        (["piano", "--speed", "0"], "--speed"),
    ],
)
def test_wrong_use_of_feel_is_a_message(words: list[str], message: str) -> None:
    done = touchback("feel", *words)
    assert done.returncode == 2
    assert message in " ".join(done.stderr.split())


def test_bench_measures_a_section_with_its_peers(monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        commands.append(command[2:])
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(subprocess, "run", run)
    for sections, full in ((["piano"], False), (None, False), (None, True)):
        with pytest.raises(typer.Exit):
            bench(sections, full)
    to = ["--out", str(Path("results").resolve())]  # where one stands
    assert commands == [
        ["benchmarks", "piano", *to], ["benchmarks", "--quick", *to], ["benchmarks", *to]
    ]  # fmt: skip


def test_bench_without_a_source_tree_takes_times_of_ours(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(benchmark_commands, "source_tree", lambda folder: None)
    monkeypatch.setattr(benchmark_commands, "_CASES", (("pendulum", {}),))
    done = touchback("bench")
    assert done.stdout.startswith("No benchmarks/ folder around this installation: our own")
    titles = "mechanism function flops derive and emit [ms] a call [µs]"
    assert titles in [" ".join(line.split()) for line in done.stdout.splitlines()]
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith("pendulum")]
    assert [row[1:3] for row in rows] == [["inverse", "dynamics"], ["forward", "dynamics"]]
    assert all(float(figure) > 0.0 for row in rows for figure in row[3:])
