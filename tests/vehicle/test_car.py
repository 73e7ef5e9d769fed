"""A whole car on the road: balances of forces and moments, and the feel of its steering."""

from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

import touchback as tb
from touchback.errors import ModelError
from touchback.vehicle import (
    BUGGY_TYRE,
    Car,
    Chassis,
    DoubleWishbone,
    Engine,
    MacPherson,
    MagicFormula,
    RigidAxle,
    Steering,
    TrailingArm,
    add_car,
)

G, RAMP = 9.81, 0.3
CORNERS = ("front left", "front right", "rear left", "rear right")


@cache
def car(speed: float = 15.0) -> tb.System:
    m = tb.Model("car")
    add_car(m, speed=speed)
    m.sensor("whole", tb.Energy())
    return m.compile()


def driven(
    system: tb.System, duration: float, method: str = "rk4", step: float = 1e-3, **inputs: float
) -> tb.Run:
    """Pedals held; a steering angle is reached within RAMP seconds."""
    steer = inputs.pop("steering_angle", 0.0)
    given: dict[str, object] = dict(inputs)
    given["steering angle"] = ((0.0, RAMP, 99.0), (0.0, steer, steer))
    given["steering rate"] = ((0.0, RAMP, RAMP + 1e-9, 99.0), (steer / RAMP,) * 2 + (0.0, 0.0))
    start = system.assemble(inputs={"steering rate": steer / RAMP})
    return tb.simulate(
        system, start, duration=duration, inputs=given, method=method, step=step,
        output_step=0.01, progress=False,
    )  # fmt: skip


def placed(system: tb.System, run: tb.Run) -> tuple[np.ndarray, np.ndarray]:
    """The centre of mass and the four contacts at the end of a run, along the car."""
    q = np.array([run[name][-1] for name in system.coordinates])
    x, y = run["car ahead.x"][-1], run["car ahead.y"][-1]
    along = np.array([[x, y, 0.0], [-y, x, 0.0], [0.0, 0.0, 1.0]]) / np.hypot(x, y)
    along[2, 2] = 1.0
    contacts = []
    for corner in CORNERS:
        R, centre = system.pose(f"{corner} wheel", q)
        down = R[2, 1] * R[:, 1] - [0.0, 0.0, 1.0]
        contacts.append(along @ (centre + 0.273 * down / np.linalg.norm(down)))
    return along @ np.asarray(system.centre_of_mass(q)), np.array(contacts)


def weight(system: tb.System) -> float:
    return sum(float(body.mass) for body in system.model.bodies.values()) * G


def test_it_has_its_eighteen_bodies_and_a_steering_wheel_and_fifteen_freedoms() -> None:
    """Six of the chassis, travel and spin of four wheels, and the rack: hands hold the wheel."""
    assert len(car().model.bodies) == 19
    assert car().freedoms().freedoms == 15


def test_standing_tyres_carry_the_weight_and_share_it_as_the_centre_of_mass_lies() -> None:
    m = tb.Model("nose-heavy")
    add_car(m, Car(chassis=Chassis(com=(-1.0, 0.05, 0.5))))
    system = m.compile()
    run = driven(system, 2.5, method="euler")
    loads = np.array([run[f"{corner}.load"][-1] for corner in CORNERS])
    assert_allclose(loads.sum(), weight(system), rtol=1e-3)
    centre, contacts = placed(system, run)
    moments = loads @ (contacts - centre)[:, :2] / loads.sum()
    # in roll, cambered tyres bear a little by their overturning moments (QSX): 3 of 50 mm
    assert (np.abs(moments) < [5e-4, 3e-3]).all()


def test_brakes_slow_it_by_their_torque_over_mass_and_radius() -> None:
    pressure = 8e5
    run = driven(car(), 0.6, brake=pressure)
    coast = driven(car(), 0.6)
    torque = 2 * 2 * 0.38 * pressure * (22.9e-4 + Car().rear_share() * 14.0e-4) * 0.115
    late = run.time > 0.3
    slower = np.mean(coast["engine"][late] - run["engine"][late])
    torque -= 0.015 * slower * float(tb.vehicle.Gearbox().ratio(2))  # less drag of the engine
    slowed = np.mean(coast["car acceleration.x"][late] - run["car acceleration.x"][late])
    # wheels turn as well: m + Σ J/R²
    mass, radius = weight(car()) / G, 0.28
    expected = torque / 0.273 / (mass + 4 * 0.8 / radius**2)
    assert_allclose(slowed, expected, rtol=0.02)


def test_full_throttle_pushes_it_by_the_engine_s_torque() -> None:
    run, coast = driven(car(), 0.4, throttle=1.0), driven(car(), 0.4)
    line = {key: np.mean(each["engine"][20:]) for key, each in (("full", run), ("none", coast))}
    engine, ratio = tb.vehicle.Engine(), float(tb.vehicle.Gearbox().ratio(2))
    torque = (engine.torque(line["full"], 1.0) - engine.torque(line["none"], 0.0)) * ratio
    gained = np.mean((run["car acceleration.x"] - coast["car acceleration.x"])[20:])
    mass = weight(car()) / G + 4 * 0.8 / 0.28**2
    assert_allclose(gained, torque / 0.273 / mass, rtol=0.02)


@cache
def turning() -> tb.Run:
    """A left turn that has become steady."""
    return driven(car(), 2.5, steering_angle=0.5, throttle=0.12)


def test_in_a_steady_turn_loads_shift_by_the_moment_of_the_side_force() -> None:
    run = turning()
    late = run.time > 2.2
    loads = {corner: np.mean(run[f"{corner}.load"][late]) for corner in CORNERS}
    assert_allclose(sum(loads.values()), weight(car()), rtol=5e-3)
    across = np.mean((-run["car acceleration.x"] * run["car ahead.y"]
                      + run["car acceleration.y"] * run["car ahead.x"])[late])  # fmt: skip
    assert 2.0 < across < 6.0
    yaw = np.mean(run["car turning.z"][late])
    speed = np.mean(np.hypot(run["car velocity.x"], run["car velocity.y"])[late])
    centre, contacts = placed(car(), run)
    # loads about the centre of mass: m a h of the side force, and wheels that the yaw turns
    tipping = -np.array(list(loads.values())) @ (contacts - centre)[:, 1]
    spins = sum(np.mean(run[f"{corner} spin rate"][late]) for corner in CORNERS)
    expected = weight(car()) / G * across * centre[2] + yaw * 0.8 * spins
    assert tipping > 0.3 * weight(car()) * 0.2
    assert_allclose(tipping, expected, rtol=0.03)
    assert_allclose(across, speed * yaw, rtol=0.03)


def test_side_forces_are_mass_times_lateral_acceleration() -> None:
    run = turning()
    late = run.time > 2.2
    force = sum(np.mean(run[f"{corner}.fy"][late]) for corner in CORNERS)
    across = np.mean((-run["car acceleration.x"] * run["car ahead.y"]
                      + run["car acceleration.y"] * run["car ahead.x"])[late])  # fmt: skip
    assert_allclose(force, weight(car()) / G * across, rtol=0.02)


def test_the_hands_hold_what_the_torsion_bar_and_the_column_s_friction_give() -> None:
    """Held still, the wheel's torque is that of the bar's twist (Docquier 2021, eq. 13)."""
    run, steering = turning(), Steering()
    twist = 0.5 - run["rack"] / steering.pinion
    bar = steering.torsion * twist - steering.torsion_damping * run["rack rate"] / steering.pinion
    late = run.time > 1.0  # the rest is the wheel's own inertia, 0.035 kg m² times yaw acceleration
    assert_allclose(run["steering torque"][late], bar[late], atol=2e-3)
    assert run["steering torque"][-1] > 1.0


def test_more_caster_makes_the_first_torque_larger_at_the_same_angle() -> None:
    system, found = car().independent_copy(), []
    for caster in (0.02, 0.09, 0.16):
        system["front caster"] = caster
        found.append(driven(system, 0.6, steering_angle=0.3)["steering torque"].max())
    assert found[0] < found[1] < found[2]


def test_alignment_changes_at_a_tick_of_a_live_run() -> None:
    """Moved while it drives, the linkage is where it would be if it had been built so."""
    with tb.live(car().independent_copy(), rate=1000, method="rk4", speed=None) as live:
        live["steering angle"] = 0.0
        live.run(0.05)
        before = live.read("front left.slip angle")
        live["front caster"] = 0.15
        live.run(0.01)
        live["front toe"] = 0.01
        live.run(0.25)
        after = live.read("front left.slip angle")
    assert "parameters: taken 2, refused 0" in str(live.report())
    # toe-in turns the wheel to the right: it slips to the left, but for what the bar gives way
    assert 0.007 < after - before < 0.011


def test_the_assist_lightens_the_wheel_and_friction_hides_small_forces() -> None:
    system, torque = car().independent_copy(), {}
    for assist in (0.0, 1.0):
        system["assist"] = assist
        torque[assist] = driven(system, 0.8, steering_angle=0.5)["steering torque"][-1]
    assert torque[1.0] < 0.75 * torque[0.0]
    system["steering friction"] = 1500.0
    # at this size the rack moves against friction on the way in: the hands feel it
    stuck = driven(system, 0.2, steering_angle=0.5)["steering torque"][-1]
    system["steering friction"] = 0.0
    assert stuck > driven(system, 0.2, steering_angle=0.5)["steering torque"][-1] + 1.0


def test_hands_that_give_a_torque_let_the_wheel_return() -> None:
    m = tb.Model("hands off")
    add_car(m, speed=15.0, hands="torque")
    system = m.compile()
    turned = system.assemble(positions={"steering wheel": 0.6, "rack": -0.6 * 0.0075})
    run = tb.simulate(system, turned, duration=1.5, method="rk4", step=1e-3, progress=False)
    assert abs(run["steering wheel"][-1]) < 0.15


def test_ticks_of_a_millisecond_are_fine_enough() -> None:
    """One euler step a tick, against RK4 with quarter steps, in the first second of a turn."""
    coarse = driven(car(), 1.0, method="euler", steering_angle=0.3, brake=5e5)
    fine = driven(car(), 1.0, step=2.5e-4, steering_angle=0.3, brake=5e5)
    assert_allclose(coarse["car position.y"], fine["car position.y"], atol=5e-3)
    assert_allclose(coarse["front left.load"][5:], fine["front left.load"][5:], rtol=0.02)


@pytest.mark.parametrize("rear", [TrailingArm(), RigidAxle()], ids=["trailing arms", "rigid"])
def test_axles_of_other_kinds_carry_a_car_too(rear: TrailingArm | RigidAxle) -> None:
    m = tb.Model("mixed")
    tyre = MagicFormula.read(BUGGY_TYRE)
    add_car(m, Car(front=MacPherson(), rear=rear, front_tyre=tyre, driven="front"), speed=10.0)
    system = m.compile()
    run = driven(system, 1.0, method="euler", steering_angle=0.3)
    assert run["car position.y"][-1] > 0.05 and run["car turning.z"][-1] > 0.05
    assert np.isfinite(run["rear left.load"]).all() and run["rear left.load"][-1] > 500.0


def test_the_balance_of_a_car_is_that_of_its_loads_at_rest() -> None:
    """Unsprung masses stand a little inside of the wheels' centres; some mm of two metres."""
    run = driven(car(0.0), 2.0)
    loads = {name: run[f"{name}.load"][-1] for name in CORNERS}
    mass, behind, _ = Car().balance()
    rear = loads["rear left"] + loads["rear right"]
    assert mass == pytest.approx(sum(loads.values()) / G, rel=2e-3)
    assert behind == pytest.approx(Car().wheelbase * rear / sum(loads.values()), abs=0.01)


@pytest.mark.parametrize("grip", [0.3, 1.0])
def test_front_wheels_lock_first_on_ice_and_on_a_dry_road(grip: float) -> None:
    """While the line's pressure rises by 45 bar a second: without the engine's drag."""
    m = tb.Model("car")
    add_car(m, Car(engine=Engine(drag=0.0)), speed=20.0)
    system = m.compile()
    system["grip"] = grip
    run = tb.simulate(
        system, duration=1.6, inputs={"brake": ((0.0, 2.0), (0.0, 90e5))}, method="rk4", step=1e-3,
        output_step=0.005, progress=False,
    )  # fmt: skip
    locked = {}
    for end in ("front", "rear"):
        slow = run[f"{end} left spin rate"] < 0.1 * run["car velocity.x"] / 0.273
        locked[end] = run.time[slow.argmax()] if slow.any() else np.inf
    assert locked["front"] < min(locked["rear"], 1.6)


def test_what_is_wrong_with_a_car_is_told() -> None:
    with pytest.raises(ModelError, match="Car: its front axle, a TrailingArm, has no tie"):
        Car(name="kart", front=TrailingArm())
    with pytest.raises(ModelError, match="its assist_torque begins at 1 N m"):
        Steering(assist_torque=(1.0, 2.0), assist_force=(0.0, 1.0))
    with pytest.raises(ModelError, match=r"Chassis: its mass: a number > 0.0 is expected, got -1"):
        Chassis(mass=-1.0)
    with pytest.raises(ModelError, match="hands give an 'angle' or a 'torque', got 'feet'"):
        add_car(tb.Model("car"), Car(front=DoubleWishbone()), hands="feet")  # type: ignore[arg-type]
