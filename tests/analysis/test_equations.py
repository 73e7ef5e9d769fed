"""The derivatives of the equations of motion are those of finite differences."""

from typing import Any

import numpy as np
import pytest

from touchback.analysis.system_at_parameters import Instance
from touchback.system.implicit_equations import COLUMNS, ROWS, Point

STEP = 1e-6


@pytest.fixture(scope="module")
def anywhere(free_loop: Any) -> tuple[Instance, Point]:
    """A point that solves nothing: derivatives must hold everywhere."""
    random = np.random.default_rng(4)
    instance = Instance(free_loop, {"voltage": 0.7})
    state = free_loop.initial_state()
    at = Point(
        state.q, random.normal(size=instance.n), np.array([0.4]), instance.u, 0.0,
        random.normal(size=instance.n), random.normal(size=instance.m),
    )  # fmt: skip
    return instance, at


def stacked(instance: Instance, at: Point) -> np.ndarray:
    values = instance.values(at)
    return np.concatenate([values[row] for row in ROWS])


def varied(instance: Instance, at: Point, column: str, i: int, step: float) -> Point:
    name = {"velocity": "v", "state": "z", "input": "u", "acceleration": "a"}.get(column, column)
    if column == "position":
        increment = np.zeros(instance.n)
        increment[i] = step
        return at.moved(q=at.q + instance.increments(at)[0] @ increment)
    name = "multipliers" if column == "multiplier" else name
    moved = getattr(at, name).copy()
    moved[i] += step
    return at.moved(**{name: moved})


@pytest.mark.parametrize("column", COLUMNS[:-1])
def test_slopes_are_finite_differences(anywhere: tuple[Instance, Point], column: str) -> None:
    instance, at = anywhere
    derivatives = instance.derivatives(at)
    exact = np.vstack([derivatives[row, column] for row in ROWS])
    for i in range(exact.shape[1]):
        ahead = stacked(instance, varied(instance, at, column, i, STEP))
        behind = stacked(instance, varied(instance, at, column, i, -STEP))
        # rounding leaves 1e-16 · |values| / step, about 1e-8 for values of 100
        assert np.allclose(exact[:, i], (ahead - behind) / (2 * STEP), rtol=1e-6, atol=1e-7)


def test_parameter_slopes_are_finite_differences(anywhere: tuple[Instance, Point]) -> None:
    instance, at = anywhere
    system = instance.system
    exact = instance.parameter_derivatives(at).matrix
    for i, (name, value) in enumerate(system.parameters.items()):
        ends = [
            stacked(Instance(system, {"voltage": 0.7}, {name: value + side}), at)
            for side in (STEP, -STEP)
        ]
        assert np.allclose(exact[:, i], (ends[0] - ends[1]) / (2 * STEP), rtol=1e-6, atol=1e-7)


def test_increments_of_a_turning_body_turn_against_it(anywhere: tuple[Instance, Point]) -> None:
    """δ̇ = δv − ω × δ for a rotation in body axes."""
    instance, at = anywhere
    turning = instance.increments(at)[1]
    w = at.v[:3]  # of the ball joint, which comes first
    cross = np.array([[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]])
    assert np.allclose(turning[:3, :3], -cross, atol=1e-12)


def test_the_equations_vanish_in_motion(free_loop: Any) -> None:
    state = free_loop.assemble()
    instance = Instance(free_loop)
    at = instance.with_accelerations(instance.point(state))
    values = instance.values(at)
    for row in ("effort", "position", "rate", "acceleration"):
        assert np.abs(values[row]).max() < 1e-10
    assert np.allclose(at.a, free_loop.forward_dynamics(state.q, state.v), rtol=1e-9, atol=1e-9)
