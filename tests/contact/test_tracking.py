"""Nearest points of implicit surfaces: closed forms, brute force, rates, and the code of it."""

import math

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.optimize import brentq, minimize
from scipy.spatial.transform import Rotation

import touchback as tb
from touchback.codegen import compile_program
from touchback.contact.nearest_point_search import find_nearest, numbers
from touchback.contact.surface_tracking import Nearest, Side, Tracking, Twist
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
)
from touchback.symbolic.differentiate import jvp
from touchback.symbolic.program import lower
from touchback.symbolic.scalars import Operators
from touchback.symbolic.tape import Tape

FLOOR = Side(Plane(), np.eye(3).tolist(), [0.0, 0.0, 0.0])
number = st.floats(-1.0, 1.0, allow_subnormal=False)
poses = st.tuples(st.integers(0, 10**6), number, number, number)


def turned(seed: int) -> np.ndarray:
    return Rotation.random(random_state=seed).as_matrix()


def side(surface: Surface, R: np.ndarray, p: np.ndarray) -> Side:
    return Side(surface, np.asarray(R).tolist(), np.asarray(p, float).tolist())


def gap_of(a: Side, b: Side, at: Nearest) -> float:
    return float(Tracking(Operators(), float, a, b).normal(at)[1])


@given(poses)
def test_a_ball_touches_a_tilted_plane_below_its_centre(
    pose: tuple[int, float, float, float],
) -> None:
    seed, *offset = pose
    R, centre = turned(seed), np.array(offset)
    n, r = R[:, 2], 0.3
    origin = centre - 0.5 * n + R[:, 0]  # 0.5 m under the centre, and aside
    plane, ball = side(Plane(), R, origin), side(Ball(r), turned(seed + 1), centre)
    at = find_nearest(plane, ball, centre - 0.35 * n + 0.05 * R[:, 1])
    np.testing.assert_allclose(at.on_b, centre - r * n, atol=1e-12)
    np.testing.assert_allclose(at.on_a, centre - 0.5 * n, atol=1e-12)
    assert gap_of(plane, ball, at) == pytest.approx(0.2, abs=1e-12)


@given(poses, st.floats(-0.2, 1.0))
def test_balls_are_nearest_on_the_line_of_their_centres(
    pose: tuple[int, float, float, float], gap: float
) -> None:
    seed, *offset = pose
    along = turned(seed)[:, 0]
    p_a, p_b = np.array(offset), np.array(offset) + (0.9 + gap) * along
    a, b = side(Ball(0.5), turned(seed + 1), p_a), side(Ball(0.4), turned(seed + 2), p_b)
    at = find_nearest(a, b, p_a + 0.6 * along + 0.1 * turned(seed)[:, 1])
    np.testing.assert_allclose(at.on_a, p_a + 0.5 * along, atol=1e-12)
    np.testing.assert_allclose(at.on_b, p_b - 0.4 * along, atol=1e-12)
    assert gap_of(a, b, at) == pytest.approx(gap, abs=1e-12)


def lowest_of_ellipsoid(R: np.ndarray, halves: np.ndarray) -> np.ndarray:
    """From the centre: −A n/√(n·A n), A = R diag(a²) Rᵀ."""
    down = -R @ np.diag(halves**2) @ R.T @ np.array([0.0, 0.0, 1.0])
    return down / math.sqrt(-down[2])


@given(poses)
def test_an_ellipsoid_rests_on_the_point_of_its_support(
    pose: tuple[int, float, float, float],
) -> None:
    seed, x, y, lift = pose
    R, halves = turned(seed), np.array([0.5, 0.8, 0.3])
    lowest = lowest_of_ellipsoid(R, halves)
    centre = np.array([x, y, lift + 0.5])
    b = side(Ellipsoid(*halves), R, centre)
    guess = centre + lowest + 0.05 * turned(seed + 1)[:, 0]
    at = find_nearest(FLOOR, b, guess)
    np.testing.assert_allclose(at.on_b, centre + lowest, atol=1e-11)
    assert gap_of(FLOOR, b, at) == pytest.approx(centre[2] + lowest[2], abs=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_a_torus_rests_on_its_lowest_circle_point(seed: int) -> None:
    """The lowest point of the ring is D from the centre along the plane's steepest line; the tube
    hangs R below it."""
    R = turned(seed)
    axis = R[:, 2]
    down = axis * axis[2] - np.array([0.0, 0.0, 1.0])
    ring = 0.8 * down / np.linalg.norm(down)
    centre = np.array([0.1, -0.2, 1.4])
    lowest = centre + ring - np.array([0.0, 0.0, 0.25])
    at = find_nearest(FLOOR, side(Torus(0.8, 0.25), R, centre), lowest + [0.02, 0.03, 0.01])
    np.testing.assert_allclose(at.on_b, lowest, atol=1e-12)


PAIRS = [
    (Ellipsoid(0.5, 0.8, 0.3), Ball(0.4)),
    (Ellipsoid(0.5, 0.8, 0.3), Ellipsoid(0.2, 0.3, 0.6)),
    (Pipe(0.5), Ellipsoid(0.2, 0.3, 0.6)),
    (FormulaSurface("x**4 + 2*y**4 + z**4 + x**2 + y**2 + z**2 - 0.3"), Ball(0.4)),
    (Plane(), Barrel(1.0, 0.7)),
    (Ball(0.5), Roller(1.0, 0.7, 0.5)),
]


def level(which: Side, point: np.ndarray) -> float:
    """f at a point, without the tape."""
    surface, k = which.surface, Operators()
    r = (np.array(which.R).T @ (point - np.array(which.p))).tolist()
    if surface.hidden(k, float, r, 0.1) is None:
        return float(surface.level(k, float, r, 0))
    w = brentq(lambda w: surface.hidden(k, float, r, w), -0.999, 0.999, xtol=1e-15)
    return float(surface.level(k, float, r, w))


def placed(pair: tuple[Surface, Surface], turn: np.ndarray) -> tuple[Side, Side]:
    """One above the other, a little askew; a pipe lies down."""
    R = Rotation.from_rotvec(turn).as_matrix()
    R_a = Rotation.from_euler("x", 90, degrees=True).as_matrix() @ R if type(pair[0]) is Pipe else R
    a = side(pair[0], np.eye(3) if type(pair[0]) is Plane else R_a, np.zeros(3))
    return a, side(pair[1], R.T, np.array([0.1, 0.2, 1.5]))


@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: "-".join(type(s).__name__ for s in p))
def test_points_are_those_that_a_minimiser_finds(pair: tuple[Surface, Surface]) -> None:
    """SLSQP over both points, which knows nothing of normals."""
    a, b = placed(pair, 0.3 * turned(5)[0])
    at = find_nearest(a, b, (0.1, 0.2, 0.8))
    found = minimize(
        lambda x: float(np.sum((x[:3] - x[3:]) ** 2)),
        numbers(at)[:6] + 0.02 * np.random.default_rng(5).normal(size=6),
        method="SLSQP",
        constraints=[
            {"type": "eq", "fun": lambda x: level(a, x[:3])},
            {"type": "eq", "fun": lambda x: level(b, x[3:])},
        ],
        options={"ftol": 1e-15, "maxiter": 200},
    )
    assert gap_of(a, b, at) == pytest.approx(math.sqrt(found.fun), abs=1e-9)
    np.testing.assert_allclose(numbers(at)[:6], found.x, atol=2e-5)


def moved(R: np.ndarray, p: np.ndarray, twist: Twist, t: float) -> tuple[np.ndarray, np.ndarray]:
    """A pose after the time t of a twist that stays."""
    return Rotation.from_rotvec(t * np.array(twist.omega)).as_matrix() @ R, p + t * np.array(
        twist.v
    )


@pytest.mark.parametrize("pair", PAIRS, ids=lambda p: "-".join(type(s).__name__ for s in p))
def test_rates_of_the_differential_system_are_those_of_the_algebraic_one(
    pair: tuple[Surface, Surface],
) -> None:
    rng = np.random.default_rng(4)
    start = placed(pair, np.array([-0.2, 0.1, 0.3]))
    (R_a, p_a), (R_b, p_b) = ((np.array(x.R), np.array(x.p)) for x in start)
    of_a = Twist(rng.normal(size=3).tolist(), rng.normal(size=3).tolist())
    of_b = Twist(rng.normal(size=3).tolist(), rng.normal(size=3).tolist())

    def at(t: float) -> tuple[Side, Side, Nearest]:
        a = side(pair[0], *moved(R_a, p_a, of_a, t))
        b = side(pair[1], *moved(R_b, p_b, of_b, t))
        return a, b, find_nearest(a, b, (0.1, 0.2, 0.8))

    a, b, here = at(0.0)
    rates = Tracking(Operators(), float, a, b).rates(here, of_a, of_b)
    h = 1e-5
    differences = (numbers(at(h)[2]) - numbers(at(-h)[2])) / (2 * h)
    np.testing.assert_allclose(numbers(rates), differences, atol=1e-7)


def test_newton_on_the_tape_is_the_same_as_machine_code() -> None:
    """Three steps of system (5) as straight-line code, against the numbers, to rounding."""
    tape = Tape()
    names = [f"R{i}" for i in range(9)] + ["px", "py", "pz"]
    s = [tape.symbol(name) for name in names]
    b = Side(Ellipsoid(0.5, 0.8, 0.3), [s[0:3], s[3:6], s[6:9]], s[9:12])
    tracking = Tracking(tape, lambda x: tape.const(float(x)), Side(Plane(), FLOOR.R, [0, 0, 0]), b)
    down = tape.sub(s[11], tape.const(0.4))
    at = tracking.guess([s[9], s[10], 0], [s[9], s[10], down], 0, 0)
    for _ in range(8):
        at = tracking.newton(at)
    program = lower(tape, [*at.on_b, at.reach], {node: ("x", i) for i, node in enumerate(s)})
    compiled = compile_program(program, "newton")
    for seed in range(5):
        R = Rotation.from_rotvec(0.5 * turned(seed)[0]).as_matrix()
        centre = np.array([0.1, 0.2, 0.5])
        found = compiled.call(x=[*R.ravel(), *centre])
        expected = centre + lowest_of_ellipsoid(R, np.array([0.5, 0.8, 0.3]))
        np.testing.assert_allclose(found[:3], expected, atol=1e-14)


def test_a_start_that_cannot_be_found_is_said() -> None:
    across = Rotation.from_euler("x", 90, degrees=True).as_matrix()
    pipe = side(Pipe(1.0), across, np.array([0, 0, 2.0]))
    with pytest.raises(tb.SolveError, match="Plane and Pipe: they share a flat direction"):
        find_nearest(FLOOR, pipe, (0, 0, 0.5))
    ball = side(Ball(1.0), np.eye(3), np.array([0, 0, 2.0]))
    with pytest.raises(tb.SolveError, match="normals point the same way"):
        find_nearest(FLOOR, ball, (0, 0, 3.5))
    with pytest.raises(tb.SolveError, match="Ball has no normal at the guess"):
        find_nearest(FLOOR, ball, (0, 0, 2))
    saddle = side(Torus(1.0, 0.3), across, np.array([0, 0, 2.0]))
    with pytest.raises(tb.SolveError, match="farthest, or on a saddle"):
        find_nearest(FLOOR, saddle, (0, 0, 2.6))
    nowhere = side(FormulaSurface("(x**2 + y**2 + z**2 + 1)/2"), np.eye(3), np.array([0, 0, 2.0]))
    with pytest.raises(tb.SolveError, match=r"leaves .* after 60 steps|has no normal"):
        find_nearest(FLOOR, nowhere, (0.3, 0.1, 0.5))


@pytest.mark.parametrize("guess", [(0, 2), (0, float("nan"), 1), "between", None])
def test_a_guess_that_is_no_point_is_refused(guess: object) -> None:
    ball = side(Ball(1.0), np.eye(3), np.array([0, 0, 2.0]))
    with pytest.raises(tb.InputError, match=r"Ball: the guess is .*; give three numbers"):
        find_nearest(FLOOR, ball, guess)
    with pytest.raises(tb.ModelError, match="'ball' is no surface"):
        find_nearest(FLOOR, side("ball", np.eye(3), np.zeros(3)), (0, 0, 1))  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(12))
def test_ellipsoids_apart_are_found_from_half_way_with_proof(seed: int) -> None:
    """The planes through the points, square to the way between them, support both bodies: then no
    points can be nearer. Flat, thin and far ones among them."""
    rng = np.random.default_rng(seed)
    halves = rng.uniform(0.05, 1.0, (2, 3))
    R = Rotation.random(2, random_state=seed).as_matrix()
    away = rng.normal(size=3)
    away *= rng.uniform(2.1, 5.0) * (1e4 if seed == 0 else 1.0) / np.linalg.norm(away)
    bodies = [
        side(Ellipsoid(*map(float, h)), r, p)
        for h, r, p in zip(halves, R, (np.zeros(3), away), strict=True)
    ]
    at = find_nearest(*bodies, away / 2)
    between = np.array(at.on_b) - np.array(at.on_a)
    gap = float(np.linalg.norm(between))
    n = between / gap
    supports = [float(np.linalg.norm(h * (r.T @ n))) for h, r in zip(halves, R, strict=True)]
    assert away @ n - sum(supports) == pytest.approx(gap, abs=1e-13 * (1 + gap))


@pytest.mark.parametrize("seed", range(12))
def test_ellipsoids_that_overlap_are_found_from_beside(seed: int) -> None:
    """Bodies placed so that two points with opposite normals lie 0 to 0.1 m deep in the other."""
    rng = np.random.default_rng(seed)
    halves = rng.uniform(0.2, 1.0, (2, 3))
    R = Rotation.random(2, random_state=100 + seed).as_matrix()
    n = rng.normal(size=3)
    n /= np.linalg.norm(n)
    tips = [
        r @ (h**2 * (r.T @ n)) / np.linalg.norm(h * (r.T @ n))
        for h, r in zip(halves, R, strict=True)
    ]
    depth = rng.uniform(0.0, 0.1)
    bodies = [
        side(Ellipsoid(*map(float, h)), r, p)
        for h, r, p in zip(halves, R, (np.zeros(3), tips[0] + tips[1] - depth * n), strict=True)
    ]
    at = find_nearest(*bodies, tips[0] + 0.15 * rng.normal(size=3))
    _, gap = Tracking(Operators(), float, *bodies).normal(at)
    assert gap == pytest.approx(-depth, abs=1e-12)


def test_what_was_found_follows_the_poses_as_the_differential_system_says() -> None:
    """The tape's derivative of a root along a motion is the rate of (8), though the search itself
    is held still."""
    tape = Tape()
    angle, x, z = (tape.symbol(name) for name in ("angle", "x", "z"))
    s, c = tape.sincos(angle)
    b = Side(Roller(1.0, 0.7, 0.5), [[c, 0, s], [0, 1, 0], [-s, 0, c]], [x, 0, z])
    floor = Side(Plane(), [[1, 0, 0], [0, 1, 0], [0, 0, 1]], [0, 0, 0])
    tracking = Tracking(tape, lambda given: tape.const(float(given)), floor, b)
    below = tape.sub(z, tape.const(0.3))
    at = tracking.guess([x, 0, 0], [x, 0, below], 0, 0)
    for _ in range(8):
        at = tracking.newton(at)
    at = tracking.differentiable_root(at)
    found = [*at.on_b, at.reach, at.hidden_b]
    rates = dict(zip((angle, x, z), map(tape.const, (0.7, -0.4, 0.9)), strict=True))
    twist = Twist([0, tape.const(0.7), 0], [tape.const(-0.4), 0, tape.const(0.9)])
    still = Twist([0, 0, 0], [0, 0, 0])
    by_system = tracking.rates(at, still, twist)
    wanted = [*by_system.on_b, by_system.reach, by_system.hidden_b]
    outputs = [*jvp(tape, found, rates), *wanted]
    places = {angle: ("x", 0), x: ("x", 1), z: ("x", 2)}
    compiled = compile_program(lower(tape, outputs, places), "differentiable_root")
    for turn in (-0.3, 0.0, 0.25):
        out = compiled.call(x=[turn, 0.1, 0.5])
        np.testing.assert_allclose(out[:5], out[5:], atol=1e-14)
        assert np.abs(out[:3]).max() > 0.1
