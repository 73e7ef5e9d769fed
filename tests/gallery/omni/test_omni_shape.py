"""Rollers: their profile is the one that rolls the wheel at its height, and no other."""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.spatial.transform import Rotation

import touchback as tb
from touchback.gallery.omni_wheel import WheelShape

SHAPES = [
    WheelShape(1.0, 4, 0.6),
    WheelShape.pointed(1.0, 4),
    WheelShape(1.0, 6, 0.7, 0.4),
    WheelShape.pointed(1.0, 5, 0.3),
    WheelShape(1.0, 9, 0.75, math.pi / 4),
    WheelShape(1.0, 9, 0.75, -math.pi / 4),
]


def heights(shape: WheelShape, q: np.ndarray, angles: np.ndarray) -> np.ndarray:
    """Heights of points of a roller over the floor, where the upright wheel at the height R has
    turned by each of `angles`: (points, angles). Points are given by the profile at q, all round
    the roller's axis."""
    along, rho = shape.profile(q)
    round_ = np.linspace(0, 2 * np.pi, 721)
    ring = np.stack([np.zeros_like(round_), np.cos(round_), np.sin(round_)], axis=1)
    points = along[:, None, None] * np.array([1.0, 0, 0]) + rho[:, None, None] * ring
    turn = Rotation.from_euler("z", shape.inclination).as_matrix()
    from_wheel = points.reshape(-1, 3) @ turn.T + np.array([0, 0, -shape.off])
    up = np.stack([np.sin(angles), 0 * angles, np.cos(angles)])
    return shape.radius + from_wheel @ up


@pytest.mark.parametrize("shape", SHAPES)
def test_each_part_of_a_roller_touches_the_floor_once_and_never_sinks(shape: WheelShape) -> None:
    q = np.linspace(-0.999, 0.999, 41) * shape.half_sector
    angles = np.linspace(-1, 1, 401) * shape.half_sector
    found = heights(shape, q, angles)
    assert found.min() > -1e-14
    lowest = found.reshape(len(q), -1).min(axis=1)  # over all points of a ring, and all angles
    assert lowest.max() < 2e-4  # as finely as rings and angles are sampled


@pytest.mark.parametrize("shape", SHAPES)
def test_the_length_is_where_the_contact_ends(shape: WheelShape) -> None:
    """At the hand-over the lowest point of a roller that goes on to its tip, found by a search,
    lies L/2 from the middle: R cos ψ sin α + R₁ tan α sin²ψ/cos ψ."""
    alpha, psi, R, R1 = shape.half_sector, shape.inclination, shape.radius, shape.off
    tip, lean = math.acos(min(R1 / R, 1.0)), math.sin(alpha) * math.cos(psi)

    def height(q: float) -> float:
        along, rho = shape.profile(q)
        return float(along * lean - rho * math.sqrt(1 - lean**2))

    q = minimize_scalar(height, bounds=(-tip, tip), method="bounded", options={"xatol": 1e-9}).x
    general = R * math.cos(psi) * math.sin(alpha)
    general += R1 * math.tan(alpha) * math.sin(psi) ** 2 / math.cos(psi)
    assert -float(shape.profile(q)[0]) == pytest.approx(general, rel=1e-6)
    assert shape.length / 2 == pytest.approx(general, rel=1e-14)


@pytest.mark.parametrize("psi", [0.0, 0.3, -0.6])
def test_kosenkos_length_is_that_of_pointed_rollers_only(psi: float) -> None:
    pointed = WheelShape.pointed(1.0, 5, psi)
    kosenko = 2 * math.sin(pointed.half_sector) / math.cos(psi)
    assert pointed.length == pytest.approx(kosenko, rel=1e-14)
    assert float(pointed.profile(pointed.half_sector)[1]) == pytest.approx(0.0, abs=1e-15)
    truncated = WheelShape(1.0, 5, 0.7, psi)
    assert (truncated.length == pytest.approx(kosenko, rel=1e-6)) == (psi == 0.0)


def test_a_straight_roller_weighs_what_its_arc_encloses() -> None:
    shape = WheelShape(1.0, 6, 0.8)
    end = math.sin(shape.half_sector)

    def rho(x: float) -> float:
        return math.sqrt(1 - x**2) - 0.8

    mass = 1100 * math.pi * quad(lambda x: rho(x) ** 2, -end, end)[0]
    along = 1100 * math.pi / 2 * quad(lambda x: rho(x) ** 4, -end, end)[0]
    square = 1100 * math.pi * quad(lambda x: rho(x) ** 2 * x**2, -end, end)[0]
    found = shape.roller_inertia(1100.0)
    np.testing.assert_allclose(found, (mass, along, along / 2 + square), rtol=1e-8)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((1.0, 4, 0.8), r"R cos\(π/n\) = 0.707107 m, where rollers are pointed"),
        ((1.0, 2, 0.1), "2 roller"),
        ((1.0, 6.5, 0.1), "6.5 rollers; give a whole number, 3 or more"),
        ((1.0, "6", 0.1), "'6' rollers; give a whole number"),
        ((1.0, True, 0.1), "True rollers; give a whole number"),
        ((1.0, 6, 0.5, 1.6), r"its inclination is 1\.6 rad"),
        ((1.0, 6, 0.5, math.pi / 2), "within ±π/2, where a roller's axis would be the wheel's own"),
        ((1.0, 6, 0.5, math.nan), "inclination: nan is not a finite number"),
        ((-0.05, 6, 0.04), r"its radius is -0\.05; give a positive number"),
        ((0.0, 6, 0.04), "its radius is 0"),
        ((math.inf, 6, 0.04), "radius: inf is not a finite number"),
        ((0.05, 6, -0.04), r"its off is -0\.04; give a positive number"),
    ],
)
def test_shapes_that_cannot_be_are_refused_with_their_numbers(numbers: tuple, words: str) -> None:
    with pytest.raises(tb.ModelError, match=words):
        WheelShape(*numbers)


@pytest.mark.parametrize("rollers", [0, 1, 2, -3])
def test_pointed_rollers_are_counted_first(rollers: int) -> None:
    with pytest.raises(tb.ModelError, match=f"{rollers} roller.* can't go round a wheel"):
        WheelShape.pointed(0.05, rollers)


def test_turned_is_the_angle_on_the_roller_in_contact() -> None:
    shape = WheelShape(1.0, 5, 0.6, 0.3)
    alpha = shape.half_sector
    found = shape.turned(np.array([0.0, 0.9, 1.1, 4.2, -1.1, 21.9]) * alpha)
    np.testing.assert_allclose(found, np.array([0, 0.9, -0.9, 0.2, 0.9, -0.1]) * alpha, atol=1e-14)
