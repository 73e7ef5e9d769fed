"""Radau IIA in C: its order, its tolerances, its Jacobians, and how it stops."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from touchback.errors import InputError
from touchback.native import FixedStep, Interpreter, Newton, Problem, Radau5, Status
from touchback.symbolic import Tape, lower
from touchback.symbolic.differentiate import jacobian

Rates = Callable[[Tape, list[int]], list[int]]


def problem_of(rates: Rates, size: int, analytic: bool = True) -> tuple[Problem, Newton]:
    """A problem of extra states with Newton's method at hand."""
    tape = Tape()
    x = [tape.symbol(f"x{i}") for i in range(size)]
    outputs, places = rates(tape, x), {node: ("x", i) for i, node in enumerate(x)}
    problem = Problem(Interpreter(lower(tape, outputs, places)), (0, 0, size))
    entries = [entry for row in jacobian(tape, outputs, x) for entry in row]
    slopes = Interpreter(lower(tape, entries, places)) if analytic else None
    return problem, Newton(problem, slopes)


def oscillator(_tape: Tape, x: list[int]) -> list[int]:
    return [x[1], -x[0]]


def logistic(tape: Tape, x: list[int]) -> list[int]:
    """ẋ = x (1 − x): from 1/2 the solution is 1 / (1 + exp(−t))."""
    return [tape.mul(x[0], tape.sub(1, x[0]))]


def far_off(tape: Tape, x: list[int]) -> list[int]:
    """ẋ = −1e6 (x − cos t) with t as a second state (Prothero and Robinson 1974, simplified)."""
    return [tape.mul(tape.const(-1e6), tape.sub(x[0], tape.cos(x[1]))), 1]


def taken(run: Radau5) -> Radau5:
    while run.advance(100) == Status.PAUSED:
        pass
    return run


def test_its_error_falls_with_the_fifth_power_of_the_step() -> None:
    """Tolerances of 1 let every step pass, so that max_step is the step. Newton's method is exact
    after one iteration here, because the problem is linear."""
    errors = []
    for steps in (16, 32):
        problem, _ = problem_of(oscillator, 2)
        run = taken(
            Radau5(problem, [1.0, 0.0], 0.0, 4.0, [], rtol=1.0, atol=1.0, max_step=4.0 / steps)
        )
        errors.append(np.abs(run.x - [math.cos(4), -math.sin(4)]).max())
    assert math.log2(errors[0] / errors[1]) == pytest.approx(5.0, abs=0.2)


@pytest.mark.parametrize("analytic", [True, False])
def test_its_error_goes_with_the_tolerance(analytic: bool) -> None:
    for tolerance in (1e-4, 1e-7, 1e-10):
        problem, _ = problem_of(logistic, 1, analytic)
        run = taken(Radau5(problem, [0.5], 0.0, 3.0, [], rtol=tolerance, atol=tolerance))
        assert run.status == Status.REACHED
        assert run.x[0] == pytest.approx(1.0 / (1.0 + math.exp(-3.0)), abs=10.0 * tolerance)


def test_stiffness_does_not_shorten_its_steps() -> None:
    problem, newton = problem_of(far_off, 2)
    run = taken(Radau5(problem, [0.0, 0.0], 0.0, 10.0, [], rtol=1e-6, atol=1e-6))
    assert run.x[0] == pytest.approx(math.cos(10.0), abs=1e-5)
    # Explicit methods are held to steps of 3e-6 s: three million of them.
    assert run.statistics["accepted"] < 200
    # Jacobians and factors are kept while they serve.
    assert newton.statistics["jacobians"] < run.statistics["accepted"]


def test_dense_output_is_as_smooth_as_the_solution() -> None:
    """The collocation polynomial is of third order; at this tolerance that is 1e-5."""
    times = np.linspace(0.05, 10.0, 200)
    problem, _ = problem_of(oscillator, 2)
    run = taken(Radau5(problem, [1.0, 0.0], 0.0, 10.0, times, rtol=1e-9, atol=1e-9))
    assert run.written == 200
    np.testing.assert_allclose(run.record[:, 0], np.cos(times), atol=1e-5)
    np.testing.assert_allclose(run.x[0], math.cos(10.0), atol=1e-8)


def test_chunks_give_the_bits_of_one_long_run() -> None:
    runs = []
    for attempts in (1, 10_000):
        problem, _ = problem_of(logistic, 1)
        run = Radau5(problem, [0.01], 0.0, 10.0, [5.0, 10.0])
        while run.advance(attempts) == Status.PAUSED:
            pass
        runs.append(run)
    np.testing.assert_array_equal(runs[0].record, runs[1].record)
    assert runs[0].statistics == runs[1].statistics


def test_differences_agree_with_the_tape() -> None:
    x = np.array([0.3, 0.8])
    slopes = [problem_of(far_off, 2, analytic)[1].jacobian(0.0, x) for analytic in (True, False)]
    np.testing.assert_allclose(slopes[0], slopes[1], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(slopes[0], [[-1e6, -1e6 * math.sin(0.8)], [0.0, 0.0]])


def test_a_jacobian_reads_its_own_parameters() -> None:
    """ż = p z, with p in another place of the Jacobian's block."""
    tape = Tape()
    z, p = tape.symbol("z"), tape.symbol("p")
    rate = Interpreter(lower(tape, [tape.mul(p, z)], {z: ("x", 0), p: ("p", 0)}))
    problem = Problem(rate, (0, 0, 1), p=[-2.0])
    newton = Newton(problem, Interpreter(lower(tape, [p], {p: ("p", 1)})), p=[7.0, -2.0])
    assert newton.jacobian(0.0, np.ones(1)) == [[-2.0]]


def test_a_solution_that_ends_stops_the_run_before_its_end() -> None:
    """ẋ = x² from 1 has no value beyond t = 1."""
    problem, _ = problem_of(lambda tape, x: [tape.mul(x[0], x[0])], 1)
    run = taken(Radau5(problem, [1.0], 0.0, 2.0, [], step_limit=5000))
    assert run.status in (Status.NOT_FINITE, Status.STEP_TOO_SMALL, Status.STEP_LIMIT)
    assert 0.99 < run.t <= 1.0 + 1e-6


def test_implicit_methods_ask_for_newtons_method() -> None:
    tape = Tape()
    z = tape.symbol("z")
    problem = Problem(Interpreter(lower(tape, [z], {z: ("x", 0)})), (0, 0, 1))
    with pytest.raises(InputError, match=r"radau5.*Newton"):
        Radau5(problem, [1.0], 0.0, 1.0, [])
    with pytest.raises(InputError, match=r"trapezoidal.*Newton"):
        FixedStep(problem, "trapezoidal", [1.0], 0.0, 0.1)
