"""Printed MATLAB computes the same values to rounding: Octave runs it where it is installed."""

import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random

import numpy as np
import pytest

from random_programs import random_point, random_program
from stepwise import first_disagreement, with_every_node_as_output
from touchback.codegen.printers import print_matlab
from touchback.errors import InputError
from touchback.symbolic import Program, evaluate

OCTAVE = shutil.which("octave-cli") or shutil.which("octave")
needs_octave = pytest.mark.skipif(OCTAVE is None, reason="no Octave here")


def test_the_pendulum_reads_as_expected(
    pendulum: Program, matches_golden: Callable[[str, str], None]
) -> None:
    matches_golden(print_matlab(pendulum, "pendulum", "A pendulum.\nx = (q, v)"), "pendulum.m")


def _vector(values: Sequence[float]) -> str:
    words = (repr(float(value)).replace("inf", "Inf").replace("nan", "NaN") for value in values)
    return "[" + ", ".join(words) + "]"


def _run_octave(
    programs: Mapping[str, Program], points: Sequence[Mapping[str, Sequence[float]]], folder: Path
) -> list[list[float]]:
    """Outputs of every program at every point, from one start of Octave."""
    lines = []
    for name, program in programs.items():
        (folder / f"{name}.m").write_text(print_matlab(program, name), encoding="utf-8")
        for point in points:
            arguments = ", ".join(_vector(point[array]) for array in ("x", "u", "p"))
            lines.append(f"printf('%.17g ', {name}({arguments})); printf('\\n');")
    (folder / "run_all.m").write_text("\n".join(lines), encoding="utf-8")
    command = [str(OCTAVE), "--no-gui", "--norc", "run_all.m"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [[float(word) for word in line.split()] for line in done.stdout.splitlines()]


@needs_octave
def test_the_pendulum_agrees(pendulum: Program, tmp_path: Path) -> None:
    points = [
        {"x": [0.1, 2.0], "u": [0.3], "p": [0.5, 9.81]},
        {"x": [-3, -0.2], "u": [1], "p": [2, 9]},
    ]
    found = _run_octave({"pendulum": pendulum}, points, tmp_path)
    expected = [evaluate(pendulum, point) for point in points]
    np.testing.assert_allclose(found, expected, rtol=1e-14)


@needs_octave
def test_every_operation_of_random_programs_agrees(tmp_path: Path) -> None:
    programs = {
        f"f{seed}": with_every_node_as_output(random_program(seed, 60)) for seed in range(30)
    }
    points = [random_point(Random(seed)) for seed in range(4)]
    found = iter(_run_octave(programs, points, tmp_path))
    for name, program in programs.items():
        for _ in points:
            assert first_disagreement(program, next(found)) is None, name


@pytest.mark.parametrize("name", ["end", "pick", "1f"])
def test_a_name_that_matlab_would_not_take_is_refused(pendulum: Program, name: str) -> None:
    with pytest.raises(InputError, match="can't name a function"):
        print_matlab(pendulum, name)
