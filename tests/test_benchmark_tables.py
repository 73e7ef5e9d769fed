"""Tables of measurements are whole on a narrow terminal."""

import io

import pytest
from rich.console import Console

from benchmarks import batches
from benchmarks.report import Section, Target, show, show_targets


def test_nothing_is_cut_at_eighty_columns() -> None:
    words = [f"{'engine' * 3} {i}" for i in range(9)]
    section = Section("speed", words, [words, words])
    section.targets.append(Target("a long name of what was found " * 2, "x" * 50, "y" * 60, True))
    console = Console(width=80, file=io.StringIO())
    show(section, console)
    show_targets([section], console)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "…" not in text
    assert text.count("x") == 50 and text.count("y") == 60
    assert max(map(len, text.splitlines())) <= 80


def test_batches_are_measured_on_one_core_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what further cores gain."""
    monkeypatch.setattr(batches.os, "sched_getaffinity", lambda _: {0})
    monkeypatch.setattr(batches, "_mujoco", lambda *_: None)
    for name, small in {"SIZES": (2,), "TURNS": 1, "STEPS": 5, "WORK": 2 * 5 * 64}.items():
        monkeypatch.setattr(batches, name, small)
    section = batches.run()
    assert [len(row) for row in section.rows] == [len(section.columns)]
    assert section.rows[0][-4:] == ["–"] * 4
