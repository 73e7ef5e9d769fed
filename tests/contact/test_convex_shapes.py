"""Distances of convex shapes: closed forms, another engine (coal, where flat shapes are exact), and
the largest distance of two planes across a direction by brute force."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize
from scipy.spatial.transform import Rotation

import touchback as tb
from touchback import contact
from touchback.contact import Cone, Convex, ConvexHull, HalfSpace, proximity
from touchback.errors import InputError

Floats = np.ndarray
KINDS = ("sphere", "capsule", "box", "cylinder", "cone", "ellipsoid", "hull")
EPS = np.finfo(float).eps


def some(kind: str, rng: np.random.Generator, size: float = 1.0) -> Convex:
    a, b, c = (float(x) for x in size * np.exp(0.7 * rng.normal(size=3)))
    if kind == "sphere":
        return tb.Sphere(a)
    if kind == "capsule":
        return tb.Capsule(a, b)
    if kind == "box":
        return tb.Box((a, b, c))
    if kind == "cylinder":
        return tb.Cylinder(a, b)
    if kind == "cone":
        return Cone(a, b)
    if kind == "ellipsoid":
        return tb.Ellipsoid((a, b, c))
    return ConvexHull(size * rng.normal(size=(20, 3)))


def support(shape: Convex, n: Floats) -> Floats:
    """The farthest points along unit directions (N, 3), as geometry books have them."""
    ends = np.where(n < 0.0, -1.0, 1.0)
    across = np.hypot(n[:, 0], n[:, 1])[:, None]
    if isinstance(shape, tb.Sphere):
        return float(shape.radius) * n
    if isinstance(shape, tb.Capsule):
        return float(shape.radius) * n + ends * (0.0, 0.0, 0.5 * float(shape.length))
    if isinstance(shape, tb.Box):
        return 0.5 * ends * np.array(shape.size, dtype=float)
    if isinstance(shape, tb.Ellipsoid):
        halves = np.array(shape.halves, dtype=float)
        scaled = n * halves
        return scaled * halves / np.linalg.norm(scaled, axis=1)[:, None]
    if isinstance(shape, ConvexHull):
        return shape.points[np.argmax(n @ shape.points.T, axis=1)]
    assert isinstance(shape, tb.Cylinder | Cone)
    rim = float(shape.radius) * np.hstack([n[:, :2] / across, 0.0 * across])
    if isinstance(shape, tb.Cylinder):
        return rim + ends * (0.0, 0.0, 0.5 * float(shape.length))
    half = np.array([0.0, 0.0, 0.5 * shape.height])
    apex = np.broadcast_to(half, n.shape)
    higher = ((apex - rim + half) * n).sum(axis=1)[:, None] > 0.0
    return np.where(higher, apex, rim - half)


def between_planes(
    n: Floats, a: Convex, b: Convex, A: Floats, B: Floats, p: Floats, q: Floats
) -> Floats:
    """How far apart the planes across n are that both shapes lean on: never more than the
    distance, whatever n, and as much for the best n."""
    ends = support(b, -n @ B) @ B.T + q - support(a, n @ A) @ A.T - p
    return np.asarray((ends * n).sum(axis=1))


def test_two_balls_are_apart_by_their_centres_less_radii() -> None:
    found = proximity(tb.Sphere(0.1), tb.Sphere(0.2), second_at=[(0.0, 0.0, 1.0), (0.0, 0.2, 0.0)])
    assert found.distance == pytest.approx([0.7, -0.1], abs=1e-15)
    assert found.normal == pytest.approx(np.array([(0, 0, 1), (0, 1, 0)]), abs=1e-15)
    assert found.first == pytest.approx(np.array([(0, 0, 0.1), (0, 0.1, 0)]), abs=1e-15)
    assert found.second == pytest.approx(np.array([(0, 0, 0.8), (0, 0, 0)]), abs=1e-15)


@pytest.mark.parametrize(
    ("shape", "depth"),
    [
        (tb.Box((1.0, 2.0, 3.0)), 0.5), (tb.Cylinder(0.3, 1.0), 0.3), (tb.Cylinder(2.0, 1.0), 0.5),
        (Cone(0.4, 5.0), 2.5 * 0.4 / math.hypot(0.4, 5.0)),
        (Cone(4.0, 0.2), 0.1 * 4.0 / math.hypot(4.0, 0.2)),
        (tb.Ellipsoid((0.7, 0.4, 0.9)), 0.4), (tb.Capsule(0.2, 1.0), 0.2), (tb.Sphere(0.3), 0.3),
    ],
)  # fmt: skip
@pytest.mark.parametrize("turned", [(0.0, 0.0, 0.0), (0.3, -1.0, 2.0)])
def test_the_way_out_of_the_middle_is_the_shortest_one(
    shape: Convex, depth: float, turned: tuple[float, float, float]
) -> None:
    axes = Rotation.from_euler("xyz", turned).as_matrix()
    for found in (
        proximity(shape, tb.Sphere(0.0), first_axes=axes),
        proximity(tb.Sphere(0.0), shape, second_axes=axes),
    ):
        assert found.distance == pytest.approx(-depth, rel=1e-12)
        assert np.linalg.norm(found.normal) == pytest.approx(1.0, abs=1e-15)


def test_a_ball_beside_a_cone_is_as_far_as_its_side_is_inclined() -> None:
    """On the line across the side, from the middle of the side outward."""
    out = np.array([2.0, 0.0, 0.5]) / math.hypot(2.0, 0.5)  # of a cone of radius 0.5, height 2
    found = proximity(Cone(0.5, 2.0), tb.Sphere(0.1), second_at=(0.25, 0.0, 0.0) + 0.7 * out)
    assert found.distance == pytest.approx(0.6, abs=1e-14)
    assert found.normal == pytest.approx(out, abs=1e-14)
    assert found.first == pytest.approx(np.array([0.25, 0.0, 0.0]), abs=1e-14)


def test_skew_needles_are_apart_along_what_is_across_both() -> None:
    axes = Rotation.from_euler("xy", (math.pi / 2, 0.0)).as_matrix()  # z becomes −y
    x_axis = Rotation.from_euler("y", math.pi / 2).as_matrix()
    found = proximity(
        tb.Capsule(0.0, 2.0), tb.Capsule(0.01, 2.0), second_at=(0.3, 0.1, 0.2), second_axes=axes
    )
    assert found.distance == pytest.approx(0.29, abs=1e-15)
    crossing = proximity(tb.Capsule(0.02, 2.0), tb.Capsule(0.01, 2.0), second_axes=x_axis)
    assert crossing.distance == pytest.approx(-0.03, abs=1e-15)
    assert np.abs(crossing.normal) == pytest.approx([0.0, 1.0, 0.0], abs=1e-15)


@pytest.mark.parametrize("kind", KINDS)
def test_a_half_space_is_reached_by_the_lowest_point(kind: str) -> None:
    rng = np.random.default_rng(7)
    shape, axes = some(kind, rng), Rotation.random(50, random_state=rng).as_matrix()
    at = rng.normal(size=(50, 3))
    lowest = [support(shape, np.array([[0.0, 0.0, -1.0]]) @ A)[0] @ A.T[:, 2] for A in axes]
    found = proximity(HalfSpace(), shape, second_at=at, second_axes=axes)
    assert found.distance == pytest.approx(at[:, 2] + lowest, abs=1e-14)
    other = proximity(shape, HalfSpace(), first_at=at, first_axes=axes)
    assert other.distance == pytest.approx(found.distance, abs=1e-14)
    assert other.normal == pytest.approx(-found.normal, abs=1e-15)


Place = tuple[Convex, Convex, Floats, Floats, Floats, Floats]


def best_near(n0: Floats, place: Place) -> float:
    """The largest distance of planes across directions near n0, by Nelder and Mead."""
    aside = np.linalg.svd(n0[None])[2][1:]

    def apart(x: Floats) -> float:
        n = n0 + x @ aside
        return -float(between_planes((n / np.linalg.norm(n))[None], *place)[0])

    found = minimize(
        apart, (0.0, 0.0), method="Nelder-Mead",
        options={
            "xatol": 1e-10, "fatol": 1e-15,
            "initial_simplex": 0.02 * np.array([(0, 0), (1, 0), (0, 1)]),
        },
    )  # fmt: skip
    return -float(found.fun)


@pytest.mark.parametrize("pair", [*combinations_with_replacement(KINDS, 2)])
@pytest.mark.parametrize("spread", [0.3, 1.0, 4.0])
def test_no_other_direction_has_planes_farther_apart(pair: tuple[str, str], spread: float) -> None:
    """The distance of convex bodies, negative or not, is the largest distance of two planes that
    they lean on: a search from the best of many directions finds none larger."""
    rng = np.random.default_rng([KINDS.index(pair[0]), KINDS.index(pair[1]), int(10 * spread)])
    directions = rng.normal(size=(3000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    for _ in range(4):
        a, b = (some(kind, rng) for kind in pair)
        A, B = Rotation.random(2, random_state=rng).as_matrix()
        p, q = spread * rng.normal(size=(2, 3))
        found = proximity(a, b, first_at=p, second_at=q, first_axes=A, second_axes=B)
        here = between_planes(found.normal[None], a, b, A, B, p, q)[0]
        assert found.distance == pytest.approx(here, abs=1e-14)
        tried = between_planes(directions, a, b, A, B, p, q)
        place = a, b, A, B, p, q
        for n0 in directions[np.argsort(-tried)[:2]]:
            assert best_near(n0, place) <= found.distance + 1e-13


@pytest.mark.parametrize(
    "pair", [*combinations_with_replacement(("sphere", "capsule", "box", "hull"), 2)]
)
def test_flat_shapes_are_as_far_apart_as_in_coal(pair: tuple[str, str]) -> None:
    coal = pytest.importorskip("coal")
    rng = np.random.default_rng([KINDS.index(each) for each in pair])

    def made(shape: Convex) -> object:
        if isinstance(shape, tb.Sphere):
            return coal.Sphere(shape.radius)
        if isinstance(shape, tb.Capsule):
            return coal.Capsule(shape.radius, shape.length)
        if isinstance(shape, tb.Box):
            return coal.Box(*shape.size)
        assert isinstance(shape, ConvexHull)
        points = coal.StdVec_Vec3s()
        for each in shape.points:
            points.append(each)
        return coal.ConvexBase.convexHull(points, False, "")

    asked = coal.DistanceRequest()
    asked.enable_signed_distance = True
    asked.gjk_tolerance = asked.epa_tolerance = 1e-12
    asked.gjk_max_iterations = asked.epa_max_iterations = 1000
    for _ in range(5):
        a, b = (some(kind, rng) for kind in pair)
        A, B = (Rotation.random(20, random_state=rng).as_matrix() for _ in pair)
        p, q = rng.normal(size=(2, 20, 3))
        found = proximity(a, b, first_at=p, second_at=q, first_axes=A, second_axes=B)
        solids = made(a), made(b)
        theirs = [
            coal.distance(
                solids[0], coal.Transform3s(A[i], p[i]), solids[1], coal.Transform3s(B[i], q[i]),
                asked, coal.DistanceResult(),
            )
            for i in range(20)
        ]  # fmt: skip
        assert found.distance == pytest.approx(theirs, abs=1e-12)


@given(
    pair=st.tuples(st.sampled_from(KINDS), st.sampled_from(KINDS)),
    seed=st.integers(0, 2**32 - 1),
    size=st.floats(-6.0, 3.0),
    other=st.floats(-6.0, 3.0),
    aligned=st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_whatever_their_sizes_the_distance_is_the_same_from_either_side(
    pair: tuple[str, str], seed: int, size: float, other: float, aligned: bool
) -> None:
    """1 µm to 1 km, axes aligned or not, one in the other or far apart: the first and the second
    may change places, and points are in both shapes' planes."""
    rng = np.random.default_rng(seed)
    a, b = some(pair[0], rng, 10.0**size), some(pair[1], rng, 10.0**other)
    scale = 10.0 ** max(size, other)
    A, B = Rotation.random(2, random_state=rng).as_matrix()
    A = B if aligned else A
    q = scale * rng.normal(size=3) * 10.0 ** rng.uniform(-3.0, 1.0)
    there = proximity(a, b, second_at=q, first_axes=A, second_axes=B)
    back = proximity(b, a, first_at=q, first_axes=B, second_axes=A)
    assert there.distance == pytest.approx(back.distance, abs=1e-9 * scale)
    along = (there.second - there.first) @ there.normal
    assert along == pytest.approx(there.distance, abs=1e-13 * (scale + np.abs(q).max()))
    lower = between_planes(there.normal[None], a, b, A, B, np.zeros(3), q)[0]
    assert there.distance == pytest.approx(lower, abs=1e-13 * (scale + np.abs(q).max()))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"first": "ball"}, "the first shape is one of Sphere, .*'ball'"),
        ({"first": Cone(-1.0, 1.0)}, "numbers from 0 to 1e\\+09 m; got Cone"),
        ({"first": Cone(float("nan"), 1.0)}, "numbers from 0 to 1e\\+09 m; got Cone"),
        ({"first": tb.Capsule(tb.Model("x").parameter("r", 1.0), 1.0)}, "numbers from 0"),
        ({"second_at": (0.0, math.nan, 0.0)}, "second_at are finite"),
        ({"second_at": (0.0, 1.0)}, r"second_at is \(…, 3\)"),
        ({"second_axes": 2.0 * np.eye(3)}, "second_axes is no rotation"),
        ({"first": HalfSpace(), "second": HalfSpace()}, "two half spaces"),
    ],
)
def test_what_is_no_shape_or_no_place_is_refused_by_name(
    change: dict[str, object], words: str
) -> None:
    with pytest.raises((InputError, tb.errors.ModelError), match=words):
        proximity(**{"first": tb.Sphere(0.1), "second": tb.Sphere(0.1), **change})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "points", [np.zeros((0, 3)), np.zeros((5, 3)), np.eye(3), np.full((4, 3), np.nan), np.ones(3)]
)
def test_points_without_a_volume_are_no_hull(points: Floats) -> None:
    with pytest.raises(InputError, match="ConvexHull"):
        contact.ConvexHull(points)
