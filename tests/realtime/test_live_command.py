"""`touchback live` and `touchback replay`."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

import touchback as tb
from command import touchback
from touchback import gallery
from touchback.cli.live_commands import live_table


def test_a_mechanism_runs_live_is_recorded_and_replayed(tmp_path: Path) -> None:
    recording, report = tmp_path / "arm.mcap", tmp_path / "arm.json"
    done = touchback(
        "live", "motor-arm", "--seconds", "0.1", "--rate", "500", "--input", "voltage=3",
        "--record", recording, "--report", report, "--listen", "0", "--worst", "3",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "Live run of 'motor arm': 500 Hz, 1 × real time" in done.stdout
    assert "listening on 127.0.0.1:" in done.stdout + done.stderr
    assert "tick  lateness step time input age  flags" in done.stdout
    assert f"replay: touchback replay {recording}\n" in done.stdout
    assert json.loads(report.read_text())["ticks"] >= 50
    again = touchback("replay", recording)
    assert again.returncode == 0, again.stderr
    assert "the same bits" in again.stdout


@pytest.mark.parametrize("name", gallery.names())
def test_every_mechanism_of_the_gallery_runs_live(name: str, tmp_path: Path) -> None:
    words = ["--seconds", "0.02", "--speed", "0", "--record", tmp_path / "run.mcap"]
    assert touchback("live", name, *words).returncode == 0


def test_a_mechanism_of_a_kind_that_files_do_not_know_is_replayed_by_its_name(
    tmp_path: Path,
) -> None:
    recording = tmp_path / "run.mcap"
    words = ["--seconds", "0.02", "--speed", "0", "--record", recording]
    done = touchback("live", "omni-wheel", *words)
    assert f"touchback replay {recording} --model omni-wheel" in done.stdout
    again = touchback("replay", recording, "--model", "omni-wheel")
    assert "the same bits" in again.stdout, again.stderr
    unknown = touchback("replay", recording)
    assert unknown.returncode == 2 and "doesn't hold its model, 'omni wheel'" in unknown.stderr


@pytest.mark.parametrize("speed", ["0", "1"])
def test_an_experiments_input_is_followed_over_the_models_time(speed: str, tmp_path: Path) -> None:
    """The hammer's key is pressed with 2 N, then held with 0.8 N, as its experiment says."""
    recording = tmp_path / "run.mcap"
    words = ["--seconds", "0.1", "--speed", speed, "--record", recording]
    assert touchback("live", "bouncing-hammer", *words).returncode == 0
    run = tb.open(recording)
    held = run["key force"][(run.time > 0.03) & (run.time < 0.05)]
    if speed == "0":
        expected = np.interp(
            run.time, *gallery.entry("bouncing-hammer").experiment.inputs["key force"]
        )
        assert run["key force"][1:] == pytest.approx(expected[:-1], abs=1e-12)
    assert held.size and np.median(held) == 2.0 and run["key force"][-1] == 0.8


def test_as_fast_as_possible_is_speed_zero() -> None:
    done = touchback("live", "pendulum", "--seconds", "2", "--speed", "0")
    assert done.returncode == 0, done.stderr
    assert "as fast as possible, 2000 ticks" in done.stdout


def test_steps_too_long_for_a_mechanism_are_told_with_what_to_do() -> None:
    held = touchback("live", "piano", "--seconds", "0.2", "--speed", "0", "--substeps", "1")
    assert "diverged 1" in held.stdout and held.returncode == 1
    assert "was held; take more --substeps than 1, or a higher" in held.stderr
    calm = touchback("live", "piano", "--seconds", "0.2", "--speed", "0")  # 16, says the gallery
    assert calm.returncode == 0, calm.stderr


def test_a_recording_that_differs_is_an_error(tmp_path: Path, cart: tb.System) -> None:
    recording = tmp_path / "run.mcap"
    with tb.live(cart, rate=500, speed=None, record=recording) as live:
        live._loop.x[0] += 1e-9  # a push that no input tells of
        live.run(0.01)
    done = touchback("replay", recording)
    assert done.returncode == 1
    assert "differs from tick 1 on" in done.stderr


def test_what_is_no_number_is_refused_by_its_name(cart: tb.System) -> None:
    with tb.live(cart, rate=500, speed=None) as live:
        for name in ("force", next(iter(cart.parameters))):
            for value in ((0.0, 1.0), "fast", None):
                with pytest.raises(tb.InputError, match=f"'{name}' must be a number"):
                    live[name] = value  # type: ignore[assignment]


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
