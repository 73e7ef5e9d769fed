"""Figures in tables of docs are those of the result files, and the result files aren't stale."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import omni, pages, robotran
from benchmarks.report import Section, write
from touchback.gallery import omni_wheel

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("name", pages.TABLES)
def test_a_table_is_what_the_result_files_give(name: str) -> None:
    page, found, expected = pages.filled(name)
    assert found == expected, f"docs/{page.name} is stale: run `{pages.COMMAND}`"


def test_operations_of_trackers_are_what_the_code_counts() -> None:
    """Within 1 %: which products of the wheel's constants coincide depends on their last bits, and
    with them up to ten operations (1446 on AArch64, 1452 on x86-64)."""
    label = "ψ = 0.3"
    wheels = [each for each in pages.records("omni") if each.get("wheel") == label]
    recorded, shape = {each["tracker"]: each["flops"] for each in wheels}, omni.SHAPES[label]
    counted = {
        tracker: omni_wheel.make(shape, tracker, slip_speed=0.2).compile().counts("terms").flops
        for tracker in recorded
    }
    again = f"run `python -m benchmarks omni` and `{pages.COMMAND} results/bench-….json`"
    assert counted == pytest.approx(recorded, rel=0.01), f"benchmarks.md is stale: {again}"


@pytest.mark.parametrize("known", robotran.MODELS, ids=lambda known: known.model)
def test_operations_of_robotrans_models_are_what_the_code_counts(known) -> None:
    model = robotran.read(known)
    (recorded,) = (each for each in pages.records("robotran") if each["model"] == known.model)
    counted = robotran.flops(model, robotran.loaded_bodies(known))
    again = f"run `python -m benchmarks robotran` and `{pages.COMMAND} results/bench-….json`"
    assert counted == {
        what: recorded[f"with forces: {what}"] for what in ("inverse", "mass and bias")
    }, f"benchmarks.md is stale: {again}"


def test_the_command_that_writes_figures_says_what_it_does_and_writes_none(
    capsys, monkeypatch
) -> None:
    monkeypatch.setattr(pages, "filled", lambda _: pytest.fail("a page is written"))
    with pytest.raises(SystemExit, match="0"):
        pages.main(["--help"])
    assert "write figures of docs" in capsys.readouterr().out


def test_sections_of_a_result_file_take_the_place_of_older_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "RESULTS", tmp_path)
    home = tmp_path / "aarch64.json"
    home.write_text(json.dumps({"about": {}, "python -m benchmarks omni": [], "other": [1]}))
    where = {"machine": "aarch64", "date": "2026-01-02T03:04:05+00:00"}
    section = Section("Wheels", ["a"], [], records=[{"step": 1.23456789e-6, "flops": 1234567}])
    pages.take(write({"omni": section}, where, tmp_path / "new"))
    content = json.loads(home.read_text())
    assert content["python -m benchmarks omni"] == [{"step": 1.235e-6, "flops": 1234567}]
    assert content["other"] == [1]


def test_bench_writes_its_results_into_the_current_folder(tmp_path: Path) -> None:
    """Not into the source tree, wherever that is."""
    before = set((ROOT / "results").glob("*"))
    ran = subprocess.run(
        [sys.executable, "-m", "touchback.cli", "bench", "robotran"],
        cwd=tmp_path, env={**os.environ, "COLUMNS": "200"}, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    (file,) = (tmp_path / "results").glob("bench-*.json")
    assert str(file) in ran.stdout.replace("\n", "")
    assert json.loads(file.read_text())["commands"].popitem()[1] == "robotran"
    assert set((ROOT / "results").glob("*")) == before
