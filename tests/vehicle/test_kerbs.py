"""Kerbs and walls stop wheels, or are climbed, by no more energy than there was."""

from math import hypot, pi

import numpy as np
import pytest
from msgspec.structs import replace
from numpy.testing import assert_allclose

import touchback as tb
from quarter_car import BRUSH, INERTIA, MASS, WEIGHT, WHEEL, quarter_car
from touchback.errors import ModelError
from touchback.vehicle import Kerb, PlaneRoad

SLIPPERY = replace(BRUSH, vertical_damping=0.0, friction=1e-9)  # nothing is lost
R, K = SLIPPERY.unloaded_radius, SLIPPERY.vertical_stiffness
FACE = 1.0  # m


def ridden(
    top: float, speed: float, towards: float = 0.0, friction: float = 0.0, spin: float = 0.0
) -> tb.Run:
    """A wheel that slides to a kerb; towards π it comes the other way."""
    side = np.cos(towards)
    road = PlaneRoad(kerbs=(Kerb((side * FACE, 0.0), top, towards, friction=friction),))
    system = quarter_car(SLIPPERY, road, speed=side * speed, spin=side * spin).compile()
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
    [(0.05, 2.0, True), (0.15, 1.5, False), (1.0, 2.2, False)],
    ids=["climbed", "kerb", "wall"],
)
def test_a_wheel_climbs_a_kerb_or_is_thrown_back_with_the_energy_that_it_had(
    top: float, speed: float, climbs: bool
) -> None:
    """½ v² > g h alone doesn't climb: a high edge pushes back more than up. The carcass gives way
    by less than 9 cm, so that the rim stays whole."""
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
    gap, out = kerb.gap([7.0, 5.6, 0.10], across, 0.3, 0.08)  # deep in it, and below its top
    assert gap == pytest.approx(-0.9) and out == pytest.approx([0.0, -1.0, 0.0])
    assert kerb.carries([0.0, 5.1, 0.4], 0.2) == 1.0
    assert kerb.carries([0.0, 5.1, 0.3], 0.2) == kerb.carries([0.0, 4.9, 0.4], 0.2) == 0.0
    with pytest.raises(ModelError, match=r"Kerb: its top is -0\.1"):
        Kerb((0.0, 0.0), -0.1)


def test_a_rim_bends_where_the_carcass_gives_way_no_further_and_stays_bent() -> None:
    """At 4 m/s there are 1.8 kJ more than 9 cm of the carcass take; what comes back is the
    carcass's and e² of the rim's."""
    run = ridden(1.0, 4.0)
    start, carcass = 0.5 * (MASS + WHEEL) * 4.0**2, 0.5 * K * (0.3 * R) ** 2
    back = 0.5 * (MASS + WHEEL) * run["x rate"][-1] ** 2
    assert back == pytest.approx(carcass + 0.15**2 * (start - carcass), rel=0.05)
    assert run["tyre.dent"][-1] > 0.02
    assert np.diff(total(run, 1.0)).max() < 1e-3 * start


@pytest.mark.parametrize("mu", [0.02, 2.0])
def test_a_slow_tread_at_a_wall_is_damped_by_four_kilonewton_seconds_a_metre(mu: float) -> None:
    """So that a tick of 1 ms takes a third of a wheel's momentum at most: J ω̇ = −r² ω/(u₀/(μ N) +
    1/D) with D = 4 kN s/m, u₀ = 0.05 m/s and N of a carcass that is pressed by 5 cm."""
    road = PlaneRoad(kerbs=(Kerb((FACE, 0.0), 1.0, 0.0, friction=mu),))
    system = quarter_car(SLIPPERY, road, speed=0.0, spin=0.0).compile()
    depth, omega = 0.05, 1e-5
    x = system.assemble({"x": FACE - R + depth, "z": R}, {"spin": omega})
    found = dict(zip(system.velocities, system.forward_dynamics(x.q, x.v, z=x.z), strict=True))
    slope = 1.0 / (0.05 / (mu * K * depth) + 1.0 / 4e3)
    assert found["spin"] == pytest.approx(-slope * R**2 * omega / INERTIA, rel=1e-6)


def test_friction_at_a_wall_stops_the_spin_as_fast_as_the_wheel() -> None:
    """I Δω = −μ r m Δv while the tread slips, whatever the force's course."""
    mu, spin = 0.3, 200.0
    run = ridden(1.0, 2.0, friction=mu, spin=spin)
    change = run["x rate"][-1] - run["x rate"][0]
    slowed = mu * R * (MASS + WHEEL) * change / 0.8
    assert run["spin rate"][-1] > 20.0  # it never stopped slipping
    assert run["spin rate"][-1] - spin == pytest.approx(slowed, rel=0.02)
    assert run["z"].max() > 0.32  # and the wall lifted the wheel, from 0.29 m
