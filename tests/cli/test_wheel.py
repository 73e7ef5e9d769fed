"""`touchback device` knows steering wheels, and tells what they report."""

import json
import threading
import time

import pytest
import typer.testing

from far_wheels import FarWheel
from touchback.cli.command_table import app
from touchback.devices.evdev import force_wheel
from waiting import until


@pytest.fixture
def far(tmp_path):
    wheel = FarWheel(tmp_path / "wheel")
    yield wheel
    wheel.unplug()


def told(*words: str) -> str:
    shown = typer.testing.CliRunner().invoke(app, ["device", *words], catch_exceptions=False)
    assert shown.exit_code == 0
    return " ".join(shown.output.split())


def test_wheels_are_listed_with_what_they_have(far, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(force_wheel, "PLACES", (str(tmp_path / "*"),))
    assert f"evdev:{far.path} far wheel, force feedback, ABS_X, ABS_Z, ABS_RZ" in told("list")


def test_watching_one_tells_its_axes_and_counts(far) -> None:
    shown = told("watch", f"evdev:{far.path}", "--seconds", "0.3")
    assert "far wheel (simulated): takes a constant force" in shown
    assert "ABS_X 32768 ABS_Z 255 ABS_RZ 255" in shown and "reports 0, lost 0" in shown


def test_pedals_that_were_pressed_are_kept(far, tmp_path) -> None:
    def press() -> None:
        time.sleep(0.2)
        for value in (0, 255):
            far.turn(ABS_RZ=value)
            time.sleep(0.2)

    def calibrated() -> str:
        feet = threading.Thread(target=press)
        feet.start()
        shown = told("calibrate", f"evdev:{far.path}", *words)
        feet.join()
        return shown

    kept = tmp_path / "kept.json"
    words = ("--range", "900", "--peak", "2.5", "--seconds", "2", "--to", str(kept))
    # who pressed while a busy machine didn't look presses again
    until(lambda: "brake: ABS_RZ, at rest 255, full 0" in calibrated())
    saved = json.loads(kept.read_text())
    assert saved["range"] == pytest.approx(15.70796) and [*saved["pedals"]] == ["brake"]
