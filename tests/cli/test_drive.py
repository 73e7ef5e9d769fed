"""`touchback drive` lists manoeuvres, tells figures, draws and keeps them."""

from pathlib import Path

import pytest

from command import touchback
from touchback.recording import open_run
from touchback.vehicle.manoeuvres import MANOEUVRES


def test_without_a_name_the_manoeuvres_are_listed() -> None:
    shown = touchback("drive")
    assert shown.returncode == 0 and all(name in shown.stdout for name in MANOEUVRES)


def test_a_manoeuvre_is_told_drawn_and_kept(tmp_path: Path) -> None:
    picture, kept = tmp_path / "step.png", tmp_path / "step.mcap"
    shown = touchback("drive", "step-steer", "--speed", "72", "--plot", picture, "--save", kept)
    assert shown.returncode == 0 and "step-steer at 72 km/h" in shown.stdout
    assert "response time" in shown.stdout and picture.stat().st_size > 10_000
    assert open_run(kept)["speed"][0] == pytest.approx(20.0)


def test_what_is_unknown_is_answered_with_the_nearest() -> None:
    for words, complaint in (
        (("step-stear",), "did you mean 'step-steer'"),
        (("step-steer", "--car", "tricycle"), "single-track"),
        (("all", "--save", "x.csv"), "keeps one run"),
    ):
        shown = touchback("drive", *words)
        assert shown.returncode == 2 and complaint in shown.stderr
