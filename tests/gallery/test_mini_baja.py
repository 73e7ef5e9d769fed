"""The Mini Baja of the gallery: it rests, rolls and stands on posts as its masses say."""

import pytest

import touchback as tb
from touchback import gallery
from touchback.gallery.mini_baja import CAR, FRONT, REAR

MASS = 222.0 + 4 * 9.0 + 2 * (2.5 + 2.0 + 4.0) + 2 * 7.0 + 2.0  # kg: chassis, wheels, arms, rack


@pytest.fixture(scope="module")
def system() -> tb.System:
    return gallery.make("mini-baja").compile()


def ridden(system: tb.System, seconds: float, **inputs: float) -> tb.Run:
    given = {name.replace("_", " "): value for name, value in inputs.items()}
    return tb.simulate(
        system, duration=seconds, method="rk4", step=1e-3, inputs=given, progress=False
    )


def test_at_rest_its_tyres_carry_its_weight_and_it_stands_as_designed(system: tb.System) -> None:
    run = ridden(system, 3.0)
    loads = [run[f"{wheel}.load"][-1] for wheel in FRONT + REAR]
    assert sum(loads) == pytest.approx(9.81 * MASS, rel=1e-4)
    assert loads[0] == pytest.approx(loads[1], rel=1e-6)
    assert run["frame position.z"][-1] == pytest.approx(CAR.chassis.com[2], abs=2e-3)


def test_posts_below_both_front_wheels_pitch_it_by_their_height_over_the_wheelbase(
    system: tb.System,
) -> None:
    """sin θ = h/l; springs give way by what the loads change, which is little: 3 %."""
    level = ridden(system, 3.0)
    run = ridden(system, 3.0, front_left_post=0.05, front_right_post=0.05)
    nose = 2.0 * (run["chassis.qy"][-1] - level["chassis.qy"][-1])
    assert -nose == pytest.approx(0.05 / CAR.wheelbase, rel=0.03)
    loads = sum(run[f"{wheel}.load"][-1] for wheel in FRONT + REAR)
    assert loads == pytest.approx(9.81 * MASS, rel=1e-4)


def test_the_torque_of_its_rear_axle_accelerates_masses_and_spins(system: tb.System) -> None:
    """a = (T/l) / (m + 4 J/(l R)): forces act at the loaded radius l, and wheels roll by R = R₀ −
    ρ/3 (ρ of a mean load, 720 N); slip and pitch leave 1 %."""
    run = ridden(system, 3.0, drive=60.0)
    first, last = (abs(run.time - t).argmin() for t in (2.0, 3.0))
    gained = run["frame velocity.x"][last] - run["frame velocity.x"][first]
    pressed = 720.0 / 6e4
    lever, rolling = 0.29 - pressed, 0.29 - pressed / 3.0
    inertia = MASS + 4.0 * CAR.front.wheel.spin_inertia / (lever * rolling)
    assert gained == pytest.approx(60.0 / lever / inertia, rel=0.01)
