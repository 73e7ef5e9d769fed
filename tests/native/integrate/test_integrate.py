"""The integrators in C: they follow closed forms, can be taken in chunks, and stop at a NaN."""

import math

import numpy as np
import pytest

from touchback.native import Dopri5, FixedStep, Interpreter, Problem, SampledInputs, Status
from touchback.symbolic import Tape, lower


def oscillator() -> Problem:
    """q̈ = −q: from (1, 0) the solution is (cos t, −sin t)."""
    tape = Tape()
    q, v = tape.symbol("q"), tape.symbol("v")
    program = lower(tape, [v, -q], {q: ("x", 0), v: ("x", 1)})
    return Problem(Interpreter(program), (1, 1, 0))


def driven(**arguments: object) -> Problem:
    """ż = u: the state is the integral of the input."""
    tape = Tape()
    u = tape.symbol("u")
    program = lower(tape, [u], {u: ("u", 1)})
    return Problem(Interpreter(program), (0, 0, 1), u=[0.0, 0.0], **arguments)  # type: ignore[arg-type]


def root() -> Problem:
    """ẋ = −1/(2x): x = √(1 − t) ends at t = 1; beyond it the rate 1/√(…) isn't a number."""
    tape = Tape()
    z = tape.symbol("z")
    rate = tape.mul(tape.const(-0.5), tape.div(1, tape.sqrt(tape.mul(z, tape.abs(z)))))
    return Problem(Interpreter(lower(tape, [rate], {z: ("x", 0)})), (0, 0, 1))


@pytest.mark.parametrize(("method", "order"), [("rk4", 4), ("euler", 1)])
def test_fixed_step_errors_fall_with_the_order_of_the_method(method: str, order: int) -> None:
    errors = []
    for steps in (200, 400):
        run = FixedStep(oscillator(), method, [1.0, 0.0], 0.0, 2.0 / steps)
        status, record = run.advance(steps, steps)
        assert status == Status.REACHED
        errors.append(np.abs(record[-1] - [math.cos(2), -math.sin(2)]).max())
    assert math.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.1)


def test_semi_implicit_euler_keeps_the_modified_energy_of_an_oscillator() -> None:
    """q² + v² − h q v is conserved exactly (Hairer, Lubich, Wanner 2006, I.1)."""
    h = 0.1
    run = FixedStep(oscillator(), "euler", [1.0, 0.0], 0.0, h)
    _, record = run.advance(10_000, 1)
    q, v = record.T
    np.testing.assert_allclose(q**2 + v**2 - h * q * v, 1.0, rtol=1e-11)


def test_semi_implicit_euler_uses_the_configuration_rate_it_is_given() -> None:
    """With q̇ = 2 v and v̇ = 1 one step of h = 0.5 from rest gives v = 0.5 and q = 0.5·2·0.5."""
    tape = Tape()
    v = tape.symbol("v")
    twice = Interpreter(lower(tape, [tape.mul(tape.const(2.0), v)], {v: ("x", 1)}))
    rate = Interpreter(lower(tape, [0, 1], {}))
    problem = Problem(rate, (1, 1, 0), configuration_rate=twice)
    run = FixedStep(problem, "euler", [0.0, 0.0], 0.0, 0.5)
    _, record = run.advance(1)
    np.testing.assert_array_equal(record, [[0.5, 0.5]])


@pytest.mark.parametrize("method", ["rk4", "euler"])
def test_chunks_give_the_bits_of_one_long_run(method: str) -> None:
    whole = FixedStep(oscillator(), method, [1.0, 0.0], 0.0, 0.01)
    _, expected = whole.advance(100, 7)
    chunked = FixedStep(oscillator(), method, [1.0, 0.0], 0.0, 0.01)
    rows = np.vstack([chunked.advance(count, 7)[1] for count in (3, 40, 1, 56)])
    np.testing.assert_array_equal(rows, expected)
    assert len(rows) == 100 // 7


def test_dopri5_in_chunks_gives_the_bits_of_one_long_run() -> None:
    times = np.linspace(0.1, 10.0, 100)
    whole = Dopri5(oscillator(), [1.0, 0.0], 0.0, 10.0, times)
    assert whole.advance(10**6) == Status.REACHED
    chunked = Dopri5(oscillator(), [1.0, 0.0], 0.0, 10.0, times)
    while chunked.advance(3) == Status.PAUSED:
        pass
    np.testing.assert_array_equal(chunked.record, whole.record)
    assert chunked.statistics == whole.statistics
    assert whole.t == 10.0


def test_dopri5_errors_follow_the_tolerance() -> None:
    times = np.linspace(0.0, 10.0, 1001)
    for rtol in (1e-5, 1e-8, 1e-11):
        run = Dopri5(oscillator(), [1.0, 0.0], 0.0, 10.0, times, rtol=rtol, atol=rtol)
        run.advance(10**6)
        error = np.abs(run.record - np.column_stack([np.cos(times), -np.sin(times)])).max()
        # Local errors of size rtol add up over the run; the controller aims a little below.
        assert error < 100 * rtol


def fixed_dopri5_error(steps: int, fractions: np.ndarray) -> float:
    """Largest error at fractions of a step: a loose tolerance makes max_step the step."""
    h = 2.0 / steps
    times = (np.arange(steps)[:, None] + fractions).ravel() * h
    run = Dopri5(oscillator(), [1.0, 0.0], 0.0, 2.0, times, rtol=1e6, atol=1e6, max_step=h)
    run._record.struct.h = h
    assert run.advance(10**6) == Status.REACHED
    assert run.statistics["accepted"] == steps
    return float(np.abs(run.record - np.column_stack([np.cos(times), -np.sin(times)])).max())


def test_dopri5_is_of_order_five_at_steps_and_its_dense_output_of_order_four() -> None:
    at_steps = [fixed_dopri5_error(steps, np.array([1.0])) for steps in (40, 80)]
    between = [fixed_dopri5_error(steps, np.array([0.25, 0.5, 0.75])) for steps in (40, 80)]
    assert math.log2(at_steps[0] / at_steps[1]) == pytest.approx(5, abs=0.2)
    # Order four: a local error of h⁵, so the ratio lies between 4 and 5 with a fifth-order base.
    assert 3.9 < math.log2(between[0] / between[1]) < 5.2
    assert between[1] < 20 * at_steps[1]


def test_dopri5_keeps_to_the_longest_step_allowed() -> None:
    run = Dopri5(oscillator(), [1.0, 0.0], 0.0, 1.0, [1.0], rtol=1e-2, max_step=0.01)
    run.advance(10**6)
    assert run.statistics["accepted"] >= 100


def test_dopri5_stops_at_its_step_limit() -> None:
    run = Dopri5(oscillator(), [1.0, 0.0], 0.0, 1e6, [1e6], step_limit=50)
    assert run.advance(10**6) == Status.STEP_LIMIT
    assert run.statistics["accepted"] + run.statistics["rejected"] == 50


def test_dopri5_stops_where_the_solution_ends_and_keeps_what_it_recorded() -> None:
    times = np.linspace(0.0, 2.0, 201)
    run = Dopri5(root(), [1.0], 0.0, 2.0, times)
    assert run.advance(10**6) in (Status.NOT_FINITE, Status.STEP_TOO_SMALL)
    assert run.t == pytest.approx(1.0, abs=1e-6)
    assert run.written >= 99
    kept = slice(0, 90)
    np.testing.assert_allclose(run.record[kept, 0], np.sqrt(1 - times[kept]), rtol=1e-6)


def test_a_fixed_step_run_stops_before_a_nan_and_names_the_component() -> None:
    run = FixedStep(root(), "rk4", [1.0], 0.0, 0.01)
    status, record = run.advance(200)
    assert status == Status.NOT_FINITE
    assert run.bad == 0
    assert len(record) == run.steps < 200
    assert np.isfinite(record).all()
    assert run.x == record[-1]


def test_sampled_inputs_are_linear_between_samples_and_held_beyond() -> None:
    """The integral of the polygon (0,0) (1,2) and then 2: t² up to 1, then 1 + 2 (t − 1)."""
    problem = driven(inputs=SampledInputs({1: ([0.0, 1.0], [0.0, 2.0])}))
    run = FixedStep(problem, "rk4", [0.0], 0.0, 0.125)
    _, record = run.advance(16, 8)
    np.testing.assert_allclose(record[:, 0], [1.0, 3.0], rtol=1e-14)
    rows = problem.input_rows([0.5, 3.0], np.zeros((2, 1)))
    np.testing.assert_array_equal(rows, [[0.5, 1.0], [3.0, 2.0]])


def test_a_python_input_sees_the_time_and_the_state() -> None:
    seen: list[tuple[float, float]] = []

    def follow(t: float, x: np.ndarray, u: np.ndarray) -> None:
        seen.append((t, float(x[0])))
        u[1] = 1.0

    run = FixedStep(driven(inputs=follow), "rk4", [5.0], 0.0, 0.5)
    run.advance(1)
    assert seen == [(0.0, 5.0), (0.25, 5.25), (0.25, 5.25), (0.5, 5.5)]


def test_an_input_that_raises_ends_the_chunk_and_is_kept() -> None:
    def fail(t: float, x: np.ndarray, u: np.ndarray) -> None:
        if t > 1.0:
            raise ValueError("no more input")

    problem = driven(inputs=fail)
    run = FixedStep(problem, "rk4", [0.0], 0.0, 0.25)
    status, record = run.advance(100)
    assert status == Status.NOT_FINITE
    assert len(record) == 4
    assert isinstance(problem.raised, ValueError)
