"""`make test` runs every step whatever failed before, and names at its end what failed."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STEPS = [
    "mypy",
    "sphinx-build",
    "ruff",
    "--collect-only",
    "tests --ignore",
    "browser",
    "validation",
]

# In place of the programs of the environment: notes how it is called, and fails if that is asked.
STAND_IN = """#!/bin/sh
echo "$(basename "$0") $*" >>"$CALLS"
case "$(basename "$0") $*" in $FAILS) exit 1 ;; esac
"""


def make_test(folder: Path, fails: str) -> tuple[int, list[str], str]:
    """The exit status of `make test` where programs whose call matches fail, the calls in their
    order, and what it prints."""
    shutil.copy(ROOT / "Makefile", folder)
    for name in ("pyproject.toml", "setup.py", "test.lock"):
        (folder / name).touch()
    (folder / ".venv/.stamps").mkdir(parents=True)
    (folder / ".venv/bin").mkdir()
    for name in ("python", "mypy", "ruff", "sphinx-build"):
        program = folder / ".venv/bin" / name
        program.write_text(STAND_IN, encoding="utf-8")
        program.chmod(0o755)
    after = time.time() + 10.0
    for name in ("venv", "package", "develop", "machine"):
        stamp = folder / ".venv/.stamps" / name
        stamp.touch()
        os.utime(stamp, (after, after))
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "MFLAGS"))}
    ran = subprocess.run(
        ["make", "test"],
        cwd=folder,
        env={**inherited, "CALLS": str(folder / "calls"), "FAILS": fails},
        capture_output=True,
        text=True,
    )
    return ran.returncode, (folder / "calls").read_text().splitlines(), ran.stdout


def test_all_steps_run_when_nothing_fails(tmp_path: Path) -> None:
    status, calls, told = make_test(tmp_path, "nothing")
    assert status == 0
    assert all(any(step in call for call in calls) for step in STEPS)
    assert "make test failed" not in told


@pytest.mark.parametrize(
    ("fails", "named"),
    [
        ("mypy*", "types"), ("ruff*format*", "lint"), ("sphinx*", "docs"),
        ("*--collect-only*", "collected"), ("*--ignore=validation*", "clocked"),
        ("*browser*tests/workbench*", "browser"), ("* validation *", "unclocked"),
    ],
)  # fmt: skip
def test_a_step_that_fails_keeps_no_other_from_running_and_is_named_at_the_end(
    fails: str, named: str, tmp_path: Path
) -> None:
    status, calls, told = make_test(tmp_path, fails)
    assert status != 0
    assert all(any(step in call for call in calls) for step in STEPS)
    assert told.rstrip().endswith(f"make test failed:\n  make {named}")


def test_every_step_that_fails_is_named(tmp_path: Path) -> None:
    status, _, told = make_test(tmp_path, "*")
    assert status != 0
    names = ["types", "docs", "lint", "collected", "clocked", "browser", "unclocked"]
    lines = told.split("make test failed:\n")[1].split("\n")[:7]
    checks, tests = lines[:4], lines[4:]
    assert sorted(checks) == sorted(f"  make {name}" for name in names[:4])
    assert sorted(tests) == sorted(f"  make {name}" for name in names[4:])


def test_tests_that_fail_are_named(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(
        "import os\n"
        "def test_holds(): assert 'TOUCHBACK_FAILED_TESTS' not in os.environ\n"
        "def test_fails(): assert False\ndef test_lacks(absent): pass\n"
    )
    file = tmp_path / "failed"
    subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "conftest", "-n", "1", "test_some.py"],
        cwd=tmp_path,
        env={
            **os.environ,
            "TOUCHBACK_FAILED_TESTS": str(file),
            "PYTHONPATH": os.pathsep.join([str(ROOT / "tests"), *sys.path]),
        },
        capture_output=True,
    )
    assert file.read_text().splitlines() == [
        "test_some.py::test_fails",
        "test_some.py::test_lacks",
    ]
