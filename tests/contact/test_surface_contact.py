"""Contacts whose nearest points are states: against a closed form and against other contacts."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import touchback as tb
from touchback.contact.compliant_contacts import SurfaceContact
from touchback.contact.contact_laws import HuntCrossley
from touchback.contact.nearest_point_search import find_nearest, numbers
from touchback.contact.surface_tracking import Side
from touchback.contact.surfaces import Ball, Ellipsoid, Plane, Roller, Surface

HALVES = np.array([0.12, 0.08, 0.05])
POSITION = (0.0, 0.0, 0.0792, 0.9, 0.1, 0.4, 0.0)
LAW = HuntCrossley(2e6)


def on_the_floor(
    surface: Surface, position: tuple[float, ...], guess: tuple[float, ...], **options: object
) -> tb.Model:
    """A free body over the floor."""
    x, y, z, w, *v = position
    R = Rotation.from_quat([*v, w]).as_matrix()
    floor = Side(Plane(), np.eye(3).tolist(), [0.0, 0.0, 0.0])
    start = numbers(find_nearest(floor, Side(surface, R.tolist(), [x, y, z]), guess))
    m = tb.Model("pebble")
    body = m.body("pebble", mass=1.5, inertia=(0.003, 0.005, 0.006))
    m.joint("free", tb.Free(), m.ground, body, position=position)
    contact = SurfaceContact(
        m.ground.at(0, 0, 0), Plane(), body.at(0, 0, 0), surface, tuple(start), LAW, **options
    )
    m.force("floor", contact)
    m.sensor("gap", tb.Gap("floor"))
    m.sensor("energy", tb.Energy())
    return m


def lowest(run: tb.Run) -> np.ndarray:
    """The ellipsoid's lowest points in closed form, (T, 3)."""
    quaternion = np.stack([run[f"free.q{c}"] for c in "xyzw"], axis=1)
    R = Rotation.from_quat(quaternion).as_matrix()
    A = R @ np.diag(HALVES**2) @ R.transpose(0, 2, 1)
    down = -A[:, :, 2] / np.sqrt(A[:, 2, 2])[:, None]
    return np.stack([run[f"free.{c}"] for c in "xyz"], axis=1) + down


@pytest.mark.parametrize("correction", [0.0, 100.0])
def test_a_rocking_pebble_is_tracked_where_its_support_is(correction: float) -> None:
    """An ellipsoid that bounces and rocks on a hard floor without friction: the states follow the
    closed form, the books of energy stay."""
    m = on_the_floor(Ellipsoid(*HALVES), POSITION, (0.05, 0, 0.01), correction=correction)
    system = m.compile()
    start = system.assemble(rates={"free.wx": 3.0, "free.wz": 5.0})
    run = tb.simulate(system, start, 0.5, rtol=1e-10, atol=1e-12, progress=False)
    found = np.stack([run[f"floor.b{axis}"] for axis in "xyz"], axis=1)
    expected = lowest(run)
    np.testing.assert_allclose(found, expected, atol=3e-9)
    np.testing.assert_allclose(run["gap"], expected[:, 2], atol=3e-9)
    assert run["gap"].min() < -1e-5 and run["gap"].max() > 1e-3  # it left the floor, and came back
    assert np.ptp(run["energy"]) < 1e-7


def test_a_start_that_is_off_is_drawn_to_the_nearest_points() -> None:
    m = on_the_floor(Ellipsoid(*HALVES), POSITION, (0.05, 0, 0.01))
    system = m.compile()
    start = system.assemble(guess={"free.qx": 0.15})  # not the position that the start is for
    run = tb.simulate(system, start, 0.3, rtol=1e-10, atol=1e-12, progress=False)
    off = np.abs(run["floor.bx"] - lowest(run)[:, 0])
    assert off[0] > 1e-3 and off[-1] < 1e-9


def test_a_ball_slides_and_rolls_as_on_a_sphere_on_plane() -> None:
    position = (0.0, 0.0, 0.0498, 1.0, 0.0, 0.0, 0.0)
    m = on_the_floor(Ball(0.05), position, (0, 0, 0.01), friction=0.3, slip_speed=1e-2)
    other = tb.Model("ball")
    ball = other.body("ball", mass=1.5, inertia=(0.003, 0.005, 0.006))
    other.joint("free", tb.Free(), other.ground, ball, position=position)
    law = {"stiffness": 2e6, "friction": 0.3, "slip_speed": 1e-2}
    other.force("floor", tb.contact.SphereOnPlane(ball, radius=0.05, **law))
    runs = []
    for model in (m, other):
        system = model.compile()
        start = system.assemble(rates={"free.vx": 0.4, "free.wy": -4.0, "free.wz": 2.0})
        runs.append(tb.simulate(system, start, 0.3, rtol=1e-10, atol=1e-12, progress=False))
    for name in ("free.x", "free.y", "free.z", "free.wx", "free.wy"):
        np.testing.assert_allclose(runs[0][name], runs[1][name], atol=1e-8)


def test_a_start_of_the_wrong_size_is_refused() -> None:
    with pytest.raises(tb.ModelError, match="its start has 3 numbers, 10 are expected"):
        SurfaceContact(tb.Frame("ground"), Plane(), tb.Frame("x"), Ball(1.0), (0.0, 0.0, 0.0))


def test_a_rolling_roller_is_tracked_with_its_hidden_coordinate() -> None:
    """A roller of a Mecanum wheel on its own, hopping and spinning: the point is the gradient of
    its support, −(R₁ tan q/cos ψ) i − (R − R₁/cos q) n with sin q = n·i/cos ψ."""
    R, R1, psi = 0.05, 0.037, np.pi / 4
    position = (0.0, 0.0, 0.02, 0.999, 0.0, 0.04, 0.0)
    m = on_the_floor(Roller(R, R1, psi), position, (0, 0, 0.006), correction=0.0)
    system = m.compile()
    start = system.assemble(rates={"free.wx": 4.0, "free.wz": 3.0, "free.wy": 0.5})
    run = tb.simulate(system, start, 0.12, rtol=1e-10, atol=1e-12, progress=False)
    x, y, z, w = (run[f"free.q{c}"] for c in "xyzw")
    axis = Rotation.from_quat(np.stack([x, y, z, w], axis=1)).as_matrix()[:, :, 0]
    sine = axis[:, 2] / np.cos(psi)
    cosine = np.sqrt(1 - sine**2)
    down = -(R1 * sine / cosine / np.cos(psi))[:, None] * axis
    down[:, 2] -= R - R1 / cosine
    found = np.stack([run[f"floor.b{c}"] - run[f"free.{c}"] for c in "xyz"], axis=1)
    np.testing.assert_allclose(found, down, atol=1e-8)
    np.testing.assert_allclose(run["floor.hidden b"], -sine, atol=1e-6)
    assert np.ptp(sine) > 0.05 and run["gap"].min() < 0.0


def test_a_radius_may_be_live() -> None:
    m = tb.Model("ball")
    ball = m.body("ball", mass=1.0, inertia=(0.01, 0.01, 0.01))
    m.joint("free", tb.Free(), m.ground, ball, position=(0, 0, 0.1, 1, 0, 0, 0))
    radius = m.parameter("radius", 0.05)
    floor = Side(Plane(), np.eye(3).tolist(), [0.0, 0.0, 0.0])
    start = find_nearest(floor, Side(Ball(0.05), np.eye(3).tolist(), [0, 0, 0.1]), (0, 0, 0.03))
    m.force(
        "floor",
        SurfaceContact(
            m.ground.at(0, 0, 0), Plane(), ball.at(0, 0, 0), Ball(radius), tuple(numbers(start))
        ),
    )
    system = m.compile()
    system["radius"] = 0.06
    run = tb.simulate(system, system.assemble(), 0.05, progress=False)
    # the states were found for another radius: they are drawn to this one
    assert run["floor.bz"][-1] == pytest.approx(run["free.z"][-1] - 0.06, abs=1e-4)
