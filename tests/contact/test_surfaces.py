"""Surfaces: derivatives against differences, profiles against what they are made for."""

import math

import numpy as np
import pytest

import touchback as tb
from touchback.contact.surfaces import (
    Ball,
    Barrel,
    Ellipsoid,
    FormulaSurface,
    Pipe,
    Plane,
    Roller,
    Surface,
    Torus,
    refined,
    shape_at,
)
from touchback.symbolic.scalars import Operators

K = Operators()
SURFACES = [
    Plane(),
    Ball(0.7),
    Pipe(0.4),
    Ellipsoid(0.5, 1.2, 0.8),
    Torus(1.0, 0.3),
    Barrel(1.0, 0.6),
    Roller(1.0, 0.6, 0.5),
    FormulaSurface("x**4 + y**2/0.25 + exp(z) - 2"),
]


def settled(surface: Surface, r: np.ndarray) -> float:
    """The hidden coordinate at a point."""
    w = 0.1
    for _ in range(30):
        w = refined(surface, K, float, r.tolist(), w)
    return w


def level(surface: Surface, r: np.ndarray) -> float:
    return float(shape_at(surface, K, float, r.tolist(), settled(surface, r)).f)


@pytest.mark.parametrize("surface", SURFACES, ids=lambda s: type(s).__name__)
def test_gradients_and_hessians_are_those_of_differences(surface: Surface) -> None:
    rng = np.random.default_rng(3)
    for _ in range(5):
        r, h = rng.uniform(0.1, 0.5, 3), 1e-4
        shape = shape_at(surface, K, float, r.tolist(), settled(surface, r))
        steps = h * np.eye(3)
        slopes = [(level(surface, r + s) - level(surface, r - s)) / (2 * h) for s in steps]
        np.testing.assert_allclose(np.array(shape.gradient, float), slopes, atol=1e-6)
        for i, s in enumerate(steps):
            ends = [
                np.array(
                    shape_at(surface, K, float, x.tolist(), settled(surface, x)).gradient, float
                )
                for x in (r + s, r - s)
            ]
            np.testing.assert_allclose(
                np.array(shape.hessian, float)[i], (ends[0] - ends[1]) / (2 * h), atol=1e-5
            )


def test_a_roller_that_is_not_inclined_is_a_barrel() -> None:
    for x in np.linspace(-0.5, 0.5, 11):
        rho = math.sqrt(1.0 - x**2) - 0.6
        assert level(Roller(1.0, 0.6), np.array([x, rho, 0.0])) == pytest.approx(0.0, abs=1e-15)
        assert level(Barrel(1.0, 0.6), np.array([x, 0.0, rho])) == pytest.approx(0.0, abs=1e-15)


def test_what_is_no_length_or_no_surface_is_refused() -> None:
    with pytest.raises(tb.ModelError, match=r"Ball: its radius is -1.0 m; it must be positive"):
        Ball(-1.0)
    with pytest.raises(tb.ModelError, match="uses none of x, y and z"):
        FormulaSurface("2*3")
    with pytest.raises(tb.ModelError, match="there is no name 'b'"):
        FormulaSurface("x*b")
    with pytest.raises(tb.ModelError, match="Ball: radius: a number or an expression is expected"):
        Ball("big")  # type: ignore[arg-type]
    with pytest.raises(tb.ModelError, match=r"Barrel: its off is 0.2 m and its radius 0.1 m"):
        Barrel(0.1, 0.2)
    with pytest.raises(tb.ModelError, match=r"Roller: its off is 0.1 m and its radius 0.1 m"):
        Roller(0.1, 0.1)
    with pytest.raises(tb.ModelError, match=r"Roller: its inclination is 2.0 rad; it must"):
        Roller(0.1, 0.05, 2.0)
