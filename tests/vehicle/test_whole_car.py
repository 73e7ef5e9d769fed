"""The whole car takes a human's hands and feet, and the manoeuvres of the single-track one."""

import numpy as np
import pytest

import touchback as tb
from touchback.vehicle import WholeCar
from touchback.vehicle.drivers import Human
from touchback.vehicle.manoeuvres import BrakingInTurn, DoubleLaneChange, SlowRamp, drive, model_of

CAR = WholeCar()


def test_a_human_turns_and_brakes_the_whole_car() -> None:
    """Through hands of 400 N m/rad and the torsion bar it turns to where the wheel is turned; the
    brake slows it, and less than friction (0.95 of the shipped tyre) allows."""
    system = model_of(CAR, Human(), 15.0).compile()
    run = tb.simulate(
        system, duration=0.8, inputs={"steering wheel": 0.5, "brake": 0.1, "throttle": 0.0},
        output_step=0.01, progress=False, method="rk4", step=1e-3,
    )  # fmt: skip
    assert run["steering wheel"][-1] == pytest.approx(0.5, abs=0.02)  # hands give way a little
    assert run["yaw"][-1] > 0.05 and run["y"][-1] > 0.0
    lost = run["speed"][0] - run["speed"][-1]
    assert 0.5 < lost < 0.95 * 9.81 * 0.8


@pytest.mark.soak
def test_the_whole_car_understeers_and_comes_through_the_double_lane_change() -> None:
    """Its gradient at v and δ is that of its own steady state: K = (δ − l ψ̇/v)/(v ψ̇) at the end
    of the ramp, where all is steady, within what its tyres bend away by then."""
    outcome = drive(CAR, SlowRamp())
    run = outcome.run
    yaw_rate, speed = run["yaw rate"][-1], run["speed"][-1]
    steer = run["steering wheel"][-1] / CAR.steering_ratio
    steady = (steer - CAR.wheelbase * yaw_rate / speed) / (speed * yaw_rate)
    assert outcome["understeer gradient"] == pytest.approx(steady, rel=0.25)
    assert drive(CAR, DoubleLaneChange())["accepted"] == 1.0
    assert drive(CAR, DoubleLaneChange(50.0 / 3.6, part=2))["accepted"] == 1.0
    tight = DoubleLaneChange(60.0 / 3.6, part=2, preview=0.4, room=0.1)
    assert drive(CAR, tight)["accepted"] == 1.0


@pytest.mark.soak
def test_the_whole_car_does_not_spin_when_its_brakes_lock_in_a_turn() -> None:
    """Front wheels lock first and take it straight on; deceleration is what friction holds."""
    outcome = drive(CAR, BrakingInTurn())
    assert outcome["peak slip angle"] < 0.1 and abs(outcome["inside the circle"]) < 1.0
    assert 6.0 < outcome["deceleration"] < 0.95 * 9.81


@pytest.mark.soak
def test_a_light_brake_in_a_turn_turns_the_car_in_by_what_load_it_shifts() -> None:
    """With side forces in proportion to load and slip angle, c N α, a deceleration z g shifts load
    by m g z h/l to the front axle: l κ = δ − v² κ [b/(b + z h)/c_f − a/(a − z h)/c_r]/g, for the
    wheel angle δ of the circle before. In second gear the engine's drag doubles what the rear
    wheels brake with: there the inner one locks, and the car spins."""
    (_, a, h), length, g = CAR.car.balance(), CAR.wheelbase, 9.81
    b = length - a
    for pedal in (0.1, 0.2):
        outcome = drive(CAR, BrakingInTurn(pedal=pedal))
        run, circle = outcome.run, 6.95
        at = {name: float(np.interp(circle, run.time, run[name])) for name in run.names}
        stiff = [
            sum(at[f"{end} {side}.fy"] for side in ("left", "right"))
            / sum(at[f"{end} {side}.load"] for side in ("left", "right"))
            / -at[f"{end} right.slip angle"]
            for end in ("front", "rear")
        ]
        radius, z = outcome["radius"], outcome["deceleration"] / g
        now = float(np.interp(circle + 1.05, run.time, run["speed"]))
        wheel = length / radius + at["speed"] ** 2 / radius * (1 / stiff[0] - 1 / stiff[1]) / g
        shifted = (b / (b + z * h) / stiff[0] - a / (a - z * h) / stiff[1]) / g
        expected = wheel / (length + now**2 * shifted) * radius
        assert outcome["yaw rate ratio"] == pytest.approx(expected, rel=0.08)
        assert outcome["peak slip angle"] < 0.07
    spun = drive(CAR, BrakingInTurn(pedal=0.2, clutch=0.0))
    assert spun["peak slip angle"] > 0.3
    assert spun.run["rear left.slip"].min() < -0.95 < spun.run["front right.slip"].min()
