"""Printed Python computes the same values to rounding, on one point or many, without Touchback."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, strategies as st

from printed_programs import python_function
from random_programs import random_point, random_program
from stepwise import first_disagreement, with_every_node_as_output
from touchback.codegen.printers import print_python
from touchback.errors import InputError
from touchback.symbolic import Program, Tape, evaluate, lower


def test_the_pendulum_reads_as_expected(
    pendulum: Program, matches_golden: Callable[[str, str], None]
) -> None:
    matches_golden(print_python(pendulum, "pendulum", "A pendulum.\nx = (q, v)"), "pendulum.py.txt")


@given(seed=st.integers(0, 2**32), operations=st.integers(1, 120))
def test_every_operation_of_random_programs_agrees(seed: int, operations: int) -> None:
    program = with_every_node_as_output(random_program(seed, operations))
    f = python_function(program)
    random = Random(seed)
    for _ in range(5):
        assert first_disagreement(program, f(**random_point(random))) is None


def test_many_points_at_once_give_what_one_at_a_time_gives() -> None:
    for seed in range(20):
        program = random_program(seed, 80)
        f = python_function(program)
        points = [random_point(Random(100 * seed + i)) for i in range(6)]
        together = {
            name: np.array([point[name] for point in points]).T.reshape(-1, 2, 3)
            for name in ("x", "u", "p")
        }
        one_by_one = np.array([f(**point) for point in points]).T.reshape(-1, 2, 3)
        # NumPy's loops over arrays and its scalar functions may round exp or log differently.
        np.testing.assert_allclose(f(**together), one_by_one, rtol=1e-9, atol=1e-300)


def test_parameters_may_be_shared_by_many_points(pendulum: Program) -> None:
    f = python_function(pendulum)
    states = np.random.default_rng(0).normal(size=(2, 50))
    together = f(states, [0.3], [0.5, 9.81])
    for index in range(50):
        point = {"x": states[:, index], "u": [0.3], "p": [0.5, 9.81]}
        np.testing.assert_allclose(together[:, index], evaluate(pendulum, point), rtol=1e-14)


def test_constant_outputs_have_the_shape_of_the_points() -> None:
    tape = Tape()
    program = lower(tape, [tape.const(2.0), tape.div(1, 0)], {})
    out = python_function(program)(np.zeros((1, 4)))
    np.testing.assert_array_equal(out, [[2.0] * 4, [np.inf] * 4])


def test_the_file_runs_without_touchback(pendulum: Program, tmp_path: Path) -> None:
    (tmp_path / "pendulum.py").write_text(print_python(pendulum, "pendulum"), encoding="utf-8")
    script = (
        "import sys; from pendulum import pendulum; print(*pendulum([0.1, 2], [0.3], [0.5, 9.81]));"
        "assert not any(name.startswith('touchback') for name in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    expected = evaluate(pendulum, {"x": [0.1, 2.0], "u": [0.3], "p": [0.5, 9.81]})
    np.testing.assert_allclose([float(word) for word in done.stdout.split()], expected, rtol=1e-14)


@pytest.mark.parametrize("name", ["lambda", "np", "a-b"])
def test_a_name_that_python_would_not_take_is_refused(pendulum: Program, name: str) -> None:
    with pytest.raises(InputError, match="can't name a function"):
        print_python(pendulum, name)
