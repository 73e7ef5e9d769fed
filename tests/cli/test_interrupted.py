"""Ctrl-C on the command line keeps, shows and saves what the run had."""

from pathlib import Path
from typing import Any

import pytest

import touchback as tb
from command import touchback
from touchback.simulate import RunInterrupted


def test_an_interrupted_run_is_shown_and_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulate = tb.simulate

    def interrupted(system: tb.System, *_: Any, **__: Any) -> tb.Run:
        run = simulate(system, duration=0.1, progress=False, energy_balance=True)
        raise RunInterrupted("pendulum: interrupted at t = 0.1 s.", run)

    monkeypatch.setattr(tb, "simulate", interrupted)
    done = touchback("simulate", "pendulum", "--csv", "kept.csv", cwd=tmp_path)
    assert done.returncode == 130
    assert "interrupted at t = 0.1 s" in done.stderr and "pivot" in done.stdout
    assert tb.open(tmp_path / "kept.csv").duration == pytest.approx(0.1)
