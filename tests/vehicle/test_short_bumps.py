"""Short features of roads reach the motion, however long steps would be: a point that moves at
20 m/s is pushed aside by the height of the road under it, and gains ∫ z dx / 20 of speed."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import touchback as tb
from touchback.vehicle.roads import Bump, GridRoad, Patch, PlaneRoad

SPEED, STIFFNESS = 20.0, 1000.0  # m/s, N for a metre of height
DURATION = 4.0
CLOSE = 1e-5  # of the gain: kinks within steps are left to error control, rtol = 1e-8
METHODS = ["dopri5", "radau5", "RK45", "LSODA"]


def over(road, of=lambda ground: ground.height):
    """A mass of 1 kg that is pushed along y by what the road is like below x."""
    m = tb.Model("over a road", gravity=(0, 0, 0))
    cart, rider = m.body("cart", mass=1.0), m.body("rider", mass=1.0)
    m.joint("x", tb.Prismatic("x"), m.ground, cart, velocity=SPEED)
    m.joint("y", tb.Prismatic("y"), cart, rider)
    ground = road.at(m.coordinate("x"), 0.0 * m.coordinate("y"))
    m.force("push", tb.JointEffort("y", STIFFNESS * of(ground)))
    return m.compile()


def gained(system, method="dopri5"):
    run = tb.simulate(system, duration=DURATION, method=method, progress=False)
    return run["y rate"][-1]


@settings(max_examples=8)
@given(start=st.floats(1.0, 70.0), length=st.floats(1e-3, 2.0), ramped=st.booleans())
def test_no_bump_is_stepped_over(start, length, ramped):
    ramp = length / 4 if ramped else None
    road = PlaneRoad(bumps=(Bump(start=start, length=length, height=0.1, ramp=ramp),))
    area = 0.1 * length * (0.75 if ramped else 0.5)
    wanted = STIFFNESS * area / SPEED
    assert abs(gained(over(road)) - wanted) < CLOSE * max(wanted, 1e-2)


ROADS = {
    "bump": (PlaneRoad(bumps=(Bump(start=30.0, length=0.2, height=0.1),)), 0.01),
    "grid": (
        GridRoad(
            x=(0.0, 30.0, 30.1, 30.2, 90.0), y=(-1.0, 1.0),
            heights=(0, 0, 0, 0, 0.1, 0.1, 0, 0, 0, 0),
        ),
        0.01,
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", ROADS)
@pytest.mark.parametrize("method", METHODS)
def test_every_method_meets_short_features(kind, method):
    road, area = ROADS[kind]
    wanted = STIFFNESS * area / SPEED
    assert abs(gained(over(road), method) - wanted) < CLOSE * wanted


@pytest.mark.parametrize("method", METHODS)
def test_patches_of_another_grip_are_met(method):
    road = PlaneRoad(patches=(Patch(x=(30.0, 30.1), y=(-1.0, 1.0), grip=0.5),))
    system = over(road, lambda ground: 1.0 - ground.grip)
    assert abs(gained(system, method) - 0.5 * STIFFNESS * 0.1 / SPEED) < 1e-4


def test_a_rough_road_costs_a_step_for_each_line_of_its_grid():
    """And its heights, which are a broken line, are integrated."""
    x = np.linspace(0.0, 100.0, 1001)
    z = 0.01 * np.random.default_rng(5).standard_normal(1001)
    heights = tuple(float(height) for height in np.repeat(z, 2))
    system = over(GridRoad(x=tuple(map(float, x)), y=(-1.0, 1.0), heights=heights))
    run = tb.simulate(system, duration=DURATION, progress=False)
    wanted = STIFFNESS / SPEED * np.trapezoid(z[:801], x[:801])
    assert abs(run["y rate"][-1] - wanted) < 1e-4
    assert 800 <= run.metadata["statistics"]["accepted"] < 16_000
