"""Using the laboratory: files, table, picture, command, mistakes, and its bounded time."""

import csv
import io
import json
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

import touchback as tb
from command import touchback
from quality_models import OMEGA, oscillator
from touchback.analysis.quality import quality_sweep


def test_rows_go_to_csv_and_json(engine_quality: tb.Quality, tmp_path: Path) -> None:
    engine_quality.save(tmp_path / "a.csv")
    engine_quality.save(tmp_path / "a.json")
    with (tmp_path / "a.csv").open() as file:
        records = list(csv.DictReader(file))
    document = json.loads((tmp_path / "a.json").read_text())
    assert len(records) == len(document["rows"]) == len(engine_quality.rows)
    for record, full, row in zip(records, document["rows"], engine_quality.rows):
        assert record["formulation"] == full["formulation"] == row.candidate.formulation
        assert float(record["error"]) == full["error"] == row.error
        # So little that the clock can't tell it from setting up is no factor.
        assert full["real_time_factor"] == (pytest.approx(1.0 / row.load) if row.load else None)
    assert document["limits"]["multipliers rk4"]["step"] > 0.0
    with pytest.raises(tb.InputError, match=r"\.csv or \.json"):
        engine_quality.save(tmp_path / "a.xlsx")


def test_the_table_has_a_line_for_every_setting(engine_quality: tb.Quality) -> None:
    text = io.StringIO()
    Console(file=text, width=110).print(engine_quality.table())
    assert len(text.getvalue().rstrip().splitlines()) == 1 + len(engine_quality.rows)


def test_the_picture_has_a_curve_for_every_candidate(
    engine_quality: tb.Quality, tmp_path: Path
) -> None:
    figure = engine_quality.plot(tmp_path / "a.png")
    work, steps = figure.axes
    assert len(work.get_lines()) == 1 + len(engine_quality.labels)  # and the reference's own error
    assert len(steps.get_lines()) == sum(" dopri5" not in name for name in engine_quality.labels)
    assert (tmp_path / "a.png").stat().st_size > 10_000


def test_time_is_bounded_and_what_was_left_out_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    # The time of this thread alone: a busy machine takes none from it.
    clocks = SimpleNamespace(monotonic=time.thread_time, thread_time=time.thread_time)
    monkeypatch.setattr(quality_sweep, "time", clocks)
    found = tb.quality(
        oscillator(), [1.0, 0.0], 5.0, steps=(1e-3, 1e-7), formulations=("rk4",), time_limit=1.0,
        progress=False,
    )  # fmt: skip
    measured, cut = found.of("rk4")
    assert measured.status == "fine"
    assert cut.status == "not measured"
    assert "Not measured within 1 s: settings 1, stability limits 0" in found.recommendation


def test_a_reference_that_takes_too_long_says_what_to_change() -> None:
    with pytest.raises(tb.SolveError, match="shorter duration or a longer time limit"):
        tb.quality(
            oscillator(), [1.0, 0.0], 1e7 / OMEGA, steps=(0.1,), time_limit=0.2, progress=False
        )


def test_progress_is_told() -> None:
    seen: list[float] = []
    tb.quality(oscillator(), [1.0, 0.0], 2.0, steps=(0.01,), progress=seen.append)
    assert seen == sorted(seen)
    assert 0.0 < seen[-1] <= 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"formulations": ["rk5"]}, "no method 'rk5'"),
        ({"duration": -1.0}, "duration must be a positive number"),
        ({"steps": [0.0]}, "step must be a positive number"),
        ({"steps": [0.9]}, "No step fits 2 times into 1 s"),
        ({"x0": [1.0]}, "the state has 2 elements"),
    ],
)
def test_mistakes_are_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(tb.InputError, match=message):
        tb.quality(oscillator(), **{"x0": [1.0, 0.0], "progress": False, **arguments})


def test_the_command_measures_draws_and_keeps(tmp_path: Path) -> None:
    done = touchback(
        "quality", "pendulum", "--duration", "2", "--steps", "0.01,0.001", "--rate", "100",
        "--plot", "a.png", "--csv", "a.csv", cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "For 100 Hz: rk4 at 0.01 s" in done.stdout
    assert (tmp_path / "a.png").exists()
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 1 + 4 * 2 + 2 * 3


@pytest.mark.parametrize("wrong", [["--steps", "a,b"], ["--rate", "0"], ["--formulations", "x"]])
def test_wrong_use_of_the_command_exits_with_2(wrong: list[str]) -> None:
    done = touchback("quality", "pendulum", *wrong)
    assert done.returncode == 2
    assert "error:" in done.stderr
