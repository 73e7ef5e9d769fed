"""The driving simulator: the torque of a steering wheel that a device prescribes, and arms."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.testing import assert_allclose

import touchback as tb
from touchback.devices import GuardedOutput
from touchback.haptics import Gesture, intention
from touchback.vehicle import Car, Steering
from touchback.vehicle.drivers import ObstacleAvoider, StraightPath
from touchback.vehicle.manoeuvres import model_of
from touchback.vehicle.simulator import (
    FEELING_ARMS,
    Arms,
    Person,
    SimulatedWheel,
    SimulatorCar,
    WiredWheel,
)
from waiting import until

SPEED = 75.0 / 3.6
CASTERS = (0.03, 0.09, 0.15)
TIMES = np.arange(0.0, 1.6, 1e-3)
TRACE = intention([Gesture(0.2, 0.5, press=0.3, stay=9.0)], TIMES)[0]  # of the wheel [rad]
# Tyres alone are felt: no assist, no friction.
BARE = Steering(
    wheel_inertia=1e-3, friction=0.0, column_friction=0.0, assist_force=(0.0, 0.0, 0.0, 0.0)
)
BARE_CAR = SimulatorCar(car=Car(steering=BARE), device=WiredWheel())


@cache
def bare() -> tb.System:
    return model_of(BARE_CAR, Person(SPEED), SPEED).compile()


@cache
def turned(caster: float) -> tb.Run:
    """The same trace of the device's wheel, whatever it takes."""
    system = bare().independent_copy()
    system["front caster"] = caster
    return tb.simulate(
        system, duration=1.4, inputs={"device wheel": (TIMES, TRACE)}, method="rk4", step=1e-3,
        rate=1000, output_step=0.005, progress=False,
    )  # fmt: skip


def test_at_the_same_angle_the_first_torque_peak_is_that_of_the_trails() -> None:
    """T = (t_mechanical + t_pneumatic) ΣF_y / i of the front tyres, t_mechanical being where the
    steering axis meets the road, 10 mm + 185 mm · tan(caster) ahead of the contact.

    Left out: loads on leaning axes. 5000 N at a scrub radius of 20 mm, a kingpin of 0.14 rad and a
    steer of 0.03 rad, 1500 N of load that shifts, at a caster of 0.15 rad, and overturning moments
    of as much: 10 N m of the 95 to 150 N m about both axes, of which signs differ. 8 %."""
    peaks = []
    for caster in CASTERS:
        run = turned(caster)
        assert_allclose(run["steering wheel"], turned(CASTERS[0])["steering wheel"], atol=1e-12)
        at = run["steering torque"].argmax()
        fy = run["front left.fy"][at] + run["front right.fy"][at]
        mz = run["front left.mz"][at] + run["front right.mz"][at]
        trail = 0.010 + 0.185 * np.tan(caster) - mz / fy
        peaks.append(run["steering torque"][at])
        assert_allclose(peaks[-1], trail * fy / BARE_CAR.steering_ratio, rtol=0.08)
    assert peaks[0] < 0.9 * peaks[1] < 0.8 * peaks[2]


def test_the_driven_wheel_is_where_a_double_lag_of_its_device_is() -> None:
    """θ̈ = ω² (θ_d − θ) − 2 ω θ̇ with ω = 400 rad/s: on a ramp it is 2/ω late, and a tick by which
    the device is sampled before the step."""
    system = bare().independent_copy()
    run = tb.simulate(
        system, duration=0.3, inputs={"device wheel": (TIMES, TIMES)}, method="rk4", step=1e-3,
        rate=1000, output_step=0.005, progress=False,
    )  # fmt: skip
    late = (run.time - run["steering wheel"])[run.time > 0.1]
    assert_allclose(late, 2.0 / 400.0 + 0.5e-3, atol=0.6e-3)


@cache
def simulated() -> tb.System:
    return model_of(SimulatorCar(), ObstacleAvoider(StraightPath(), SPEED), SPEED).compile()


@cache
def swerve(caster: float) -> tb.Run:
    """Round an obstacle that appears 0.3 s after the start, 40 m ahead, in a live run."""
    with tb.live(
        simulated(), rate=1000, method="rk4", speed=None, record=True,
        parameters={"front caster": caster},
    ) as live:  # fmt: skip
        live.run(0.3)
        live["obstacle"] = 46.0
        live.run(1.5)
    return live.recorded()


def test_arms_get_the_torque_of_the_car_and_give_way_to_it() -> None:
    """The motor gives what the car's wheel took a tick before, against the arms, whose balance is
    Newton's: (J_rim + J_arms) θ̈ = T_arms + T_motor − 0.05 θ̇."""
    run, arms = swerve(0.09), Arms()
    rate = run["device wheel rate"]
    told = -run["steering torque"] - 0.05 * rate
    assert_allclose(run["felt torque"][1:], told[:-1], atol=1e-9)
    assert np.abs(run["felt torque"]).max() > 2.0
    acceleration = np.gradient(rate, run.time)
    off = run["arms"] - run["device wheel"]
    delayed = np.interp(run.time - arms.delay, run.time, off)
    muscles = arms.stiffness * off + arms.reflex * delayed - arms.damping * rate
    left = 0.13 * acceleration - muscles - run["felt torque"]
    # friction of the motor's shaft and its damping, and differences of samples: a tenth of a N m
    smooth = np.convolve(left, np.ones(20) / 20, "same")
    assert np.abs(smooth[50:-50]).max() < 0.3


def test_a_driver_who_does_not_know_the_caster_turns_a_heavier_wheel_less() -> None:
    first = [swerve(caster) for caster in (CASTERS[0], CASTERS[-1])]
    torques = [run["steering torque"][run.time < 0.9].max() for run in first]
    angles = [run["device wheel"][run.time < 0.9].max() for run in first]
    assert torques[1] > 1.1 * torques[0] and angles[1] < 0.99 * angles[0]
    assert abs(angles[1] - angles[0]) < 0.1 * angles[0]  # "a very close angle value"
    assert all(run["y"][-1] > 0.5 for run in first)


def test_toe_caster_grip_roll_bar_and_roll_centre_change_while_it_drives() -> None:
    """In a steady turn: more caster, more torque; a stiffer bar in front, more of the load shifts
    there; higher roll centres, less roll for the same acceleration; less grip, more of the slip
    angle for the same force; toe-in, wheels apart by it."""
    found: list[dict[str, float]] = []
    with tb.live(bare().independent_copy(), rate=1000, method="rk4", speed=None) as live:

        def change(name: str, value: float, seconds: float) -> None:
            live[name] = value
            live.run(seconds)
            found.append(live.snapshot())

        change("front toe", 0.0, 0.3)
        change("front toe", 0.01, 0.4)
        for angle in TRACE[::100]:
            change("device wheel", angle, 0.1)
        change("grip", 1.0, 1.2)
        live["front pivots raised"] = 0.03
        change("rear pivots raised", 0.03, 1.2)
        change("front caster", 0.16, 1.2)
        change("front anti-roll bar", 40e3, 1.2)
        change("grip", 0.6, 1.2)
    assert "parameters: taken 7, refused 0" in str(live.report())
    plain, centre, caster, bar, grip = found[-5:]
    straight, toed = (
        each["front left.slip angle"] - each["front right.slip angle"] for each in found[:2]
    )
    assert toed - straight == pytest.approx(0.02, abs=0.003)  # the bar gives way a little
    assert rolled(centre) / centre["lateral"] < 0.995 * rolled(plain) / plain["lateral"]
    assert caster["steering torque"] > 1.15 * centre["steering torque"]
    shift = [each["front right.load"] - each["front left.load"] for each in (caster, bar)]
    assert shift[1] / bar["lateral"] > 1.05 * shift[0] / caster["lateral"]
    gave = [each["front right.fy"] / -each["front right.slip angle"] for each in (bar, grip)]
    assert gave[1] < 0.95 * gave[0]


def rolled(at: dict[str, float]) -> float:
    """Of the chassis, to the right [rad]."""
    w, x, y, z = (at[f"chassis.q{letter}"] for letter in "wxyz")
    return 2.0 * (w * x + y * z)


class Wheel:
    """A device with an angle and a motor, as a program of somebody else's would have it."""

    def __init__(self) -> None:
        self.asked, self.told = 0, 0.0

    def read(self) -> float:
        self.asked += 1
        return 0.3

    def write(self, value: float) -> None:
        self.told = value


def test_a_device_on_a_wire_turns_the_car_and_is_given_its_torque() -> None:
    wheel = Wheel()
    with tb.live(
        bare().independent_copy(), rate=1000, method="rk4", speed=0.5, priority=0,
        outputs={"felt torque": GuardedOutput(safe=0.0, low=-30.0, high=30.0, at_limit="clip")},
    ) as live:  # fmt: skip
        live.connect("device wheel", wheel, rate=100)
        live.connect("felt torque", wheel, rate=100)
        until(lambda: live.read("car turning.z") > 0.05 and wheel.told < -1.0)  # it turns it back
    assert wheel.asked > 1
    assert wheel.told == 0.0  # the last word of a run is the safe one


def test_arms_that_cannot_be_are_refused() -> None:
    with pytest.raises(tb.InputError, match=r"Arms: .*the stiffness not zero"):
        Arms(stiffness=0.0)
    with pytest.raises(tb.InputError, match=r"a yielding of 1.0; give a share"):
        Arms(yielding=1.0)


ASIDE = 4.0  # N m of the motor, from the start on


@cache
def pushed(arms: Arms) -> tb.Run:
    """A rim in arms that want it at zero, and its motor, which turns it aside; no car."""
    model = tb.Model("rim")
    device = SimulatedWheel(arms=arms)
    device.add(model, 0.0 * model.time, -ASIDE + 0.0 * model.time, 1e-3)
    system = model.compile()
    return tb.simulate(
        system, duration=0.8, method="rk4", step=1e-3, rate=1000, output_step=1e-3, progress=False
    )


def test_passive_arms_answer_a_torque_as_mass_damper_and_spring() -> None:
    """J θ̈ + b θ̇ + k θ = T from rest: θ = T/k (1 − e^(−σt)(cos ωt + σ/ω sin ωt)), σ = b/(2J), ω² =
    k/J − σ². The motor acts a tick late, by which θ is off by 1 ms of its rate at most."""
    arms = Arms(stiffness=12.0, damping=1.0, reflex=0.0)
    run, inertia, damping = pushed(arms), 0.04 + arms.inertia, arms.damping + 0.05
    sigma = damping / (2.0 * inertia)
    omega = np.sqrt(arms.stiffness / inertia - sigma**2)
    t = run.time
    swing = np.cos(omega * t) + sigma / omega * np.sin(omega * t)
    due = ASIDE / arms.stiffness * (1.0 - np.exp(-sigma * t) * swing)
    most = 1.5e-3 * np.abs(run["device wheel rate"]).max()
    assert_allclose(run["device wheel"], due, atol=most)
    assert run["device wheel"].max() > 1.2 * ASIDE / arms.stiffness  # it swings


def test_work_of_the_motor_is_what_passive_arms_store_and_lose() -> None:
    """∫ T_m dθ = J θ̇²/2 + k θ²/2 + ∫ b θ̇² dt at all times. Samples a millisecond apart add up to a
    thousandth."""
    arms = Arms(stiffness=12.0, damping=1.0, reflex=0.0)
    run = pushed(arms)
    rate, angle, felt = (run[n] for n in ("device wheel rate", "device wheel", "felt torque"))

    def summed(power: np.ndarray) -> np.ndarray:
        steps = 0.5e-3 * (power[1:] + power[:-1])
        return np.concatenate([[0.0], np.cumsum(steps)])

    given = summed(felt * rate)
    kept = 0.5 * 0.13 * rate**2 + 0.5 * arms.stiffness * angle**2
    assert_allclose(given, kept + summed(arms.damping * rate**2), atol=2e-3 * given.max())


def test_arms_that_give_way_yield_more_and_those_that_resist_less() -> None:
    """At rest k θ = T (1 + y): late, the torque's reflex adds to the motor's or works against it;
    stretch adds k_r: (k + k_r) θ = T. A torque that was expected moves nothing."""
    tense = Arms(stiffness=40.0, damping=4.0, reflex=0.0)
    kinds = {
        "alone": tense, "gives": replace(tense, yielding=0.5),
        "resists": replace(tense, yielding=-0.5), "stretch": replace(tense, reflex=6.0),
    }  # fmt: skip
    rest = {name: 40.0 / ASIDE * pushed(arms)["device wheel"][-1] for name, arms in kinds.items()}
    assert rest["gives"] == pytest.approx(1.5, abs=0.02)
    assert rest["resists"] == pytest.approx(0.5, abs=0.02)
    assert rest["alone"] == pytest.approx(1.0, abs=0.02)
    assert rest["stretch"] == pytest.approx(40.0 / 46.0, abs=0.02)


def test_a_driver_at_ease_takes_another_path_with_each_caster() -> None:
    """Without power assist: the more caster, the less he turns and the nearer to the obstacle he
    passes it, by more than stiff arms, whose paths hardly differ (Docquier's Fig. 28)."""
    system = model_of(
        SimulatorCar(device=SimulatedWheel(arms=FEELING_ARMS)),
        ObstacleAvoider(StraightPath(), SPEED), SPEED,
    ).compile()  # fmt: skip
    paths, peaks = [], []
    for caster in (CASTERS[0], CASTERS[-1]):
        with tb.live(
            system.independent_copy(), rate=1000, method="rk4", speed=None, record=True,
            parameters={"front caster": caster, "assist": 0.0},
        ) as live:  # fmt: skip
            live.run(0.3)
            live["obstacle"] = 46.0
            live.run(1.7)
        run = live.recorded()
        paths.append(np.interp(np.arange(10.0, 46.0), run["x"], run["y"]))
        peaks.append(run["steering torque"][run.time < 1.2].max())
    assert peaks[1] > 1.1 * peaks[0]
    assert 0.12 < (paths[0] - paths[1]).max() < 0.6  # m; tensed, assisted arms: 0.03
    assert paths[0][-1] > paths[1][-1] + 0.1 and paths[1][-1] > 1.2
