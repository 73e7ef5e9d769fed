"""Engine, gears and brakes with Gallo's numbers, and a wheel that they drive, stop and hold."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.testing import assert_allclose

import touchback as tb
from quarter_car import MF, WEIGHT, quarter_car
from touchback.errors import ModelError
from touchback.vehicle import (
    Contact,
    DiscBrake,
    Engine,
    Gearbox,
    PlaneRoad,
    add_driveline,
    line_pressure,
)
from touchback.vehicle.driveline import BAR, RPM

ENGINE, BOX = Engine(), Gearbox()


def test_the_engine_has_the_three_torques_that_its_map_was_made_of() -> None:
    """Gallo 2012, p. of (4.4): 96, 137 and 0 N m, to the digits of the coefficients."""
    torques = ENGINE.at_full_throttle(np.array([1000.0, 3000.0, 6000.0]))
    assert_allclose(torques, [96.0, 137.0, 0.0], atol=0.4)
    n = np.linspace(0.0, 6000.0, 60001)
    power = ENGINE.at_full_throttle(n) * n / RPM / 735.49875  # CV
    assert_allclose(power.max(), 70.6, atol=0.05)  # and not the 88 CV of his text
    assert_allclose(ENGINE.at_full_throttle(n).max(), 137.0, atol=0.2)


def test_in_second_gear_at_3000_rpm_the_wheels_get_his_torques() -> None:
    tau = BOX.ratio(2)
    assert_allclose(ENGINE.torque(3000.0, 1.0) * tau, 742.2, atol=0.05)
    assert_allclose(ENGINE.torque(3000.0, 0.0) * tau, -243.8, atol=0.05)
    # appendix E's own lines for half a pedal
    n, f = 3000.0, 210 / 420
    T = -9.9444e-10 * n**3 - 3.2888e-6 * n**2 + 0.046583 * n + 53.7
    assert_allclose(ENGINE.torque(n, ENGINE.throttle(210)), T * f - 15e-3 * n * (1 - f), rtol=1e-15)


def test_pedals_count_from_nothing_to_all() -> None:
    assert [float(ENGINE.throttle(c)) for c in (-7, 0, 105, 420, 999)] == [0.0, 0.0, 0.25, 1.0, 1.0]
    counts = np.array([-100.0, 0.0, 16383.5, 32767.0])
    assert_allclose(line_pressure(counts) / BAR, [0.0, 0.0, 20.0, 40.0])


def test_gears_have_the_ratios_of_table_3_1_and_the_top_one_its_speed() -> None:
    assert_allclose([float(BOX.ratio(g)) for g in (1, 2, 3)], np.array([2.475, 1.475, 1.0]) * 3.673)
    speed = 1000.0 / RPM / BOX.ratio(3) * 0.286 * 3.6  # km/h per 1000 rpm on 155/80 R13
    assert_allclose(speed, 29.4, atol=0.1)


def test_it_shifts_by_its_map_and_never_hunts() -> None:
    assert [float(BOX.shifted(g, 5100.0, 1.0)) for g in (1, 2, 3)] == [2.0, 3.0, 3.0]
    assert [float(BOX.shifted(g, 1100.0, 0.0)) for g in (1, 2, 3)] == [1.0, 1.0, 2.0]
    assert float(BOX.shifted(2, 3000.0, 1.0)) == 2.0
    for f in np.linspace(0.0, 1.0, 11):
        for gear in (1, 2):
            n = 2500.0 + 2500.0 * f + 1.0
            after = n * BOX.ratio(gear + 1) / BOX.ratio(gear)
            assert float(BOX.shifted(gear, n, f)) == gear + 1
            assert float(BOX.shifted(gear + 1, after, f)) == gear + 1
    with pytest.raises(ModelError, match="it would hunt"):
        Gearbox(up=(2500.0, 3000.0))


def drive_car(gear: int | None, speed: float) -> tb.System:
    """Twice a quarter car's mass on one driven axle's wheel: enough to feel the engine."""
    m = quarter_car(MF, speed=speed)
    throttle = m.input("throttle", min=0.0, max=1.0)
    line = add_driveline(m, ("spin",), throttle, gear=gear)
    m.sensor("n", tb.Signal(line.speed, "rpm"))
    m.sensor("torque at wheels", tb.Signal(line.torque, "N m"))
    return m.compile()


def test_the_virtual_wheels_tell_the_engine_its_speed() -> None:
    system = drive_car(2, 12.0)
    run = tb.simulate(system, duration=0.3, inputs={"throttle": 0.6}, progress=False)
    n = run["spin rate"] * 1.475 * 3.673 * 60.0 / (2.0 * np.pi)
    assert_allclose(run["n"], n, rtol=1e-12)
    assert_allclose(run["torque at wheels"], ENGINE.torque(n, 0.6) * 1.475 * 3.673, rtol=1e-12)


def test_an_open_differential_gives_each_wheel_its_half_of_what_the_clutch_leaves() -> None:
    m = tb.Model("axle", gravity=(0, 0, 0))
    for side, speed in (("left", 40.0), ("right", 60.0)):
        disc = m.body(side, 1.0, inertia=(1.0, 2.0, 1.0))
        m.joint(side, tb.Revolute("y"), m.ground, disc, velocity=[speed])
    clutch = m.input("clutch")
    add_driveline(m, ("left", "right"), m.input("throttle", default=0.5), gear=2, clutch=clutch)
    system = m.compile()
    start = system.assemble()
    n = 50.0 * 1.475 * 3.673 * 60.0 / (2.0 * np.pi)
    share = ENGINE.torque(n, 0.5) * 1.475 * 3.673 / 2.0
    for pressed in (0.0, 0.4, 1.0):
        given = {"throttle": 0.5, "clutch": pressed}
        found = system.forward_dynamics(start.q, start.v, u=given)
        assert_allclose(found, [(1.0 - pressed) * share / 2.0] * 2, rtol=1e-12)


def test_it_shifts_up_as_it_gains_speed_and_down_as_it_coasts() -> None:
    system = drive_car(None, 3.0)
    run = tb.simulate(
        system, duration=16.0, inputs={"throttle": lambda t: 0.5 * (t < 5.0)},
        method="rk4", step=1e-3, rate=1000, progress=False,
    )  # fmt: skip
    gears = run["driveline gear"]
    changes = gears[np.flatnonzero(np.diff(gears)) + 1]
    assert list(changes) == [2.0, 3.0, 2.0, 1.0] and run["x rate"].max() > 18.0
    # a shift changes n by the gears' ratio, at once
    at = int(np.flatnonzero(np.diff(gears))[0])
    assert_allclose(run["n"][at + 1] / run["n"][at - 1], 1.475 / 2.475, rtol=0.02)


def braked(
    pressure: float | Callable[[float], float],
    duration: float,
    speed: float = 12.0,
    road: PlaneRoad | None = None,
) -> tb.Run:
    """A wheel that is towed at a speed, or left alone at none, with a pressure in its line."""
    m = quarter_car(MF, road, speed=speed)
    if speed:
        m.drive("x", lambda t: speed * t, name="tow")
    m.force("brake", DiscBrake(joint="spin", pressure=m.input("pressure", unit="Pa")))
    system, inputs = m.compile(), {"pressure": pressure}
    return tb.simulate(system, duration=duration, inputs=inputs, progress=False)


def test_a_wheel_locks_at_the_pressure_that_its_tyre_s_best_force_asks_for() -> None:
    brake = DiscBrake(joint="spin", pressure=0.0)
    slips = np.linspace(-1.0, 0.0, 4001)
    contact = Contact(WEIGHT, slips, speed=12.0, rolling=12.0)
    grip = MF.grip(contact)
    radius = float(MF.carcass(Contact(WEIGHT), 42.0).loaded_radius)
    lock = brake.lock_up_pressure(-grip.fx.min(), radius, -float(grip.my.max()))
    run = braked(lambda t: 0.8 * lock + 0.1 * lock * t, 4.0)
    spin = run["spin rate"]
    assert spin[-1] < 0.5  # it locked
    slip = run["t.slip"]
    best = slips[grip.fx.argmin()]
    passed = np.flatnonzero(slip < 1.5 * best)[0]
    # within what the ramp adds while the wheel comes to a stop
    assert_allclose(run["pressure"][passed], lock, rtol=0.03)
    below = braked(0.95 * lock, 2.0)
    assert below["spin rate"][-1] > 30.0  # 5 % less, and it rolls on


def test_a_sliding_disc_brakes_with_two_pads_of_friction() -> None:
    m = tb.Model("disc", gravity=(0, 0, 0))
    disc = m.body("disc", 5.0, inertia=(0.4, 0.8, 0.4))
    m.joint("spin", tb.Revolute("y"), m.ground, disc, velocity=[60.0])
    brake = DiscBrake(
        joint="spin", pressure=10 * BAR, piston_area=20e-4, radius=0.1, pad_friction=0.4
    )
    m.force("brake", brake)
    run = tb.simulate(m.compile(), duration=0.5, progress=False)
    sliding = (run.time > 0.05) & (run["spin rate"] > 5.0)
    slope = np.polyfit(run.time[sliding], run["spin rate"][sliding], 1)[0]
    assert_allclose(slope * 0.8, -2 * 0.4 * 10 * BAR * 20e-4 * 0.1, rtol=1e-3)
    late = run.time > 0.45
    assert np.abs(run["spin rate"][late]).max() < 0.05  # and then it stands


def test_a_braked_car_stands_on_a_slope() -> None:
    run = braked(30 * BAR, 6.0, speed=0.0, road=PlaneRoad(slope_x=0.2))
    late = run.time > 5.0
    assert np.ptp(run["x"][late]) < 1e-5
    rolls = braked(0.0, 1.5, speed=0.0, road=PlaneRoad(slope_x=0.2))
    assert rolls["x"][-1] < -1.0


def test_impossible_drivelines_are_refused_by_name() -> None:
    m = quarter_car(MF)
    throttle = m.input("throttle")
    with pytest.raises(ModelError, match="it has no gear 4; its gears are 1 to 3"):
        add_driveline(m, ("spin",), throttle, gear=4)
    with pytest.raises(ModelError, match="it drives no wheel"):
        add_driveline(m, (), throttle)
    with pytest.raises(ModelError, match="DiscBrake: its radius is 0"):
        DiscBrake(joint="spin", pressure=0.0, radius=0.0)
