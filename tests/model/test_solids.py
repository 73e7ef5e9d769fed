"""What of a solid is below a plane: volume, first moment and ∫ depth, against independent sums."""

import numpy as np
import pytest

import touchback as tb
from touchback.model.solids import AnySolid, SubmergedPart
from touchback.symbolic.scalars import Operators

SOLIDS = {
    "sphere": tb.Sphere(0.7),
    "ellipsoid": tb.Ellipsoid((0.5, 0.8, 1.1)),
    "box": tb.Box((1.0, 0.6, 1.7)),
    "cylinder": tb.Cylinder(0.5, 1.4),
}
HALVES = {"sphere": (0.7,) * 3, "ellipsoid": (0.5, 0.8, 1.1), "box": (0.5, 0.3, 0.85),
          "cylinder": (0.5, 0.5, 0.7)}  # fmt: skip
UPS = [(0, 0, 1), (0, 0, -1), (1, 0, 0), (0, 1e-9, 1), (1, 0, 1e-5), (1, 0, 0.02), (3, -2, 1),
       (-1, 1, -1)]  # fmt: skip


def wet_of(solid: AnySolid, up: np.ndarray, depth: float) -> SubmergedPart:
    k = Operators()
    found = solid.wet(k, lambda x: k.const(float(x)), [float(x) for x in up], depth)
    return SubmergedPart(
        float(found.volume), np.array(found.moment, dtype=float), float(found.depth)
    )


def summed(name: str, up: np.ndarray, depth: float, count: int = 110) -> SubmergedPart:
    """The same by Gauss's rule along x and y; along z the wet part of each column is known."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    a, b, c = HALVES[name]
    x = a * nodes[:, None]
    wide = np.full_like(x, b) if name == "box" else b * np.sqrt(1 - (x / a) ** 2)
    y = wide * nodes[None, :]
    area = a * weights[:, None] * wide * weights[None, :]
    end = np.full(y.shape, c)
    if name in ("sphere", "ellipsoid"):
        end = c * np.sqrt(np.maximum(1 - (x / a) ** 2 - (y / b) ** 2, 0.0))
    flat, uz = depth - up[0] * x - up[1] * y, up[2]
    with np.errstate(divide="ignore", invalid="ignore"):
        cut = np.where(uz == 0.0, np.where(flat > 0, np.inf, -np.inf), flat / uz)
    low = np.clip(np.where(uz >= 0, -end, cut), -end, end)
    high = np.clip(np.where(uz >= 0, cut, end), -end, end)
    length, first = high - low, 0.5 * (high**2 - low**2)
    volume = float((area * length).sum())
    moment = np.array([(area * x * length).sum(), (area * y * length).sum(), (area * first).sum()])
    return SubmergedPart(volume, moment, float((area * (flat * length - uz * first)).sum()))


@pytest.mark.parametrize("name", SOLIDS)
@pytest.mark.parametrize("up", UPS)
def test_what_is_wet_agrees_with_a_sum_over_columns(name: str, up: tuple[float, ...]) -> None:
    """The sum errs where the wet length of columns is not smooth, most where it jumps."""
    n = np.array(up, dtype=float) / np.linalg.norm(up)
    steep = abs(n[2]) < 1e-3
    for depth in (-2.0, -0.31, 0.0, 0.17, 0.42, 2.0):
        found, expected = wet_of(SOLIDS[name], n, depth), summed(name, n, depth)
        assert found.volume == pytest.approx(expected.volume, abs=1.5e-2 if steep else 2e-3)
        assert found.moment == pytest.approx(expected.moment, abs=1e-2 if steep else 1e-3)
        assert found.depth == pytest.approx(expected.depth, abs=2e-4)


@pytest.mark.parametrize("name", SOLIDS)
@pytest.mark.parametrize("up", UPS)
def test_the_volume_is_how_the_energy_grows_with_the_depth(
    name: str, up: tuple[float, ...]
) -> None:
    """∂/∂δ ∫ depth dV = V and ∂/∂up = −∫ r dV: central differences of step h err by h²."""
    n, h = np.array(up, dtype=float) / np.linalg.norm(up), 1e-4
    for depth in (-0.31, 0.0, 0.17):
        found = wet_of(SOLIDS[name], n, depth)
        ahead, behind = (wet_of(SOLIDS[name], n, depth + s * h).depth for s in (1, -1))
        assert found.volume == pytest.approx((ahead - behind) / (2 * h), abs=1e-4)
        for axis in range(3):
            side = np.cross(np.eye(3)[axis], n)  # a turn about the axis
            plus, minus = (
                wet_of(SOLIDS[name], (n + s * h * side) / np.sqrt(1 + h**2 * side @ side), depth)
                for s in (1, -1)
            )
            slope = (plus.depth - minus.depth) / (2 * h)
            assert -found.moment @ side == pytest.approx(slope, abs=1e-4)


@pytest.mark.parametrize("name", SOLIDS)
def test_all_of_it_is_wet_below_and_nothing_above(name: str) -> None:
    k = Operators()
    volume = SOLIDS[name].volume(k, lambda x: k.const(float(x)))
    n = np.array([0.6, 0.0, 0.8])
    below, above = wet_of(SOLIDS[name], n, 3.0), wet_of(SOLIDS[name], n, -3.0)
    assert below.volume == pytest.approx(volume, rel=1e-14)
    assert below.moment == pytest.approx(np.zeros(3), abs=1e-14)
    assert below.depth == pytest.approx(3.0 * volume, rel=1e-14)
    assert above.volume == above.depth == 0.0
    assert not above.moment.any()


def test_a_half_immersed_box_and_cylinder_have_their_textbook_centres() -> None:
    box = wet_of(SOLIDS["box"], np.array([0, 0, 1.0]), -0.25)  # 0.6 m of 1.7 m are wet
    assert box.volume == pytest.approx(0.6 * 0.6, rel=1e-14)
    assert box.moment == pytest.approx([0, 0, -0.36 * 0.55], rel=1e-13)
    lying = wet_of(SOLIDS["cylinder"], np.array([0, 1.0, 0]), 0.0)
    half = np.pi * 0.25 / 2 * 1.4
    assert lying.volume == pytest.approx(half, rel=1e-14)
    assert lying.moment == pytest.approx([0, -half * 4 * 0.5 / (3 * np.pi), 0], rel=1e-13)


def test_a_sphere_carries_half_its_volume_along_and_a_needle_the_more_across() -> None:
    masses, moments = tb.Sphere(0.3).added() or ((), ())
    assert masses == pytest.approx((0.5, 0.5, 0.5), rel=1e-14)
    assert moments == (0.0, 0.0, 0.0)
    # Lamb §114: a prolate spheroid of eccentricity e in elementary functions
    masses, moments = tb.Ellipsoid((2.0, 1.0, 1.0)).added() or ((), ())
    e2, e = 0.75, np.sqrt(0.75)
    log = np.log((1 + e) / (1 - e))
    a, b = 2 * (1 - e2) / e**3 * (log / 2 - e), 1 / e2 - (1 - e2) / (2 * e**3) * log
    assert masses == pytest.approx((a / (2 - a), b / (2 - b), b / (2 - b)), rel=1e-12)
    turned = e2**2 * (b - a) / ((2 - e2) * (2 * e2 - (2 - e2) * (b - a)))  # of that of the fluid
    assert moments == pytest.approx((0.0, turned, turned), rel=1e-12)  # (a² + b²)/5 = 1 m²
