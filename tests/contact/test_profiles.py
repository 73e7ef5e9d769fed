"""Nearest points of planar profiles against a search over their sampled surfaces."""

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import touchback as tb
from touchback.contact.planar_profiles import Profile
from touchback.dynamics.numeric_instant import float_instant

REACH = 8.0  # how far walls without an end are sampled


def line_surface(length: float, n: int) -> np.ndarray:
    """x, z along a wall up, the face, and the other wall down."""
    deep, along = np.linspace(0, REACH, n), np.linspace(0, length, n)
    zero = np.zeros(n)
    return np.vstack([
        np.column_stack([zero, -deep]),
        np.column_stack([along, zero]),
        np.column_stack([zero + length, -deep]),
    ])  # fmt: skip


def arc_surface(radius: float, start: float, end: float, hollow: bool, n: int) -> np.ndarray:
    """The arc and the radii at its ends, which go in to the centre or out from it."""
    angles = np.linspace(start, end, n)
    along = np.linspace(radius, radius + REACH, n) if hollow else np.linspace(0, radius, n)
    walls = [along[:, None] * (math.cos(a), math.sin(a)) for a in (start, end)]
    return np.vstack([radius * np.column_stack([np.cos(angles), np.sin(angles)]), *walls])


def in_line(p: np.ndarray, length: float) -> bool:
    return bool(0 <= p[0] <= length and p[1] <= 0)


def in_arc(p: np.ndarray, radius: float, start: float, end: float, hollow: bool) -> bool:
    turned = (math.atan2(p[1], p[0]) - start) % (2 * math.pi)
    inside = np.hypot(*p) <= radius
    return bool(turned <= end - start and inside != hollow)


def nearest_of(profile: Profile, p: np.ndarray) -> tuple[float, np.ndarray]:
    """Signed distance and normal (x, z) of a point in the x-z plane of the ground."""
    m = tb.Model("plane")
    instant = float_instant(m)
    found = profile.nearest(instant, [p[0], 0.0, p[1]])
    normal = np.array(found.normal, dtype=float)
    assert normal[1] == 0.0
    return float(found.distance), normal[[0, 2]]


def check(profile: Profile, surface: np.ndarray, inside: bool, p: np.ndarray, step: float) -> None:
    """Distance, sign and direction agree with the nearest sample, as well as samples can tell."""
    distance, normal = nearest_of(profile, p)
    apart = np.hypot(*(surface - p).T)
    sampled = float(apart.min())
    assert abs(distance) <= sampled + 1e-12
    assert sampled <= abs(distance) + step
    assert np.hypot(*normal) == pytest.approx(1.0, abs=1e-12)
    if sampled > 2 * step:
        assert (distance < 0) == inside
        foot = p - distance * normal  # lies on the surface
        assert np.hypot(*(surface - foot).T).min() <= step


places = st.floats(-2.5, 2.5, allow_subnormal=False)
N = 4000


@given(places, places, st.floats(0.2, 2.0), st.floats(0.1, 2.0))
def test_plates_are_as_far_as_a_search_says(
    x: float, z: float, length: float, thickness: float
) -> None:
    p = np.array([x, z])
    plate = tb.contact.Line(tb.Frame("ground"), length, thickness)
    low, high = np.zeros(2), np.array([length, 0.0])
    corners = [low, high, high - (0, thickness), low - (0, thickness), low]
    t = np.linspace(0, 1, N)[:, None]
    surface = np.vstack([a + t * (b - a) for a, b in pairwise(corners)])
    check(plate, surface, in_line(p, length) and p[1] >= -thickness, p, 2.0 / N)


@given(places, places, st.floats(0.2, 2.0))
def test_lines_are_as_far_as_a_search_says(x: float, z: float, length: float) -> None:
    p = np.array([x, z])
    line = tb.contact.Line(tb.Frame("ground"), length)
    check(line, line_surface(length, N), in_line(p, length), p, REACH / N)


@given(
    places, places, st.floats(0.3, 1.5), st.floats(-3.0, 3.0), st.floats(0.1, 6.1), st.booleans()
)
def test_arcs_are_as_far_as_a_search_says(
    x: float, z: float, radius: float, start: float, opening: float, hollow: bool
) -> None:
    assume(math.hypot(x, z) > 1e-9)  # the centre is as far from all of the arc: it has no direction
    p, end = np.array([x, z]), start + opening
    arc = tb.contact.Arc(tb.Frame("ground"), radius, start, end, hollow)
    surface = arc_surface(radius, start, end, hollow, N)
    check(arc, surface, in_arc(p, radius, start, end, hollow), p, (REACH + 7 * radius) / N)


@given(places, places, st.floats(0.1, 1.5))
def test_circles_are_as_far_as_their_centres_less_their_radius(
    x: float, z: float, radius: float
) -> None:
    distance, _ = nearest_of(
        tb.contact.Circle(tb.Frame("ground", (0.5, 3.0, -0.2)), radius), [x, z]
    )
    assert distance == pytest.approx(math.hypot(x - 0.5, z + 0.2) - radius, abs=1e-14)


PROFILES: dict[str, Callable[[], Profile]] = {
    "line": lambda: tb.contact.Line(tb.Frame("ground"), 1.0),
    "plate": lambda: tb.contact.Line(tb.Frame("ground"), 1.0, 0.3),
    "arc": lambda: tb.contact.Arc(tb.Frame("ground"), 0.8, 0.3, 2.0),
    "trough": lambda: tb.contact.Arc(tb.Frame("ground"), 0.8, 3.5, 5.9, hollow=True),
    "mouth": lambda: tb.contact.Arc(tb.Frame("ground"), 0.8, 0.4, 5.9),
    "outline": lambda: tb.contact.Outline([
        tb.contact.Line(tb.Frame("ground"), 1.0),
        tb.contact.Line(tb.Frame("ground", (1.0, 0.0, 0.0), (("y", 0.9),)), 0.7),
        tb.contact.Arc(tb.Frame("ground", (-0.5, 0.0, 0.0)), 0.5, 0.2, 2.2),
    ]),
}  # fmt: skip


@pytest.mark.parametrize("kind", PROFILES)
def test_gaps_never_change_faster_than_the_point_moves(kind: str) -> None:
    """Distances are Lipschitz with the constant 1: no jump at any corner, inside or out."""
    profile = PROFILES[kind]()
    n, h = 121, 2.4 / 120
    grid = np.linspace(-1.2, 1.2, n)
    x, z = np.meshgrid(grid, grid, indexing="ij")
    instant = float_instant(tb.Model("plane"))
    found = profile.nearest(instant, [x.ravel(), 0, z.ravel()])
    distance = np.asarray(found.distance).reshape(n, n)
    assert np.isfinite(distance).all()
    for axis in (0, 1):
        assert np.abs(np.diff(distance, axis=axis)).max() <= h * (1 + 1e-9)
    # and the normal is the slope of the distance wherever the nearest point is unique
    slope = np.gradient(distance, h)
    normal = [np.asarray(c).reshape(n, n) for c in (found.normal[0], found.normal[2])]
    off = np.hypot(slope[0] - normal[0], slope[1] - normal[1])
    assert np.mean(off[2:-2, 2:-2] < 0.1) > 0.95


def test_an_outline_is_as_near_as_its_nearest_part() -> None:
    outline = PROFILES["outline"]()
    rng = np.random.default_rng(4)
    for p in rng.uniform(-1.5, 1.5, (60, 2)):
        parts = [nearest_of(part, p) for part in outline.parts]  # type: ignore[attr-defined]
        distance, normal = nearest_of(outline, p)
        best = min(parts, key=lambda found: found[0])
        assert distance == best[0]
        np.testing.assert_array_equal(normal, best[1])


def test_corners_centres_and_walls_have_a_direction() -> None:
    """Where nearest points are not unique, one is taken: never NaN."""
    line, arc = PROFILES["line"](), PROFILES["arc"]()
    trough = PROFILES["trough"]()
    awkward = [(0, 0), (1, 0), (0, -0.3), (1, -0.3), (0.5, -0.5), (0.5, 0)]
    cases = [(line, p) for p in awkward]
    cases += [(arc, (0, 0)), (arc, (0.8 * math.cos(0.3), 0.8 * math.sin(0.3)))]
    cases += [(trough, (0, 0)), (tb.contact.Circle(tb.Frame("ground"), 0.1), (0, 0))]
    for profile, p in cases:
        distance, normal = nearest_of(profile, np.array(p, dtype=float))
        assert math.isfinite(distance)
        assert np.hypot(*normal) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("radius", [0.0, -0.1, math.nan])
def test_an_arc_without_a_radius_is_refused(radius: float) -> None:
    frame = tb.Model("ground").ground.at(0, 0, 0)
    with pytest.raises(tb.ModelError, match=r"Arc.*radius"):
        tb.contact.Arc(frame, radius=radius, start=0.0, end=1.0)
