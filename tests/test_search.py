"""Property tests draw the same examples always; `make search` finds failures and repeats them."""

import importlib
import os
import runpy
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

TESTS = Path(__file__).resolve().parent

FAULTY = """
import os
from hypothesis import given, strategies as st

@given(st.integers(0, 1000))
def test_fails(x):
    assert x < 500

@given(st.integers(0, 1000))
def test_crashes(x):
    if x > 500:
        os.abort()

@given(st.integers(0, 1000))
def test_holds(x):
    assert x >= 0
"""


def drawn() -> list[tuple[int, float]]:
    examples: list[tuple[int, float]] = []

    @given(st.integers(), st.floats(allow_nan=False))
    def draws(whole: int, number: float) -> None:
        examples.append((whole, number))

    draws()
    return examples


def test_examples_are_the_same_whatever_was_imported_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = drawn()
    (tmp_path / "full_of_numbers.py").write_text("N = [271828, 3.14159, 1618, 0.5772]\n")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("full_of_numbers")
    assert drawn() == before


def test_neither_clock_nor_memory_decides_a_test() -> None:
    assert settings().deadline is None
    assert settings().database is None
    assert settings().derandomize


@pytest.mark.parametrize("folder", [".", "clone", "clone/tests", "elsewhere"])
def test_a_search_goes_on_after_failures_and_says_how_to_repeat_each(
    folder: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Wherever the clone and the tests lie: beside one another, one in the other, or far apart."""
    faulty = tmp_path / folder / "test_faulty.py"
    faulty.parent.mkdir(parents=True, exist_ok=True)
    faulty.write_text(FAULTY, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(TESTS), *sys.path]))
    search = runpy.run_path(str(TESTS / "search" / "__main__.py"))
    clone = TESTS.parent if folder == "elsewhere" else tmp_path / "clone"
    clone.mkdir(exist_ok=True)
    search["search_round"].__globals__["ROOT"] = clone
    found = search["Findings"]()
    options = ["-p", "conftest", str(faulty)]
    for seed in (1, 2):  # a crash hides what would have come after it in its round
        assert search["search_round"](seed, time.time() + 100.0, options, found)
    assert sorted(test.split("::")[-1] for test in found.failures) == ["test_crashes", "test_fails"]
    assert found.told(60.0).startswith("2 tests failed (2 rounds, ")
    assert "@reproduce_failure" in capsys.readouterr().out
    (repeat,) = (how for test, how in found.failures.items() if test.endswith("::test_fails"))
    again = subprocess.run(
        [sys.executable, *shlex.split(repeat)[1:], "-p", "conftest"],
        cwd=clone,
        capture_output=True,
        text=True,
    )
    assert again.returncode == 1, again.stdout + again.stderr
    assert "test_fails(" in again.stdout
