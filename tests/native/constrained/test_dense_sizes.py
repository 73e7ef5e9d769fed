"""Small sizes are unrolled: all sizes solve the same equations, and to the same bits."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from touchback.codegen import Compiled, compile_program
from touchback.native import Constrained, ConstrainedFunctions, FixedStep, Status
from touchback.symbolic import Tape, lower

T = 0.7  # s, where rates are looked at
UNROLLED = [(2, 1), (3, 1), (3, 2), (4, 2), (4, 3), (5, 4), (6, 5), (7, 6)]  # freedoms, rank
OTHERS = [(2, 2), (4, 1), (5, 2), (8, 6), (9, 3)]


@dataclass
class Linear:
    """M a = f + Jᵀ λ with h = J q − s t² / 2, of which the leading rows hold velocities only."""

    M: np.ndarray
    J: np.ndarray
    f: np.ndarray
    s: np.ndarray
    nonholonomic: int = 0

    def functions(self) -> ConstrainedFunctions:
        m, n = self.J.shape
        tape = Tape()
        q, t = [tape.symbol(f"q{j}") for j in range(n)], tape.symbol("t")
        places = {node: ("x", j) for j, node in enumerate(q)} | {t: ("u", 0)}

        def constants(values: Sequence[float] | np.ndarray) -> list[int]:
            return [tape.const(float(value)) for value in values]

        h = []
        for i, (row, speed) in enumerate(zip(self.J, self.s)):
            moved = tape.mul(tape.const(-speed / 2), tape.mul(t, t))
            for coefficient, x in zip(constants(row), q):
                moved = tape.add(moved, tape.mul(coefficient, x))
            h.append(0 if i < self.nonholonomic else moved)
        b = [tape.mul(x, t) for x in constants(self.s)]
        rows, columns = np.nonzero(self.J)
        lower_rows, lower_columns = np.nonzero(np.tril(self.M))
        J, M = constants(self.J[rows, columns]), constants(self.M[lower_rows, lower_columns])
        terms = [*h, *b, *constants(-self.s), *J, *M, *constants(self.f)]

        def compiled(outputs: list[int]) -> Compiled:
            return compile_program(lower(tape, outputs, places), "linear")

        return ConstrainedFunctions(
            (n, n, 0),
            [f"row {i}" for i in range(m)],
            compiled(terms),
            compiled([*h, *J]),
            compiled(b),
            None,
            rows,
            columns,
            lower_rows,
            lower_columns,
            np.arange(m) >= self.nonholonomic,
        )

    def accelerations(self) -> tuple[np.ndarray, np.ndarray]:
        """a and λ by NumPy."""
        m, n = self.J.shape
        matrix = np.block([[self.M, -self.J.T], [self.J, np.zeros((m, m))]])
        solution = np.linalg.solve(matrix, np.concatenate([self.f, self.s]))
        return solution[:n], solution[n:]


def linear(n: int, m: int, nonholonomic: int = 0) -> Linear:
    random = np.random.default_rng(100 * n + m)
    root = random.normal(size=(n, n))
    J, f, s = random.normal(size=(m, n)), random.normal(size=n), random.normal(size=m)
    return Linear(root @ root.T + np.eye(n), J, f, s, nonholonomic)


def rate(made: Linear, x: np.ndarray) -> tuple[Constrained, np.ndarray]:
    constrained = Constrained(made.functions(), "partitioning", sparse=False)
    return constrained, constrained.problem().rate(T, x)


def state(n: int) -> np.ndarray:
    """Neither positions nor velocities meet the constraints."""
    return np.random.default_rng(n).normal(size=2 * n)


@pytest.mark.parametrize(("n", "m"), UNROLLED + OTHERS)
def test_every_size_solves_the_equations_of_motion_as_numpy_does(n: int, m: int) -> None:
    made, x = linear(n, m), state(n)
    constrained, found = rate(made, x)
    a, multipliers = made.accelerations()
    independent = [j for j in range(n) if j not in constrained.dependent]
    np.testing.assert_allclose(made.J @ found[:n], made.s * T, rtol=0, atol=1e-11)
    np.testing.assert_array_equal(found[independent], x[n:][independent])
    np.testing.assert_allclose(found[n:], a, rtol=1e-9, atol=1e-10)
    np.testing.assert_allclose(constrained.multipliers, multipliers, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("n", "m"), UNROLLED)
def test_unrolled_sizes_give_the_bits_of_any_size(n: int, m: int) -> None:
    """With further freedoms that nothing ties to the others no size is an unrolled one."""
    made, x = linear(n, m), state(n)
    M = np.eye(n + 8)
    M[:n, :n] = made.M
    J = np.hstack([made.J, np.zeros((m, 8))])
    wide = Linear(M, J, np.append(made.f, np.ones(8)), made.s)
    constrained, found = rate(made, x)
    as_wide, expected = rate(wide, np.concatenate([x[:n], np.zeros(8), x[n:], np.ones(8)]))
    np.testing.assert_array_equal(found, np.append(expected[:n], expected[n + 8 : 2 * n + 8]))
    np.testing.assert_array_equal(constrained.multipliers, as_wide.multipliers)


@pytest.mark.parametrize(("n", "m"), [(3, 2), (5, 4), (8, 6)])
def test_rows_on_velocities_alone_take_no_part_in_positions(n: int, m: int) -> None:
    made, x = linear(n, m, nonholonomic=1), state(n)
    constrained = Constrained(made.functions(), "partitioning", sparse=False)
    settled = constrained.problem().settle(T, x)
    assert np.count_nonzero(settled[:n] != x[:n]) == m - 1
    assert np.count_nonzero(settled[n:] != x[n:]) == m
    steps = FixedStep(constrained.problem(), "rk4", np.zeros(2 * n), 0.0, 1e-2)
    assert steps.advance(70, 70)[0] == Status.REACHED
    a, _ = made.accelerations()  # constant: from rest, Runge–Kutta is exact
    np.testing.assert_allclose(steps.x, np.concatenate([a * T**2 / 2, a * T]), rtol=1e-9, atol=1e-9)


def test_rows_left_out_as_redundant_leave_no_trace() -> None:
    made, x = linear(3, 2), state(3)
    twice = Linear(made.M, np.vstack([made.J, made.J]), made.f, np.tile(made.s, 2))
    constrained, found = rate(twice, x)
    assert len(constrained.redundant) == 2
    np.testing.assert_allclose(found[3:], made.accelerations()[0], rtol=1e-9)
