"""`touchback live` and `touchback replay`."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console
from typer.testing import CliRunner

import touchback as tb
from touchback.cli.app import app
from touchback.realtime.table import live_table

run = CliRunner().invoke


def test_a_mechanism_runs_live_is_recorded_and_replayed(tmp_path: Path) -> None:
    recording, report = tmp_path / "arm.mcap", tmp_path / "arm.json"
    done = run(
        app,
        ["live", "motor-arm", "--seconds", "0.1", "--rate", "500", "--input", "voltage=3",
         "--record", str(recording), "--report", str(report), "--listen", "0", "--worst", "3"],
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert "Live run of 'motor arm': 500 Hz, 1 × real time" in done.output
    assert "listening on 127.0.0.1:" in done.output
    assert "tick  lateness step time input age  flags" in done.output
    assert json.loads(report.read_text())["ticks"] >= 50
    again = run(app, ["replay", str(recording)])
    assert again.exit_code == 0, again.output
    assert "the same bits" in again.output


def test_as_fast_as_possible_is_speed_zero() -> None:
    done = run(app, ["live", "pendulum", "--seconds", "2", "--speed", "0"])
    assert done.exit_code == 0, done.output
    assert "as fast as possible, 2000 ticks" in done.output


def test_steps_too_long_for_a_mechanism_are_told_with_what_to_do() -> None:
    held = run(app, ["live", "piano", "--seconds", "0.2", "--speed", "0"])
    assert "diverged 1" in held.output
    with pytest.raises(tb.SolveError, match="was held; take more --substeps than 1, or a higher"):
        raise held.exception  # type: ignore[misc]
    calm = run(app, ["live", "piano", "--seconds", "0.2", "--speed", "0", "--substeps", "16"])
    assert calm.exit_code == 0, calm.output


def test_a_recording_that_differs_is_an_error(tmp_path: Path, cart: tb.System) -> None:
    recording = tmp_path / "run.mcap"
    with tb.live(cart, rate=500, speed=None, record=recording) as live:
        live._loop.x[0] += 1e-9  # a push that no input tells of
        live.run(0.01)
    done = run(app, ["replay", str(recording)])
    assert done.exit_code != 0
    with pytest.raises(tb.SolveError, match="differs from tick 1 on"):
        raise done.exception  # type: ignore[misc]


def test_the_table_shows_signals_punctuality_and_faults(cart: tb.System) -> None:
    with tb.live(cart, rate=500, speed=None) as live:
        live["force"] = 1.25
        live.run(0.1)
        console = Console(width=100, record=True, file=io.StringIO())
        console.print(live_table(live))
        calm = console.export_text()
        live.emergency_stop()
        live.run(0.01)
        console.print(live_table(live))
        stopped = console.export_text()
    assert "ticks 50" in calm and "p99.9" in calm and "no faults" in calm
    assert "1.25" in next(line for line in calm.splitlines() if line.startswith("echo"))
    assert "faults: stopped" in stopped
