"""The soak of `make soak`, for some seconds: every kind of fault once, and every promise kept."""

import json
import subprocess
import sys
from pathlib import Path

SOAK = Path(__file__).parents[1] / "soak"


def test_a_disturbed_run_keeps_its_promises(tmp_path: Path) -> None:
    told = tmp_path / "soak.json"
    command = [sys.executable, str(SOAK), "--seconds", "4", "--json", str(told)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(told.read_text())
    assert found["broken"] == []
    assert found["injected"] == found["handled"] and len(found["injected"]) == 12
    assert found["replayed"] == found["ticks"] > 1000
    assert found["structures"] >= 2
    assert found["allocations"] in (0, None)  # None: no compiler to count them with
    assert "all promises kept" in done.stdout
