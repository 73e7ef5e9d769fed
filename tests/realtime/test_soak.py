"""The soak of `make soak`, for some seconds: every kind of fault once, and every promise kept; and
each of its promises can be broken."""

import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from touchback.recording.live_recording import Part, Recording

sys.path.append(str(Path(__file__).parents[1] / "soak"))  # modules of a program

import check
import parts
from tally import SLOPE, WARM, Tally

SOAK = Path(parts.__file__).parent


def test_a_disturbed_run_keeps_its_promises(tmp_path: Path) -> None:
    told = tmp_path / "soak.json"
    command = [sys.executable, str(SOAK), "--seconds", "1", "--json", str(told)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(told.read_text())
    assert found["broken"] == []
    assert found["injected"] == found["handled"] and len(found["injected"]) == 12
    assert found["replayed"] == found["ticks"] > 1000
    assert found["structures"] >= 2
    assert found["allocations"] in (0, None)  # None: no compiler to count them with
    assert "all promises kept" in done.stdout


# ---- each promise can be broken -----------------------------------------------------------------


def recording(ticks: int = 5) -> Recording:
    """A crank and a rod that lie stretched, with a wall that is felt."""
    columns = ["tick", "flags", "version", "crank", "rod", "slider", "felt force"]
    rows = np.tile([0.0, 0.0, 1.0, 0.0, 0.0, 0.5, 2.0], (ticks, 1))
    rows[:, 0] = np.arange(1, ticks + 1)
    rows[2, [1, 6]] = 4.0, check.SAFE  # stopped
    return Recording([Part({}, columns, rows)], {1: {"crank radius": 0.1}})


def tampered(tick: int, column: str, value: float) -> Callable[[Recording], None]:
    def tamper(recording: Recording) -> None:
        recording.parts[0].column(column)[tick - 1] = value

    return tamper


def unfinished(recording: Recording) -> None:
    recording.complete = False


@pytest.mark.parametrize(
    ("tamper", "what"),
    [
        (unfinished, "a recording isn't complete"),
        (tampered(4, "tick", 5.0), "ticks are missing"),
        (tampered(3, "felt force", 0.1), "an output wasn't safe in a fault"),
        (tampered(4, "flags", 1.0), "an output wasn't safe in a fault"),
        (tampered(1, "felt force", -31.0), "an output went beyond its limit"),
        (tampered(5, "slider", 0.5 + 1e-9), "a loop is open"),
    ],
)
def test_a_recording_that_is_wrong_is_noticed(
    tamper: Callable[[Recording], None], what: str
) -> None:
    given = recording()
    assert check.broken(given, 5) == []
    assert check.broken(given, 6) == ["ticks are missing"]
    tamper(given)
    assert check.broken(given, 5) == [what]


@pytest.mark.parametrize("same", [True, False])
def test_a_replay_that_differs_is_noticed(
    same: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["check.py", "run.mcap", "5"])
    monkeypatch.setattr(check, "open_recording", lambda path: recording())
    again = SimpleNamespace(same=same, ticks=5, first_difference=3)
    monkeypatch.setattr(check.tb, "replay", lambda path: again)
    check.main()
    broken = [] if same else ["a replay differs from tick 3 on"]
    assert json.loads(capsys.readouterr().out) == {"replayed": 5, "broken": broken}


def tally(minutes: float = WARM / 30.0, slope: float = SLOPE / 2.0) -> Tally:
    """Of a soak in which all went well."""
    found = Tally(allocations=0, replayed=10)
    found.counts["ticks"] = 10
    found.memory = [(60.0 * t, 50.0 + slope * t) for t in np.linspace(0.0, minutes, 20)]
    return found


def test_what_went_well_breaks_nothing() -> None:
    short = tally(minutes=1.0, slope=10.0)  # too short to tell
    for found in (tally(), short):
        found.judge()
        assert found.broken == []
        assert found.told(60.0, 1000.0).endswith("all promises kept")


def test_what_went_wrong_in_all_parts_is_noticed() -> None:
    found = tally(slope=1.1 * SLOPE)
    found.allocations, found.replayed, found.counts["lost_rows"] = 2, 9, 1
    found.judge()
    assert [what.split(" by ")[0] for what in found.broken] == [
        "2 allocations in ticks", "rows were lost", "9 of 10 ticks were replayed", "memory grows",
    ]  # fmt: skip
    assert found.told(60.0, 1000.0).endswith("promises broken")


def test_a_fault_that_is_not_handled_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "FAULTS", {"well": lambda rig: True, "ill": lambda rig: False})
    live = SimpleNamespace(ticks=7, faults=("stopped",), resume=lambda: None)
    found = Tally()
    parts.disturb(SimpleNamespace(live=live, chance=random.Random(1)), 0.0, found)  # type: ignore[arg-type]
    assert found.injected == {"well": 1, "ill": 1}
    assert found.handled == {"well": 1}
    assert found.broken == ["ill: not handled at tick 7: ('stopped',)"]
