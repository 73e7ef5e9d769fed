"""Throttle, brake and steering by wire: what each does with a demand, alone."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import expm

import touchback as tb
from touchback.devices import Encoder, Motor
from touchback.devices.by_wire import (
    BrakeServo,
    RoadWheelMotor,
    SteeringWheelMotor,
    ThrottleStepper,
)
from touchback.errors import InputError

TICK = 1e-3


def run(model: tb.Model, duration: float, **inputs) -> tb.Run:
    system = model.compile()
    given = {name.replace("_", " "): value for name, value in inputs.items()}
    return tb.simulate(
        system, duration=duration, method="rk4", step=TICK, rate=1 / TICK, inputs=given
    )


def throttled(stepper: ThrottleStepper, slip: float = 0.0) -> tb.Model:
    m = tb.Model("throttle")
    wired = stepper.add(m, "throttle", m.input("demand"), TICK, slipped=slip)
    m.sensor("angle", tb.Signal(wired.angle, "rad"))
    m.sensor("opening", tb.Signal(wired.opening, ""))
    return m


def test_a_stepper_goes_to_its_demand_as_fast_as_its_steps_allow() -> None:
    stepper = ThrottleStepper()  # 4000 steps of 0.18° a second: 720°/s
    found = run(throttled(stepper), 0.2, demand=math.radians(60.0))
    angle = np.degrees(found["angle"])
    assert np.diff(angle).max() == pytest.approx(0.72)
    there = found.time[np.argmax(angle > 59.9)]
    assert there == pytest.approx(60.0 / 720.0, abs=2 * TICK)
    assert abs(angle[-1] - 60.0) <= 0.18  # a count of the encoder
    assert np.all(np.abs(np.diff(angle[-20:])) < 1e-9)  # and rests there


def test_steps_that_the_motor_lost_are_made_up_for_by_the_encoder() -> None:
    found = run(throttled(ThrottleStepper(), slip=40.0), 0.2, demand=math.radians(60.0))
    assert abs(math.degrees(found["angle"][-1]) - 60.0) <= 0.18


def test_a_demand_beyond_the_stops_stays_between_them() -> None:
    for demand, opening in ((5.0, 1.0), (-1.0, 0.0)):
        found = run(throttled(ThrottleStepper()), 0.2, demand=demand)
        assert found["opening"][-1] == pytest.approx(opening, abs=0.18 / 75.6)


def braked(servo: BrakeServo, wear: float) -> tb.Model:
    m = tb.Model("brake")
    wired = servo.add(m, "brake", m.input("demand"), TICK, wear=wear)
    m.sensor("pressure", tb.Signal(wired.pressure, "Pa"))
    m.sensor("travel", tb.Signal(wired.travel, "m"))
    return m


@pytest.mark.parametrize("wear", [1.0, 0.7])
def test_its_own_sensor_gives_the_pressure_that_is_asked_for_however_worn_the_pads(wear) -> None:
    servo = BrakeServo()
    found = run(braked(servo, wear), 0.6, demand=15e5)
    assert abs(found["pressure"][-1] - 15e5) <= 2 * servo.sensor.resolution
    assert found["pressure"].max() < 1.05 * 15e5  # hardly beyond it on the way


def test_by_its_position_alone_worn_pads_brake_by_as_much_less() -> None:
    found = run(braked(BrakeServo(by="position"), 0.7), 0.6, demand=15e5)
    assert found["pressure"][-1] == pytest.approx(0.7 * 15e5, rel=1e-3)


def test_a_released_brake_goes_home_and_takes_up_its_play_at_full_speed_again() -> None:
    demand = ([0.0, 0.4, 0.401, 1.0], [1e5, 1e5, 0.0, 0.0])  # a light foot
    found = run(braked(BrakeServo(), 1.0), 1.0, demand=demand)
    assert found["pressure"][-1] == 0.0 and found["travel"][-1] < 1.1e-4
    # Nine tenths of 3 mm of play at 0.1 m/s, the rest as softly as the demand: 0.0125 m/s.
    began = found.time[np.argmax(found["pressure"] > 0.0)]
    assert 0.03 < began < 0.027 + 0.0003 / 0.0125 + 2 * TICK


def steered(wheel: RoadWheelMotor) -> tb.Model:
    m = tb.Model("steering")
    wired = wheel.add(m, "road wheel", m.input("demand"), TICK)
    wired.loaded(m.input("load"))
    m.sensor("angle", tb.Signal(wired.angle, "rad"))
    m.sensor("current", tb.Signal(wired.current, "A"))
    return m


def test_road_wheels_follow_the_encoder_and_hold_against_a_lasting_load() -> None:
    wheel = RoadWheelMotor()
    demand = ([0.0, 0.2, 2.0], [0.0, 1.5, 1.5])  # rad at the steering wheel, over 15: 0.1
    found = run(steered(wheel), 2.0, demand=demand, load=-30.0)
    assert abs(found["angle"][-1] - 0.1) < 2 * wheel.encoder.resolution
    # The motor's torque is what it holds: K i n = 30 N m.
    assert np.mean(found["current"][-200:]) * 0.1 * 100.0 == pytest.approx(30.0, rel=0.02)


def test_a_sine_is_followed_with_the_delay_of_the_loop_s_bandwidth() -> None:
    """Below the bandwidth a critically damped loop follows ω²/(s² + 2 ω s + ω²) closely; its
    integral part only helps."""
    frequency = 1.0
    t = np.arange(0.0, 3.0, TICK)
    found = run(
        steered(RoadWheelMotor()), t[-1], demand=(t, 1.5 * np.sin(2 * np.pi * frequency * t))
    )
    late = found.time > 1.0
    basis = np.exp(-2j * np.pi * frequency * found.time[late])
    gain = 2j * np.mean(found["angle"][late] * basis) / 0.1
    s, w = 2j * math.pi * frequency, RoadWheelMotor().bandwidth
    ideal = (w**2 + 0.25 * w**3 / s) / (s**2 + 2 * w * s + w**2 + 0.25 * w**3 / s)
    assert abs(gain - ideal) < 0.12  # friction, the encoder's steps, a tick of delay


COLUMN, TWIST = 32e3, 85.0  # N m/rad, N m s/rad: a torsion bar, seen at the wheels


def on_a_column(wheel: RoadWheelMotor) -> tb.Model:
    """A rotor and the wheels, with a column between them."""
    m = tb.Model("column")
    demand = m.input("demand")
    names = ("rotor", "wheels", "rotor rate", "wheels rate")
    rotor, wheels, turning, rolling = (m.state(name) for name in names)
    current = wheel.follow(m, "motor", demand, rotor, TICK)
    twist = COLUMN * (rotor - wheels) + TWIST * (turning - rolling)
    m.set_rate("rotor", turning)
    m.set_rate("wheels", rolling)
    pull = wheel.motor.torque(current, turning)
    m.set_rate("rotor rate", (pull - twist) * (1.0 / wheel.motor.reflected_inertia))
    m.set_rate("wheels rate", (twist - wheel.damping * rolling) * (1.0 / wheel.inertia))
    m.sensor("current", tb.Signal(current, "A"))
    return m


def sampled(wheel: RoadWheelMotor, resistance: float) -> tuple[np.ndarray, np.ndarray]:
    """The same without counts, by SciPy: x' = M x + b demand over a tick, x the rotor's and the
    wheels' angles and rates, the angle before, what is held, and the torque of the tick."""
    rotor, wheels, w = wheel.motor.reflected_inertia, wheel.inertia, wheel.bandwidth
    J = rotor + wheels
    flow = np.zeros((5, 5))
    flow[0, 2] = flow[1, 3] = 1.0
    flow[2] = np.array([-COLUMN, COLUMN, -TWIST, TWIST, 1.0]) / rotor
    flow[3] = np.array([COLUMN, -COLUMN, TWIST, -TWIST - wheel.damping, 0.0]) / wheels
    step = expm(flow * TICK)
    stiff, held, against = J * w**2, 0.25 * J * w**3 * TICK, resistance / TICK
    M, b = np.zeros((7, 7)), np.zeros(7)
    M[:4, :4], M[:4, 6] = step[:4, :4], step[:4, 4]
    M[4, 0], M[5, 0], M[5, 5] = 1.0, -held, 1.0
    M[6, [0, 4, 5]] = -held - stiff - against, against, 1.0
    b[5], b[6] = held, held + stiff
    return M, b


def test_a_rotor_on_a_column_follows_as_the_sampled_linear_loop_does_and_does_not_chatter() -> None:
    wheel = RoadWheelMotor(column=COLUMN, encoder=Encoder(500, gearing=100.0))
    t = np.arange(401) * TICK
    demand = 0.15 * np.minimum(t / 0.1, 1.0)
    found = run(on_a_column(wheel), t[-1], demand=(t, demand))
    M, b = sampled(wheel, wheel.resistance(TICK))
    x, expected = np.zeros(7), []
    for wanted in demand / wheel.ratio:
        expected.append(x[:2])
        x = M @ x + b * wanted
    count = wheel.encoder.resolution
    off = np.column_stack([found["rotor"], found["wheels"]]) - expected
    assert np.abs(off).max() < 2 * count  # which is 0.3 % of the way
    step = wheel.resistance(TICK) * count / TICK / (0.1 * 100.0)  # A for a count more in a tick
    assert np.abs(np.diff(found["current"][-100:])).max() < 2.5 * step


def test_what_a_late_resistance_would_do_to_the_rotor_limits_the_bandwidth_on_a_column() -> None:
    """Damping ratios of all that swings: with 2 ω J for all of the inertia the rotor rings at 0.2
    where its own share leaves 0.3, and runs away at twice the bandwidth."""

    def damping(wheel: RoadWheelMotor, resistance: float) -> float:
        roots = np.log(np.linalg.eigvals(sampled(wheel, resistance)[0]).astype(complex))
        swinging = roots[np.abs(roots.imag) > 1e-6]
        return float((-swinging.real / np.abs(swinging)).min())

    wheel = RoadWheelMotor(column=COLUMN, damping=5.0)
    assert wheel.fastest(TICK) == pytest.approx(40.8, abs=0.1)
    critical = 2 * 40.0 * wheel.whole_inertia
    assert damping(wheel, wheel.resistance(TICK)) > 0.3 > 0.25 > damping(wheel, critical)
    assert damping(replace(wheel, bandwidth=80.0), 2 * critical) < 0.0
    with pytest.raises(
        InputError, match=r"a column of 32000 N m/rad its bandwidth is at most 40.8"
    ):
        replace(wheel, bandwidth=60.0).follow(tb.Model("fast"), "r", 0.0, 0.0, TICK)
    with pytest.raises(InputError, match=r"its rotor has an inertia of its own"):
        RoadWheelMotor(Motor(0.1, 20.0), column=COLUMN)


def test_the_motor_never_gets_more_than_its_current() -> None:
    found = run(steered(RoadWheelMotor()), 0.3, demand=9.0)
    assert np.abs(found["current"]).max() == 20.0


@pytest.mark.parametrize("load", [-6.0, 0.0, 6.0])
def test_the_hand_feels_a_share_of_what_the_road_wheels_work_against(load: float) -> None:
    feel = SteeringWheelMotor(motor=Motor(0.05, 10.0, gearing=10.0), share=0.5, centring=0.4)
    m = tb.Model("wheel")
    wired = feel.add(m, "wheel", m.input("hand"), load, TICK)
    m.sensor("angle", tb.Signal(wired.angle, "rad"))
    m.sensor("counts", tb.Signal(wired.counts, ""))
    m.sensor("felt", tb.Signal(wired.felt, "N m"))
    found = run(m, 6.0, hand=1.0)
    # At rest hand + share · load = centring · angle, and the hand feels its own torque.
    rest = (1.0 + 0.5 * load) / 0.4
    assert found["angle"][-1] == pytest.approx(rest, abs=2e-3 * max(1.0, abs(rest)))
    assert found["felt"][-1] == pytest.approx(-1.0, abs=2e-3)
    assert abs(found["counts"][-1] * feel.encoder.resolution - rest) < 0.02


def test_feel_stays_within_what_the_motor_can_give() -> None:
    m = tb.Model("wheel")
    feel = SteeringWheelMotor(motor=Motor(0.05, 10.0, gearing=10.0))
    wired = feel.add(m, "wheel", 0.0, 100.0, TICK)
    m.sensor("felt", tb.Signal(wired.felt, "N m"))
    assert run(m, 0.05)["felt"].max() == pytest.approx(5.0)


def test_what_can_not_work_is_refused() -> None:
    m = tb.Model("none")
    with pytest.raises(InputError, match="less than one in a tick"):
        ThrottleStepper(fastest=500.0).add(m, "t", 0.0, TICK)
    with pytest.raises(InputError, match="swings behind a sensor"):
        BrakeServo(settle=0.02)
    with pytest.raises(InputError, match="play below stroke"):
        BrakeServo(play=0.05)
    with pytest.raises(InputError, match="its bandwidth is at most 200 rad/s, got 400"):
        RoadWheelMotor(bandwidth=400.0).add(m, "r", 0.0, TICK)
    with pytest.raises(InputError, match="above zero"):
        SteeringWheelMotor(inertia=0.0)
