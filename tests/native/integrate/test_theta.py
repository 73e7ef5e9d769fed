"""Implicit Euler and the trapezoidal rule in C: orders, stability, and Newton's counts."""

import math

import numpy as np
import pytest

from touchback.native import FixedStep, Interpreter, Newton, Problem, Status
from touchback.symbolic import Tape, lower
from touchback.symbolic.differentiate import jacobian

METHODS = {"implicit-euler": 1, "trapezoidal": 2}


def pendulum(analytic: bool = True) -> tuple[Problem, Newton]:
    """q̈ = −sin q."""
    tape = Tape()
    q, v = tape.symbol("q"), tape.symbol("v")
    places, rates = {q: ("x", 0), v: ("x", 1)}, [v, -tape.sin(q)]
    problem = Problem(Interpreter(lower(tape, rates, places)), (1, 1, 0))
    entries = [entry for row in jacobian(tape, rates, [q, v]) for entry in row]
    return problem, Newton(
        problem, Interpreter(lower(tape, entries, places)) if analytic else None,
        rtol=1e-12, atol=1e-12,
    )  # fmt: skip


def first_order(rate: float) -> tuple[Problem, Newton]:
    """ż = rate · z."""
    tape = Tape()
    z = tape.symbol("z")
    program = lower(tape, [tape.mul(tape.const(rate), z)], {z: ("x", 0)})
    problem = Problem(Interpreter(program), (0, 0, 1))
    return problem, Newton(problem, Interpreter(lower(tape, [tape.const(rate)], {})))


def after(problem: Problem, method: str, x: list[float], steps: int, step: float) -> np.ndarray:
    status, record = FixedStep(problem, method, x, 0.0, step).advance(steps, steps)
    assert status == Status.REACHED
    return record[-1]


@pytest.mark.parametrize("analytic", [True, False])
@pytest.mark.parametrize(("method", "order"), METHODS.items())
def test_errors_fall_with_the_order(method: str, order: int, analytic: bool) -> None:
    """Against Richardson: the differences of three runs fall by 2^order."""
    ends = [
        after(pendulum(analytic)[0], method, [1.0, 0.0], n, 2.0 / n) for n in (200, 400, 800)
    ]  # fmt: skip
    ratio = np.abs(ends[0] - ends[1]).max() / np.abs(ends[1] - ends[2]).max()
    assert math.log2(ratio) == pytest.approx(order, abs=0.1)


def test_one_step_is_the_rule_itself() -> None:
    """ż = −2 z, h = 0.5: 1/(1 + 1) and (1 − 0.5)/(1 + 0.5)."""
    assert after(first_order(-2.0)[0], "implicit-euler", [1.0], 1, 0.5)[0] == pytest.approx(1 / 2)
    assert after(first_order(-2.0)[0], "trapezoidal", [1.0], 1, 0.5)[0] == pytest.approx(1 / 3)


def test_implicit_euler_damps_what_is_faster_than_its_step_and_the_trapezoidal_rule_rings() -> None:
    assert abs(after(first_order(-1e8)[0], "implicit-euler", [1.0], 1, 1.0)[0]) < 1e-7
    assert after(first_order(-1e8)[0], "trapezoidal", [1.0], 9, 1.0)[0] == pytest.approx(-1.0)


def test_the_trapezoidal_rule_keeps_the_energy_of_an_oscillator() -> None:
    """It is a rotation there: |(1 + ih/2) / (1 − ih/2)| = 1."""
    tape = Tape()
    q, v = tape.symbol("q"), tape.symbol("v")
    problem = Problem(Interpreter(lower(tape, [v, -q], {q: ("x", 0), v: ("x", 1)})), (1, 1, 0))
    Newton(problem, Interpreter(lower(tape, [0, 1, -1, 0], {})))
    x = after(problem, "trapezoidal", [1.0, 0.0], 10_000, 0.5)
    assert x @ x == pytest.approx(1.0, rel=1e-10)


def test_newtons_iterations_are_counted() -> None:
    problem, newton = pendulum()
    FixedStep(problem, "trapezoidal", [1.0, 0.0], 0.0, 0.1).advance(50)
    counts = newton.statistics
    assert counts["solves"] == 50
    assert counts["jacobians"] == counts["factorisations"] == 50
    assert 2 <= counts["iterations"] / 50 <= counts["iterations_most"] <= 8
    assert counts["not_converged"] == 0


def test_a_step_without_a_solution_ends_the_run_in_its_last_good_state() -> None:
    """z = 1 + h z² has no real solution for h > 1/4."""
    tape = Tape()
    z = tape.symbol("z")
    rate = tape.mul(z, z)
    problem = Problem(Interpreter(lower(tape, [rate], {z: ("x", 0)})), (0, 0, 1))
    newton = Newton(
        problem, Interpreter(lower(tape, jacobian(tape, [rate], [z])[0], {z: ("x", 0)}))
    )
    run = FixedStep(problem, "implicit-euler", [1.0], 0.0, 0.3)
    status, record = run.advance(5)
    assert status == Status.NOT_FINITE
    assert len(record) == 0 and run.x[0] == 1.0
    assert newton.statistics["not_converged"] == 1


def test_a_jacobian_that_misleads_is_renewed() -> None:
    """z + 1000 z³ = 1: at z = 1 the slope is a hundred times that at the solution."""
    tape = Tape()
    z = tape.symbol("z")
    rate = tape.mul(tape.const(-1000.0), tape.mul(z, tape.mul(z, z)))
    problem = Problem(Interpreter(lower(tape, [rate], {z: ("x", 0)})), (0, 0, 1))
    slope = jacobian(tape, [rate], [z])[0]
    newton = Newton(problem, Interpreter(lower(tape, slope, {z: ("x", 0)})))
    x = after(problem, "implicit-euler", [1.0], 1, 1.0)[0]
    assert x + 1000.0 * x**3 == pytest.approx(1.0, abs=1e-8)
    assert newton.statistics["jacobians"] > 1
