"""Walls stop cars: straight, askew, sideways and backwards, at ticks of 1 ms and any speed."""

from math import cos, pi, radians, sin

import numpy as np
import pytest

import touchback as tb
from touchback.vehicle import Body, BodyAtWalls, Car, Kerb, PlaneRoad, add_car

FAR = 12.0  # m, from the middle to each wall of a yard
YARD = tuple(
    Kerb((FAR * cos(a), FAR * sin(a)), 1.0, a) for a in np.arange(4) * pi / 2
)  # fmt: skip
WHEELS = [f"{end} {side}" for end in ("front", "rear") for side in ("left", "right")]
RADIUS = 0.28  # m


@pytest.fixture(scope="module")
def yard() -> tb.System:
    """A car in the middle of four walls."""
    model = tb.Model("car")
    add_car(model, Car(), PlaneRoad(kerbs=YARD), hands="torque")
    model.sensor("wall", tb.ContactForce("body"))
    model.sensor("gap", tb.Gap("body"))
    model.sensor("energy", tb.Energy("total"))
    return model.compile()


def driven(yard: tb.System, kmh: float, course: float = 0.0, yaw: float = 0.0) -> tb.Run:
    """Along `course` [deg] from the car's x, which stands turned by `yaw` [deg]; it rolls if that
    is its way, and starts so that it soon meets a wall."""
    v, turned, way = kmh / 3.6, radians(yaw), radians(course)
    rates = {"chassis.vx": v * cos(way), "chassis.vy": v * sin(way)}
    rates |= {f"{wheel} spin": v * cos(way) / RADIUS for wheel in WHEELS}
    goes = np.array([cos(turned + way), sin(turned + way)])
    start = (FAR - 4.0) * goes / np.abs(goes).max()
    places = {
        "chassis.x": start[0], "chassis.y": start[1],
        "chassis.qw": cos(turned / 2), "chassis.qz": sin(turned / 2),
    }  # fmt: skip
    state = yard.assemble(places, rates=rates)
    time = 0.35 + 6.0 / v
    return tb.simulate(yard, state, duration=time, method="rk4", step=1e-3, progress=False)


@pytest.mark.parametrize(
    ("kmh", "course", "yaw"),
    [
        (10, 0, 0), (72, 0, 0), (130, 0, 0), (200, 0, 0),
        (100, 0, 10), (200, 0, 30), (100, 0, 70), (200, 0, 80),
        (72, 90, 0), (200, 90, 5), (72, 180, 0), (200, 180, 20), (130, 30, 30),
    ],
)  # fmt: skip
def test_a_wall_stops_the_whole_car_at_ticks_of_a_millisecond(
    yard: tb.System, kmh: float, course: float, yaw: float
) -> None:
    """Its middle stays before the wall, and the travel stops hold the arms. No energy comes to be:
    the carcasses, which the sensor leaves out, store some kilojoules at most."""
    run = driven(yard, kmh, course, yaw)
    assert run["gap"].min() < -0.05 < 0.0 < run["wall"].max()
    for axis in "xy":
        assert np.abs(run[f"car position.{axis}"]).max() < FAR
    speed = np.hypot(run["car velocity.x"], run["car velocity.y"])
    into = np.abs(np.stack([run["car velocity.x"], run["car velocity.y"]]))
    towards = int(np.argmax(into[:, 0]))
    assert speed.max() < 1.005 * speed[0] + 0.1
    assert into[towards, -1] < 0.5 * into[towards, 0]
    assert run["energy"].max() < run["energy"][0] + 3e3
    assert max(np.abs(run[f"{wheel} lower arm"]).max() for wheel in WHEELS) < 0.7


def test_a_barrier_at_56_kmh_crushes_and_throws_the_car_back_as_in_tests(yard: tb.System) -> None:
    """Full-width tests of small cars against a rigid barrier: some 0.5 to 0.75 m of dynamic crush,
    20 to 40 g, and 0.1 to 0.2 of the speed back."""
    run = driven(yard, 56.0)
    assert 0.5 < -run["gap"].min() < 0.75
    assert 20.0 < np.abs(run["car acceleration.x"]).max() / 9.81 < 40.0
    assert 0.1 < -run["car velocity.x"][-1] / run["car velocity.x"][0] < 0.2


def test_the_walls_impulse_is_the_change_of_momentum(yard: tb.System) -> None:
    """On ice, at a speed at which the wheels, 0.3 m behind the front, don't reach the wall."""
    yard["grip"] = 0.02
    run = driven(yard, 20.0)
    yard["grip"] = 1.0
    assert -run["gap"].min() < 0.32
    mass = Car().balance()[0]
    gained = mass * (run["car velocity.x"][-1] - run["car velocity.x"][0])
    assert -np.trapezoid(run["wall"], run.time) == pytest.approx(gained, rel=0.02)


def box(mass: float, inertia: float, friction: float) -> tb.System:
    """One rigid body, 4 m by 1.6 m, that floats on a plane beside a wall at y = 0.8 m."""
    m = tb.Model("box", gravity=(0, 0, 0))
    body = m.body("box", mass, inertia=(inertia, inertia, inertia))
    m.joint("box", tb.Free(), m.ground, body)
    soft = Body(overhang=0.5, width=1.6, low=0.1, high=0.5, stiffness=1.2e5, restitution=0.4)
    m.force("body", BodyAtWalls(
        chassis=body.at(1.5, 0, -0.3), wheelbase=3.0, body=soft,
        walls=(Kerb((0.0, 0.8), 2.0, pi / 2, friction),),
    ))  # fmt: skip
    m.sensor("wall", tb.ContactForce("body"))
    return m.compile()


@pytest.mark.parametrize("friction", [0.0, 0.4])
def test_an_oblique_impact_is_routhes(friction: float) -> None:
    """Of a corner that slides at 10 m/s: J = (1 + e) v_n m*, with 1/m* = 1/m + a (a − μ b)/I for
    the corner's place b across and a along the wall; Δv = J/m, Δω = −J (a − μ b)/I (E. J. Routh,
    Rigid Dynamics; R. M. Brach, Mechanical Impact Dynamics, 1991). The impact lasts 0.1 s and moves
    the corner by 6 mm, so that the body hardly turns; of 1 ms that a dent takes to follow it keeps
    0.3 % of the energy that comes back."""
    mass, inertia, e, normal, yaw = 1000.0, 1500.0, 0.4, 0.1, 0.2
    system = box(mass, inertia, friction)
    a = 2.0 * cos(yaw) - 0.8 * sin(yaw)
    b = 2.0 * sin(yaw) + 0.8 * cos(yaw)
    state = system.assemble(
        {"box.y": 0.8 - b, "box.qw": cos(yaw / 2), "box.qz": sin(yaw / 2)},
        rates={
            "box.vx": 10.0 * cos(yaw) + normal * sin(yaw),
            "box.vy": -10.0 * sin(yaw) + normal * cos(yaw),
        },
    )
    run = tb.simulate(system, state, duration=0.5, method="rk4", step=1e-3, progress=False)
    impulse = (1.0 + e) * normal / (1.0 / mass + a * (a - friction * b) / inertia)
    assert np.trapezoid(run["wall"], run.time) == pytest.approx(impulse, rel=0.01)
    turn = -impulse * (a - friction * b) / inertia
    assert run["box.wz"][-1] == pytest.approx(turn, rel=0.01)
    ahead = np.hypot(run["box.vx"], run["box.vy"])
    lost = 0.5 * mass * (ahead[0] ** 2 - ahead[-1] ** 2)
    along = friction * impulse / mass
    up = normal - impulse / mass
    kept = (10.0 - along) ** 2 + up**2
    assert lost == pytest.approx(0.5 * mass * (10.0**2 + normal**2 - kept), rel=0.01)


def test_a_corner_stays_dented_from_the_side_that_it_was_hit() -> None:
    system = box(1000.0, 1500.0, 0.0)
    run = tb.simulate(
        system, system.assemble({"box.y": -0.1}, rates={"box.vy": 2.0}),
        duration=0.6, method="rk4", step=1e-3, progress=False,
    )  # fmt: skip
    reached = 2.0 * np.sqrt(1000.0 / (1.2e5 * 4.0 / 1.6))  # v √(m/K) of a long side
    for end in ("front", "rear"):
        assert run[f"body.{end} left y"][-1] == pytest.approx(-reached, rel=0.01)
        assert abs(run[f"body.{end} left x"][-1]) < 1e-3
        assert run[f"body.{end} right y"][-1] == 0.0
    assert run["box.vy"][-1] == pytest.approx(-0.4 * 2.0, rel=0.02)


def test_low_walls_meet_the_share_of_the_body_that_is_below_their_top() -> None:
    shape = Body(low=0.25, high=0.75)
    assert [shape.below(top) for top in (0.2, 0.5, 2.0)] == [0.0, 0.5, 1.0]
    with pytest.raises(tb.ModelError, match="give the lower first"):
        Body(low=0.8, high=0.7)
