"""A wheel with a mass on a road: it rests, rolls, lags, brakes, stands and jumps as it must."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs
from numpy.testing import assert_allclose

import touchback as tb
from quarter_car import BRUSH, DAMPED, INERTIA, MASS, MF, WEIGHT, WHEEL, G, quarter_car
from touchback.vehicle import (
    SMALL_TRACK,
    Bump,
    Contact,
    DiscBrake,
    LinearTyre,
    MagicFormula,
    Patch,
    PlaneRoad,
    Road,
    Tyre,
    TyreForces,
    TyreOnRoad,
    add_driveline,
    iso8608_road,
    read_height_map,
)


def driven(model: tb.Model, duration: float, torque: float | None = None) -> tb.Run:
    inputs = {} if torque is None else {"torque": torque}
    system = model.compile()
    return tb.simulate(system, duration=duration, inputs=inputs, rtol=1e-8, progress=False)


def test_at_rest_it_carries_the_weight_and_no_more() -> None:
    run = driven(quarter_car(BRUSH, speed=0.0), 4.0)
    assert_allclose(run["t.load"][-1], WEIGHT, rtol=1e-5)
    assert_allclose(run["gap"][-1], -WEIGHT / BRUSH.vertical_stiffness, rtol=1e-5)
    assert_allclose([run["t.fx"][-1], run["t.fy"][-1]], 0.0, atol=1e-3)


def test_a_post_that_shakes_the_wheel_moves_the_mass_as_a_spring_and_a_damper_do() -> None:
    """Transmissibility |X/Y|² = (k² + c²ω²)/((k − m ω²)² + c²ω²) of a mass on a shaken foot, here
    near its resonance: k of the carcass, m of mass and wheel, ω 26 rad/s (k/m = 27.5²)."""
    m, way, w = quarter_car(BRUSH, speed=0.0, held=True), 0.002, 26.0
    t = m.time
    tyre = m.forces["tyre"]
    assert isinstance(tyre, TyreOnRoad)
    m.forces["tyre"] = structs.replace(
        tyre, raised=way * tb.sin(w * t), rising=way * w * tb.cos(w * t)
    )
    run = driven(m, 4.0)
    steady = run["z"][run.time > 4.0 - 2.0 * np.pi / w]
    k, c, mass = BRUSH.vertical_stiffness, BRUSH.vertical_damping, MASS + WHEEL
    expected = np.hypot(k, c * w) / np.hypot(k - mass * w * w, c * w)
    assert_allclose(np.ptp(steady) / (2.0 * way), expected, rtol=2e-3)


@pytest.mark.parametrize("speed", [5.0, -5.0])
def test_a_side_slip_grows_over_the_relaxation_length(speed: float) -> None:
    """tan α′ = tan α (1 − exp(−s/σ)), s the way that the wheel rolled in its own plane, ahead or
    back, where it slips to the other side."""
    steer, sigma, way = 0.02, 0.4, np.sign(speed)
    tyre = LinearTyre(relaxation_y=sigma, vertical_damping=DAMPED)
    m = quarter_car(tyre, steer=steer, speed=speed)
    m.drive("x", lambda t: speed * t, name="tow")
    run = driven(m, 0.6)
    s = abs(run["x"]) * np.cos(steer)
    expected = way * np.tan(-steer) * (1.0 - np.exp(-s / sigma))
    assert_allclose(np.tan(run["t.slip angle"]), expected, atol=2e-5)
    assert_allclose(run["t.fy"][-1], 20.0 * run["t.load"][-1] * way * steer, rtol=2e-3)


def test_steady_slips_give_the_forces_of_the_tyre() -> None:
    m = quarter_car(MF, steer=-0.05, speed=12.0)
    m.drive("x", lambda t: 12.0 * t, name="tow")
    run = driven(m, 2.0, torque=60.0)
    slip, alpha, load = run["t.slip"][-1], run["t.slip angle"][-1], run["t.load"][-1]
    assert_allclose(alpha, 0.05, rtol=1e-4)
    contact = Contact(load, slip, alpha, speed=12.0 * np.cos(0.05), rolling=12.0)
    grip = MF.grip(contact)
    assert_allclose([run["t.fx"][-1], run["t.fy"][-1]], [grip.fx, grip.fy], rtol=1e-6)
    # the wheel turns evenly: motor, rolling resistance and F_x at the loaded radius are in balance
    radius = MF.free_radius() + run["gap"][-1] + 0.0007 * MF.free_radius() * (12.0 / 16.7) ** 2
    assert_allclose(60.0 + grip.my - grip.fx * radius, 0.0, atol=0.2)


def test_a_mirrored_tyre_pulls_to_the_other_side() -> None:
    """Ply steer and conicity (shifts S_Hy, S_Vy) push an upright, straight wheel aside."""
    numbers = {**MF.numbers, "PHY1": 0.004, "PVY1": 0.02, "QDZ6": 0.01}
    forces = []
    for mirrored in (False, True):
        m = tb.Model("towed", gravity=(0, 0, -G))
        sledge, mass = m.body("sledge"), m.body("mass", MASS)
        wheel = m.body("wheel", WHEEL, inertia=(0.4, INERTIA, 0.4))
        m.joint("x", tb.Prismatic("x"), m.ground, sledge, velocity=[10.0])
        m.joint("z", tb.Prismatic("z"), sledge, mass, position=[0.275])
        m.joint("spin", tb.Revolute("y"), mass, wheel, velocity=[35.4])
        tyre = MagicFormula(numbers)
        m.force("tyre", TyreOnRoad(wheel=wheel, tyre=tyre, mirrored=mirrored))
        m.sensor("t", TyreForces("tyre"))
        run = driven(m, 0.3)
        forces.append([run["t.fx"][-1], run["t.fy"][-1], run["t.mz"][-1]])
    (fx, fy, mz), other = forces
    assert abs(fy) > 80.0 and abs(mz) > 1.0
    assert_allclose(other, [fx, -fy, -mz], rtol=1e-9)


def test_a_locked_wheel_slows_with_the_sliding_friction_also_on_ice() -> None:
    ice = PlaneRoad(patches=(Patch((5.0, 100.0), (-1.0, 1.0), 0.1),))
    run = driven(quarter_car(BRUSH, ice, speed=10.0, held=True), 1.2)
    speed, x = run["x rate"], run["x"]
    time = run.time
    for share, place in ((1.0, (x > 2.0) & (x < 4.9)), (0.1, x > 5.2)):
        slope = np.polyfit(time[place], speed[place], 1)[0]
        assert_allclose(slope, -share * G, rtol=0.01)


@pytest.mark.parametrize("tyre", [BRUSH, MF], ids=["brush", "magic formula"])
def test_a_parked_wheel_stays_on_a_slope_that_friction_bears_and_slides_on_a_steeper(
    tyre: Tyre,
) -> None:
    slope = PlaneRoad(slope_x=0.3)
    model = quarter_car(tyre, slope, speed=0.0, held=True)
    parked = driven(model, 8.0)
    later = parked.time > 6.0
    assert np.ptp(parked["x"][later]) < 1e-6  # no creep
    assert abs(parked["x"][-1]) < 0.05  # but a little spring
    incline = WEIGHT * np.sin(np.arctan(0.3))
    assert_allclose(parked["t.fx"][-1], incline, rtol=1e-3)
    slides = driven(quarter_car(tyre, PlaneRoad(slope_x=1.3), speed=0.0, held=True), 2.0)
    assert slides["x"][-1] < -0.5


def test_it_rolls_down_a_slope_as_a_wheel_does() -> None:
    slope, tyre = 0.05, BRUSH
    run = driven(quarter_car(tyre, PlaneRoad(slope_x=-slope), speed=0.0), 3.0)
    late = run.time > 1.0
    found = np.polyfit(run.time[late], run["x rate"][late], 1)[0]
    # force acts at the loaded radius, the wheel rolls with the effective one
    loaded = tyre.unloaded_radius - WEIGHT / tyre.vertical_stiffness
    rolling = tyre.unloaded_radius - WEIGHT / (3 * tyre.vertical_stiffness)
    steep = np.arctan(slope)
    along = G * np.sin(steep) / (1.0 + INERTIA / (loaded * rolling) / (MASS + WHEEL))
    assert_allclose(found, along * np.cos(steep), rtol=2e-3)


def test_over_a_bump_it_leaves_the_road_and_never_pulls() -> None:
    road = PlaneRoad(bumps=(Bump(2.0, 1.5, 0.1),))
    run = driven(quarter_car(BRUSH, road, speed=15.0), 1.0)
    assert run["gap"].max() > 0.01 and run["t.load"].min() == 0.0
    off = run["gap"] > 0.0
    assert np.all(run["t.load"][off] == 0.0) and np.all(run["t.fx"][off] == 0.0)


@pytest.mark.parametrize(
    "road", [read_height_map(SMALL_TRACK), iso8608_road("C", 40.0, seed=5)], ids=["map", "random"]
)
def test_grids_are_driven_over_inside_the_tick(road: Road) -> None:
    run = driven(quarter_car(MF, road, speed=12.0), 3.0)
    heights = np.array([float(road.at(x, 0.0).height) for x in run["x"]])
    above = run["z"] - heights
    assert np.all((above > 0.24) & (above < 0.32)) and np.ptp(heights) > 0.01


def test_grip_is_a_live_parameter() -> None:
    system = quarter_car(BRUSH, speed=10.0, held=True, grip=1.0).compile()
    low = tb.simulate(system, duration=0.5, parameters={"grip": 0.3}, progress=False)
    assert_allclose(low["x rate"][-1], 10.0 - 0.3 * G * 0.5, atol=0.05)


def test_nothing_is_singular_where_it_stands_or_hangs() -> None:
    for height in (0.275, 0.5):
        m = quarter_car(MF, speed=0.0)
        system = m.compile()
        linear = tb.linearise(system, system.assemble(z=height))
        assert np.isfinite(linear.A).all()


def test_files_hold_it(tmp_path: Path) -> None:
    model = quarter_car(MF, read_height_map(SMALL_TRACK))
    model.save(tmp_path / "car.yaml")
    again = tb.read(tmp_path / "car.yaml").compile()
    old = model.compile()
    x = old.assemble()
    assert_allclose(
        again.forward_dynamics(x.q, x.v), old.forward_dynamics(x.q, x.v), rtol=0, atol=0
    )


def test_commands_know_its_kinds_in_files_without_being_told(tmp_path: Path) -> None:
    model = quarter_car(BRUSH)
    add_driveline(model, ("spin",), model.input("throttle"), gear=2)
    model.force("brake", DiscBrake(joint="spin", pressure=model.input("line", unit="Pa")))
    model.save(tmp_path / "car.yaml")
    code = "import sys; from touchback.cli.model_argument import load; "
    code += "print(load(sys.argv[1])[0].forces)"
    command = [sys.executable, "-c", code, str(tmp_path / "car.yaml")]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert "'tyre'" in done.stdout and "'brake'" in done.stdout
