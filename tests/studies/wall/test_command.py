"""`python -m studies wall` as users run it, and the pictures it draws."""

import csv
from pathlib import Path

import matplotlib
import numpy as np
import pytest

from command import studies
from studies.wall.figures import NOT_DRAWN, SHEETS, Sheet

matplotlib.use("Agg")
SLOW = {"6.9"}  # 2901 periods of 40 strikes


def test_the_edges_are_printed_with_what_was_due() -> None:
    shown = studies("wall", "edges")
    assert shown.returncode == 0, shown.stderr
    assert "111.55354" in shown.stdout
    assert shown.stdout.count("holds") == 7
    assert "fails" not in shown.stdout


def test_the_table_of_passive_walls_has_the_asked_rates() -> None:
    shown = studies("wall", "passive", "--rates", "250")
    assert shown.returncode == 0, shown.stderr
    rows = {line.rsplit(None, 1)[0].strip(): line.split()[-1] for line in shown.stdout.splitlines()
            if line.strip() and line.split()[-1].isdigit()}  # fmt: skip
    assert rows["2b/T (Colgate)"] == "500"
    assert int(rows["half-sample"]) > 10 * int(rows["standard"])


def test_figures_are_listed_with_those_that_cannot_be_drawn() -> None:
    shown = studies("wall", "figures")
    assert shown.returncode == 0, shown.stderr
    assert "measured on his keyboard" in shown.stdout
    for sheet in SHEETS:
        assert f"\n{sheet.number} " in shown.stdout


@pytest.mark.parametrize(
    ("words", "complaint"),
    [(["brick"], "no part 'brick'"), (["passive", "--rates", "fast"], "positive numbers")],
)
def test_wrong_use_is_exit_code_2(words: list[str], complaint: str) -> None:
    shown = studies("wall", *words)
    assert shown.returncode == 2
    assert complaint in " ".join(shown.stderr.split())


def test_every_figure_of_both_chapters_is_drawn_or_excused() -> None:
    excused = {number for group in NOT_DRAWN for number in group.split(", ")}
    drawn = {sheet.number for sheet in SHEETS}
    everything = {f"5.{n}" for n in range(1, 20)} | {f"6.{n}" for n in range(1, 16)}
    assert drawn | excused == everything
    assert not drawn & excused


@pytest.mark.parametrize(
    "sheet", [each for each in SHEETS if each.number not in SLOW], ids=lambda each: each.number
)
def test_a_figure_is_drawn_with_its_curves(sheet: Sheet, tmp_path: Path) -> None:
    picture = sheet.save(tmp_path)
    assert picture.stat().st_size > 5000
    with picture.with_suffix(".csv").open() as file:
        rows = list(csv.reader(file))[1:]
    assert len(rows) > 4
    assert np.isfinite([[float(cell) for cell in row[2:]] for row in rows[:50]]).all()
