"""The numbered examples run alone, stay short, and say what they are."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import forked

FOLDER = Path(__file__).parents[1] / "examples"
EXAMPLES = sorted(FOLDER.glob("[0-9][0-9]_*.py"))


def test_there_are_examples() -> None:
    assert [path.name[:2] for path in EXAMPLES] == ["00", "01", "02", "03", "04", "05", "06"]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_and_has_a_title(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) < 120
    title, rule, *_ = (ast.get_docstring(ast.parse(text)) or "").splitlines()
    assert title and set(rule) == {"="}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_alone(path: Path, tmp_path: Path) -> None:
    done = forked.run(path, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout and not done.stderr
    assert list(tmp_path.iterdir())  # each leaves a picture or a source text


def test_an_example_runs_in_an_interpreter_that_has_nothing_imported(tmp_path: Path) -> None:
    surroundings = {**os.environ, "MPLBACKEND": "Agg"}
    done = subprocess.run(
        [sys.executable, str(EXAMPLES[0])],
        cwd=tmp_path, env=surroundings, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout and not done.stderr
