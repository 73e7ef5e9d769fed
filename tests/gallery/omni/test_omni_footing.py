"""Trackers of the point of contact: they agree to rounding, and with a search that knows none."""

import math
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.spatial.transform import Rotation

import touchback as tb
from touchback.contact import Side, find_nearest
from touchback.contact.surfaces import Plane, Roller
from touchback.gallery import omni_wheel
from touchback.gallery.omni_wheel import TRACKERS, Floor, Footing, WheelShape, sector_over
from touchback.spatial import Vectors
from touchback.symbolic.scalars import Operators

R = 0.05
UPRIGHT = Rotation.identity()
SHAPES = {
    "straight": WheelShape(R, 6, 0.04),
    "straight pointed": WheelShape.pointed(R, 4),
    "inclined": WheelShape(R, 6, 0.04, 0.3),
    "inclined pointed": WheelShape.pointed(R, 6, 0.3),
    "mecanum": WheelShape(R, 9, 0.037, math.pi / 4),
    "mecanum pointed": WheelShape.pointed(R, 9, -math.pi / 4),
}
SIGNALS = [
    "roller",
    "contact.gap",
    "contact.x",
    "contact.y",
    "contact.z",
    "slip.x",
    "slip.y",
    "slip.z",
]


def pose(yaw: float, turn: float, lean: float, place: np.ndarray) -> np.ndarray:
    """Coordinates of a wheel that has turned on its axle, leans and heads somewhere."""
    x, y, z, w = Rotation.from_euler("ZXY", [yaw, lean, turn]).as_quat()
    return np.array([*place, w, x, y, z])


@cache
def systems(shape: WheelShape) -> dict[str, tb.System]:
    return {tracker: omni_wheel.make(shape, tracker).compile() for tracker in TRACKERS}


def contact(system: tb.System, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    found = system.sensors(q, v)
    return np.array([found[name] for name in SIGNALS])


def upright_state(
    shape: WheelShape, turn: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Anywhere, heading anywhere, moving at random while the axle stays level: ω·(k × n) = 0."""
    place, n = np.array([*rng.normal(size=2), R]), shape.rollers
    q = np.concatenate([pose(rng.uniform(-3, 3), turn, 0.0, place), rng.normal(size=n)])
    v = np.concatenate([rng.normal(size=6), 30 * rng.normal(size=n)])
    disc = Rotation.from_quat(q[[4, 5, 6, 3]])
    across = disc.inv().apply(np.cross(disc.as_matrix()[:, 1], [0, 0, 1]))
    v[3:6] -= (v[3:6] @ across) * across
    return q, v


@pytest.mark.parametrize("name", SHAPES)
def test_trackers_agree_to_rounding_at_every_angle(name: str) -> None:
    """The point [m], its velocity [m/s], accelerations."""
    shape, rng = SHAPES[name], np.random.default_rng(2)
    made = systems(shape)
    for turn in rng.uniform(-np.pi, np.pi, 15):
        q, v = upright_state(shape, turn, rng)
        found = {tracker: contact(system, q, v) for tracker, system in made.items()}
        rates = {tracker: system.forward_dynamics(q, v) for tracker, system in made.items()}
        size = np.abs(rates["explicit"]).max()  # inertias of disc and rollers are 1e4 apart
        for tracker in ("section", "implicit"):
            off = np.abs(found[tracker] - found["explicit"])
            assert off[:5].max() < 1e-15 and off[5:].max() < 5e-14
            np.testing.assert_allclose(rates[tracker], rates["explicit"], rtol=0, atol=1e-10 * size)


@pytest.mark.parametrize("name", SHAPES)
def test_trackers_agree_at_hand_overs_and_at_tips(name: str) -> None:
    """1e-9 of a sector from either side, where a pointed roller is 1e-11 m thick."""
    shape, rng = SHAPES[name], np.random.default_rng(3)
    made = systems(shape)
    for turn in shape.half_sector * (1 + 1e-9 * np.array([-1, 1])):
        q, v = upright_state(shape, turn, rng)
        found = {tracker: contact(system, q, v) for tracker, system in made.items()}
        for tracker in ("section", "implicit"):
            np.testing.assert_allclose(
                found[tracker][:5], found["explicit"][:5], rtol=0, atol=2e-15
            )


@pytest.mark.parametrize("name", ["straight", "inclined", "mecanum"])
def test_a_leaning_wheel_stands_where_the_general_search_says(name: str) -> None:
    """The closed form is not bound to upright wheels: neither is system (5)."""
    shape, rng = SHAPES[name], np.random.default_rng(5)
    made = systems(shape)
    for _ in range(6):
        lean, turn = rng.uniform(-0.05, 0.05), rng.uniform(-0.7, 0.7) * shape.half_sector
        place = np.array([0.1, -0.2, 0.052])
        q = np.concatenate([pose(0.4, turn, lean, place), np.zeros(shape.rollers)])
        v = rng.normal(size=6 + shape.rollers)
        found = {tracker: contact(system, q, v) for tracker, system in made.items()}
        np.testing.assert_allclose(found["implicit"], found["explicit"], rtol=0, atol=1e-14)
        disc = Rotation.from_quat(q[[4, 5, 6, 3]]).as_matrix()
        axes = disc @ Rotation.from_euler("z", shape.inclination).as_matrix()
        centre = place - shape.off * disc[:, 2]
        floor = Side(Plane(), np.eye(3).tolist(), [0.0, 0.0, 0.0])
        surface = Roller(shape.radius, shape.off, shape.inclination)
        roller = Side(surface, axes.tolist(), centre.tolist())
        nearest = find_nearest(floor, roller, centre - [0, 0, shape.radius - shape.off])
        np.testing.assert_allclose(found["explicit"][2:5], nearest.on_b, atol=1e-14)


@pytest.mark.parametrize("name", SHAPES)
def test_rollers_hand_over_at_the_same_height(name: str) -> None:
    """Just before and just after the hand-over: the next roller, the same gap, the track where the
    closed form puts it; its jump is that of inclined rollers only."""
    shape = SHAPES[name]
    system = systems(shape)["explicit"]
    still = np.zeros(6 + shape.rollers)
    found = {}
    for side in (-1, 1):
        turn = shape.half_sector * (1 + side * 1e-12)
        q = np.concatenate([pose(0.0, turn, 0.0, np.array([0, 0, R])), np.zeros(shape.rollers)])
        found[side] = contact(system, q, still)
    assert [found[-1][0], found[1][0]] == [0.0, shape.rollers - 1]
    assert abs(found[1][1] - found[-1][1]) < 1e-16
    track = float(shape.track(shape.half_sector))
    np.testing.assert_allclose([found[-1][3], found[1][3]], [track, -track], atol=1e-11)


def footings(
    shape: WheelShape, disc: Rotation, place: list[float], tilt: Rotation = UPRIGHT
) -> dict[str, Footing]:
    """By each tracker on plain numbers, on a floor that is tilted with the wheel."""
    k = Operators()
    mechanics: Any = SimpleNamespace(k=k, vectors=Vectors(k), value=float)
    origin = np.array([0.3, -0.2, 0.5])
    wheel, R = origin + tilt.apply(place), (tilt * disc).as_matrix().tolist()
    floor = Floor(tilt.as_matrix().tolist(), origin.tolist())
    sector = sector_over(mechanics, shape, R, wheel.tolist(), floor)
    return {name: tracker(mechanics, shape, sector, floor) for name, tracker in TRACKERS.items()}


@given(
    st.integers(3, 12),
    st.floats(0.5, 1.0),
    st.floats(-1.0, 1.0),
    st.tuples(st.floats(-3.0, 3.0), st.floats(-3.1, 3.1)),
    st.floats(-0.01, 0.2),
)
def test_any_upright_wheel_is_tracked_alike_on_any_floor(
    rollers: int, share: float, psi: float, angles: tuple[float, float], lift: float
) -> None:
    """Any shape, at any height over a floor that is tilted with the wheel: three trackers on plain
    numbers agree, and the gap is the height."""
    shape = WheelShape(1.0, rollers, share * math.cos(math.pi / rollers), psi)
    tilt = Rotation.from_euler("xyz", [0.4, -0.3, 0.2])
    disc = Rotation.from_euler("ZY", list(angles))
    found = footings(shape, disc, [0.7, -0.4, 1.0 + lift], tilt)
    for name, footing in found.items():
        np.testing.assert_allclose(footing.point, found["explicit"].point, atol=1e-12, err_msg=name)
        assert footing.gap == pytest.approx(lift, abs=1e-12)


@pytest.mark.parametrize("rollers", [3, 4, 6, 9, 12])
@pytest.mark.parametrize("psi", [0.0, 0.1, 0.3, -math.pi / 4, 1.0])
def test_trackers_agree_up_to_the_very_tips_of_pointed_rollers(rollers: int, psi: float) -> None:
    """Between two rollers a wheel stands on a tip, which has no normal; and the nearer to it, the
    less Newton's method likes it."""
    shape = WheelShape.pointed(1.0, rollers, psi)
    for short in (0.0, 2.2e-16, 1e-14, 1e-11, 1e-8, 1e-6, 1e-4, 1e-3, 1e-2, 3e-2):
        for side in (-1.0, 1.0):
            disc = Rotation.from_euler("y", side * shape.half_sector * (1.0 - short))
            found = footings(shape, disc, [0.0, 0.0, 1.0])
            for name, footing in found.items():
                off = np.abs(np.subtract(footing.point, found["explicit"].point))
                assert off.max() < 2e-14, (name, short)


def test_an_unknown_tracker_is_answered_with_the_known_ones() -> None:
    with pytest.raises(tb.ModelError, match="there is no tracker 'explict'; did you mean"):
        omni_wheel.make(tracker="explict")
