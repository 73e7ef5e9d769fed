"""Kerbs and walls stop wheels, or are climbed, by no more energy than there was."""

from math import hypot, pi

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.testing import assert_allclose

import touchback as tb
from quarter_car import BRUSH, MASS, WEIGHT, WHEEL, quarter_car
from touchback.errors import ModelError
from touchback.vehicle import Car, Kerb, PlaneRoad, add_car

SLIPPERY = replace(BRUSH, vertical_damping=0.0, friction=1e-9)  # nothing is lost
R, K = SLIPPERY.unloaded_radius, SLIPPERY.vertical_stiffness
FACE = 1.0  # m


def ridden(top: float, speed: float, towards: float = 0.0) -> tb.Run:
    """A wheel that slides to a kerb; towards π it comes the other way."""
    side = np.cos(towards)
    road = PlaneRoad(kerbs=(Kerb((side * FACE, 0.0), top, towards),))
    system = quarter_car(SLIPPERY, road, speed=side * speed, spin=0.0).compile()
    return tb.simulate(system, duration=3.0 / speed, method="rk4", step=2e-4, progress=False)


def total(run: tb.Run, top: float) -> np.ndarray:
    """Motion, weight, and what the carcass stores on the road, on the top and at the edge."""
    x, z = run["x"], run["z"]
    on = (x >= FACE) & (z >= top)
    below = np.maximum(R - z + np.where(on, top, 0.0), 0.0)
    edge = np.hypot(np.minimum(x - FACE, 0.0), np.maximum(z - top, 0.0))
    edge = np.where(on, 0.0, np.maximum(R - edge, 0.0))
    moves = 0.5 * (MASS + WHEEL) * (run["x rate"] ** 2 + run["z rate"] ** 2)
    return moves + WEIGHT * z + 0.5 * K * (below**2 + edge**2)


@pytest.mark.parametrize(
    "top, speed, climbs",
    [(0.05, 2.0, True), (0.15, 1.5, False), (1.0, 4.0, False)],
    ids=["climbed", "kerb", "wall"],
)
def test_a_wheel_climbs_a_kerb_or_is_thrown_back_with_the_energy_that_it_had(
    top: float, speed: float, climbs: bool
) -> None:
    """½ v² > g h alone doesn't climb: a high edge pushes back more than up."""
    run = ridden(top, speed)
    assert_allclose(total(run, top), total(run, top)[0], rtol=2e-4)
    assert (run["x"][-1] > FACE) == climbs
    assert run["z"][-1] == pytest.approx(R - WEIGHT / K + climbs * top, abs=0.1)
    if not climbs:
        assert run["x"].max() < FACE and run["x rate"][-1] < 0.0
    other = ridden(top, speed, pi)
    assert_allclose(other["x"], -run["x"], atol=1e-9)


def test_the_gap_is_that_of_a_drum_from_face_edge_and_top() -> None:
    kerb, across, ahead = Kerb((2.0, 5.0), 0.15, pi / 2), [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]
    gap, out = kerb.gap([0.0, 4.8, 0.35], across, 0.3, 0.08)
    assert gap == pytest.approx(hypot(0.2, 0.2) - 0.3, abs=1e-12)
    assert_allclose(out, [0.0, -(0.5**0.5), 0.5**0.5], atol=1e-12)
    gap, out = kerb.gap([7.0, 4.5, 0.3], ahead, 0.3, 0.08)  # along the kerb: its side
    assert gap == pytest.approx(0.42) and out == pytest.approx([0.0, -1.0, 0.0])
    gap, _ = kerb.gap([7.0, 4.98, 0.5], across, 0.3, 0.08)
    assert gap == pytest.approx(hypot(0.02, 0.35) - 0.3)
    assert kerb.carries([0.0, 5.1, 0.3]) == 1.0
    assert kerb.carries([0.0, 5.1, 0.1]) == kerb.carries([0.0, 4.9, 0.3]) == 0.0
    with pytest.raises(ModelError, match=r"Kerb: its top is -0\.1"):
        Kerb((0.0, 0.0), -0.1)


def test_a_wall_stops_the_whole_car_at_ticks_of_a_millisecond() -> None:
    """It comes at 36 km/h; its front wheels are ahead of its middle, and give way by some 10 cm."""
    wall = PlaneRoad(kerbs=(Kerb((4.0, 0.0), 2.0),))
    model = tb.Model("car")
    add_car(model, Car(), wall, speed=10.0, hands="torque")
    run = tb.simulate(model.compile(), duration=0.8, method="rk4", step=1e-3, progress=False)
    middle, speed = run["car position.x"], run["car velocity.x"]
    assert 4.0 - 0.5 * Car().wheelbase - 0.3 < middle.max() < 4.0 - Car().wheelbase / 3
    assert -10.0 < speed[-1] < 0.0  # thrown back by what tyres and springs stored, less dampers
    assert np.hypot(speed, run["car velocity.z"]).max() < 10.001  # it settles on its springs
