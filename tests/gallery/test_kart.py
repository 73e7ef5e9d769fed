"""The kart on its belt: what moves below it and what it moves over are the same, forces add up to
mass times acceleration, and small angles give what linear single-track formulas say."""

import numpy as np
import pytest

import touchback as tb
from touchback.gallery import kart
from touchback.gallery.kart import SPEED, WHEELS, Kart, add_kart
from touchback.model.forces import Bushing
from touchback.model.sensors import TotalForce

G = 9.81
PLAN = Kart()
TYRE = PLAN.tyre
TRAIL = TYRE.patch / 3  # of bristles that all stick
MASS = PLAN.mass + PLAN.shaft_mass + 4 * PLAN.wheel.mass + 2 * 0.05  # and the stubs
FRONT, REAR = PLAN.front, PLAN.rear
# Wheels and shaft weigh at their own axles, the rest at the frame's centre of mass.
STERN = (PLAN.mass * FRONT + (PLAN.shaft_mass + 2 * PLAN.wheel.mass) * (FRONT + REAR)) / (
    MASS * (FRONT + REAR)
)  # share of the weight on the rear axle
AHEAD = STERN * (FRONT + REAR)  # from the whole's centre of mass to the front axle
BEHIND = FRONT + REAR - AHEAD
PER_LOAD = TYRE.cornering_stiffness / TYRE.nominal_load
PER_LOAD_ALONG = TYRE.slip_stiffness / TYRE.nominal_load
C_FRONT, C_REAR = PER_LOAD * MASS * G * (1 - STERN), PER_LOAD * MASS * G * STERN  # N/rad


def run_of(model: tb.Model, duration: float, step: float = 5e-4, **inputs: object) -> tb.Run:
    given = {name.replace("_", " "): value for name, value in inputs.items()}
    return tb.simulate(
        model.compile(), duration=duration, inputs=given, method="rk4", step=step,
        output_step=5e-3, progress=False,
    )  # fmt: skip


def steered(t: float) -> float:
    return 0.15 * np.sin(3.0 * t)


def free(on_belt: bool) -> tb.Model:
    m = tb.Model("free kart")
    if on_belt:
        add_kart(m, PLAN, 0.0, over=SPEED, moving=(-SPEED, 0.0, 0.0))
    else:
        add_kart(m, PLAN, SPEED)
    return m


def held(on_belt: bool) -> tb.Model:
    """By the cell, on a post, or on a carriage that goes ahead over a still road."""
    m = free(on_belt)
    post = m.ground.at(PLAN.ahead, 0, PLAN.radius)
    if not on_belt:
        carriage = m.body("carriage", 1.0)
        m.joint("carriage", tb.Prismatic("x"), m.ground, carriage, velocity=SPEED)
        m.drive("carriage", tb.Ramp(SPEED))
        post = carriage.at(PLAN.ahead, 0, PLAN.radius)
    stiff, damped = PLAN.cell
    frame = tb.Frame("frame", (PLAN.ahead, 0.0, PLAN.radius))
    m.force("cell", Bushing(post, frame, (stiff, stiff, 0.0), (damped, damped, 0.0)))
    return m


@pytest.mark.parametrize("model", [free, held])
def test_a_kart_on_a_belt_is_a_kart_that_drives_over_a_still_road(model) -> None:
    """Galileo: forces, angles and the way across are the same, the way along differs by v t. (A
    free joint's velocities turn with the body, which steps of half a millisecond feel by 3 nN.)"""
    still, belt = (
        run_of(model(on_belt), 1.2, step=2.5e-4, steering=steered, axle_torque=0.1)
        for on_belt in (False, True)
    )
    assert np.ptp(still["front left.fy"]) > 10.0
    forces = [f"{wheel}.{of}" for wheel in WHEELS for of in ("fx", "fy", "load")]
    for name in (*forces, "yaw", "shaft rate"):
        np.testing.assert_allclose(belt[name], still[name], rtol=0, atol=1e-9, err_msg=name)
    for axis, shift in (("x", SPEED * still.time), ("y", 0.0), ("z", 0.0)):
        np.testing.assert_allclose(
            belt[f"kart position.{axis}"] + shift, still[f"kart position.{axis}"], rtol=0, atol=1e-9
        )


def test_what_four_tyres_push_sideways_is_mass_times_acceleration() -> None:
    m = free(on_belt=False)
    bodies = list(m.bodies)
    for body in bodies:
        m.sensor(f"all on {body}", TotalForce(tb.Frame(body)))
    run = run_of(m, 1.5, steering=steered)
    pushed = np.zeros_like(run.time)
    for wheel in WHEELS:
        heading = run["yaw"] + (run[f"{wheel} pin"] if wheel.startswith("front") else 0.0)
        pushed += run[f"{wheel}.fx"] * np.sin(heading) + run[f"{wheel}.fy"] * np.cos(heading)
    accelerated = sum(run[f"all on {body}.y"] for body in bodies)
    assert np.ptp(pushed) > 25.0
    # The road's axes lean with the frame's roll, by half a degree.
    np.testing.assert_allclose(pushed, accelerated, atol=2e-3 * np.ptp(pushed))


def test_held_at_one_point_it_stands_askew_as_two_levers_say() -> None:
    """C_f (ψ + δ)(a − p) = C_r ψ (b + p), for angles at which hardly a bristle slides. The cell
    holds at the axles' height h, so that a side force F presses each outer tyre by F h/(4 t/2 k)
    and its rolling radius by a third of that: the shaft's outer wheel drags, which takes from the
    levers what a force C_κ h/(6 k R) behind does."""
    run = run_of(held(on_belt=True), 4.0, steering=1e-4)
    pin = 0.5 * (run["front left pin"][-1] + run["front right pin"][-1])
    slip_stiffness = PER_LOAD_ALONG * MASS * G * STERN / 2  # of a rear wheel
    behind = TRAIL + slip_stiffness / (6 * TYRE.vertical_stiffness)
    lever = FRONT - PLAN.ahead - behind, REAR + PLAN.ahead + behind
    yaw = C_FRONT * pin * lever[0] / (C_REAR * lever[1] - C_FRONT * lever[0])
    assert run["yaw"][-1] == pytest.approx(yaw, rel=0.01)
    front, rear = (
        sum(run[f"{end} {side}.fy"][-1] for side in ("left", "right")) for end in ("front", "rear")
    )
    assert front == pytest.approx(C_FRONT * (yaw + pin), rel=0.01)
    assert rear == pytest.approx(C_REAR * yaw, rel=0.01)


def test_the_cell_of_the_bench_feels_what_the_four_tyres_push() -> None:
    run = run_of(kart.make(), 3.0, steering=0.1)
    yaw = run["yaw"][-1]
    across = 0.0
    for wheel in WHEELS:
        heading = yaw + (run[f"{wheel} pin"][-1] if wheel.startswith("front") else 0.0)
        across += run[f"{wheel}.fy"][-1] * np.cos(heading) + run[f"{wheel}.fx"][-1] * np.sin(
            heading
        )
    assert run["cell across"][-1] == pytest.approx(-across, rel=1e-3)
    assert run["belt"][-1] == pytest.approx(SPEED, rel=1e-6)


def test_a_shaft_without_a_differential_slips_and_turns_the_kart_less() -> None:
    """Its outer wheel drags, its inner one pushes, κ = ∓ (t/2) Ω/v: a moment C_κ t²/2 Ω/v against
    the turn, in the linear single-track formulas."""
    steering, half = 2e-3, PLAN.half_track
    run = run_of(free(on_belt=False), 3.0, steering=steering)
    v = float(run["kart velocity.x"][-1])
    pin = 0.5 * (run["front left pin"][-1] + run["front right pin"][-1])
    drag = 2 * PER_LOAD_ALONG * (MASS * G * STERN / 2) * half**2 / v
    a, b = AHEAD - TRAIL, BEHIND + TRAIL  # where the forces act
    # Slip angles δ − β − AHEAD Ω/v and −β + BEHIND Ω/v; m v Ω of both forces, no moment.
    system = np.array([
        [C_FRONT + C_REAR, MASS * v + (AHEAD * C_FRONT - BEHIND * C_REAR) / v],
        [a * C_FRONT - b * C_REAR, (a * AHEAD * C_FRONT + b * BEHIND * C_REAR) / v + drag],
    ])  # fmt: skip
    turn = np.linalg.solve(system, [C_FRONT * pin, a * C_FRONT * pin])[1]
    found = np.gradient(run["yaw"], run.time)[-5]
    assert found == pytest.approx(turn, rel=0.02)
    system[1, 1] -= drag
    open_axle = np.linalg.solve(system, [C_FRONT * pin, a * C_FRONT * pin])[1]
    assert turn < 0.8 * open_axle
    inner, outer = run["rear left.slip"][-1], run["rear right.slip"][-1]
    assert inner - outer == pytest.approx(2 * half * found / v, rel=0.05)


def test_toe_in_lets_the_front_wheels_push_against_each_other() -> None:
    m = kart.make()
    run = tb.simulate(m.compile(), duration=1.0, parameters={"toe": 1e-3}, progress=False)
    left, right = run["front left.fy"][-1], run["front right.fy"][-1]
    assert left == pytest.approx(-right, rel=1e-6)
    assert -left == pytest.approx(C_FRONT / 2 * -run["front left pin"][-1], rel=0.01)
    assert abs(run["cell across"][-1]) < 1e-6


def test_the_four_side_forces_are_live() -> None:
    system = kart.make().compile()
    with tb.live(system, rate=1000, speed=None) as live:
        live["steering"] = 0.1
        live.run(2.0)
        sides = [live.read(f"{wheel}.fy") for wheel in WHEELS]
        live["belt speed"] = 0.0
        live["steering"] = 0.0
        live.run(3.0)
        assert abs(live.read("belt")) < 1e-6
        assert not live.faults
    assert all(side > 5.0 for side in sides)


def test_a_kart_without_a_track_is_refused() -> None:
    with pytest.raises(tb.ModelError, match=r"Kart.*half_track"):
        Kart(half_track=0.0)
