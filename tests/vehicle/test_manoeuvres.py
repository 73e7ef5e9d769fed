"""Manoeuvres tell what closed forms and an independent simulation of the linear car say."""

import math
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import pytest
from scipy.signal import lsim

from touchback.errors import InputError, SolveError
from touchback.model.model import Model
from touchback.recording import Run
from touchback.symbolic.math_functions import cos, sin
from touchback.vehicle import CarMotion, Commands, Outline, SingleTrack, SingleTrackCar
from touchback.vehicle.driven_cars import Stepping
from touchback.vehicle.drivers import OpenLoop
from touchback.vehicle.manoeuvres import (
    MANOEUVRES,
    BrakingInTurn,
    DoubleLaneChange,
    Manoeuvre,
    Outcome,
    ParkingOnSlope,
    SineWithDwell,
    SlowRamp,
    StepSteer,
    SuddenObstacle,
    drive,
    lanes,
    wheel_for,
)
from touchback.vehicle.manoeuvres.road_manoeuvres import line_through
from touchback.vehicle.manoeuvres.steering_manoeuvres import sine_with_dwell_profile

G = 9.81
TRACK = SingleTrack(cornering=(18.0, 24.0))  # understeers
CAR = SingleTrackCar(TRACK)
NEUTRAL = SingleTrackCar()


def linear(track: SingleTrack, speed: float) -> tuple[np.ndarray, np.ndarray]:
    """A and b of d/dt (β, ψ̇) = A (β, ψ̇) + b δ, from forces and moments of two axles."""
    weight = track.mass * G * track.friction / track.wheelbase
    front, rear = (
        weight * arm * c for arm, c in zip((track.rear, track.front), track.cornering, strict=True)
    )
    m, j, a, b, v = track.mass, track.yaw_inertia, track.front, track.rear, speed
    matrix = np.array(
        [
            [-(front + rear) / (m * v), (rear * b - front * a) / (m * v * v) - 1.0],
            [(rear * b - front * a) / j, -(front * a * a + rear * b * b) / (j * v)],
        ]
    )
    return matrix, np.array([front / (m * v), front * a / j])


@cache
def driven(car: SingleTrackCar, manoeuvre: Manoeuvre) -> Outcome:
    return drive(car, manoeuvre)


def test_a_slow_ramp_finds_the_understeer_gradient_of_the_closed_form() -> None:
    """δ = l/R + K a_y in the steady state of the two equations of motion."""
    speed = 22.0
    matrix, b = linear(TRACK, speed)
    _, yaw_rate = np.linalg.solve(matrix, -b)  # for a unit steering angle
    gradient = (1.0 - TRACK.wheelbase * yaw_rate / speed) / (speed * yaw_rate)
    outcome = driven(CAR, SlowRamp(speed))
    assert outcome["understeer gradient"] == pytest.approx(gradient, rel=1e-3)
    assert outcome["yaw rate gain"] == pytest.approx(yaw_rate, rel=1e-3)
    assert outcome["characteristic speed"] == pytest.approx(
        math.sqrt(TRACK.wheelbase / gradient), rel=1e-3
    )
    assert CAR.understeer == pytest.approx(gradient, rel=1e-9)
    assert driven(NEUTRAL, SlowRamp(speed))["understeer gradient"] == 0.0


def test_the_wheel_for_an_acceleration_is_that_of_the_steady_circle() -> None:
    """δ = l a_y/v² + K a_y; the ramp's own lag, 0.4 % of the angle here, is taken off."""
    assert wheel_for(CAR, 25.0, 3.0) == pytest.approx(CAR.steady(25.0, 3.0), rel=1e-3)


def test_a_step_of_the_wheel_is_answered_as_the_linear_car_answers() -> None:
    """SciPy's lsim over the same ramp of the wheel, through the steering's lag of 20 ms."""
    speed = 100.0 / 3.6
    outcome = driven(CAR, StepSteer(speed, 4.0))
    matrix, b = linear(TRACK, speed)
    whole = np.zeros((3, 3))  # β, ψ̇, δ
    whole[:2, :2], whole[:2, 2], whole[2, 2] = matrix, b, -50.0
    angle = CAR.steady(speed, 4.0) / CAR.steering_ratio
    time = np.arange(0.0, 6.0, 0.001)
    wanted = angle * np.clip((time - 0.5) / 0.1, 0.0, 1.0)
    system = whole, np.array([[0.0], [0.0], [50.0]]), np.eye(3), np.zeros((3, 1))
    yaw_rate = lsim(system, wanted, time)[1][:, 1]
    last = yaw_rate[-1]
    assert outcome["steady yaw rate"] == pytest.approx(last, rel=2e-3)
    assert outcome["steady yaw rate"] == pytest.approx(4.0 / speed, rel=2e-3)
    risen = time[np.argmax(yaw_rate >= 0.9 * last)] - 0.55
    assert outcome["response time"] == pytest.approx(risen, abs=0.002)
    assert outcome["peak response time"] == pytest.approx(time[yaw_rate.argmax()] - 0.55, abs=0.01)
    assert outcome["overshoot"] == pytest.approx(100 * (yaw_rate.max() / last - 1), abs=0.05)
    # Hands that turned it 20 ms later than they wanted make no faster or slower car of it.
    run = outcome.run
    late = np.interp(run.time - 0.02, run.time, run["steering wheel"])
    signals = {name: run[name] for name in ("yaw rate", "lateral", "slip")}
    slower = outcome.manoeuvre.figures(Run(run.time, {**signals, "steering wheel": late}), CAR)
    assert slower["response time"].value == pytest.approx(outcome["response time"] - 0.02)


def test_a_neutral_car_without_height_stays_on_its_circle_when_it_brakes() -> None:
    """δ = l/R whatever its speed, and no load shifts; with height the front grips and it turns
    in."""
    flat = SingleTrackCar(SingleTrack(height=0.0))
    outcome = driven(flat, BrakingInTurn(pedal=0.3))
    assert outcome["radius"] == pytest.approx(100.0, rel=1e-3)
    assert outcome["deceleration"] == pytest.approx(0.3 * 1.0489 * G, rel=5e-3)
    assert outcome["yaw rate ratio"] == pytest.approx(1.0, abs=0.02)  # yaw lags what speed asks
    assert driven(NEUTRAL, BrakingInTurn(pedal=0.3))["yaw rate ratio"] > 1.2


def test_the_sine_waits_half_a_second_at_its_second_peak() -> None:
    """0.7 Hz: a quarter takes 0.357 s."""
    quarter = 0.25 / 0.7
    times = 0.5 + np.array([0.0, quarter, 2 * quarter, 3 * quarter, 3 * quarter + 0.5, 99.0])
    assert sine_with_dwell_profile(times) == pytest.approx(
        [0.0, 1.0, 0.0, -1.0, -1.0, 0.0], abs=1e-12
    )
    within = sine_with_dwell_profile(np.linspace(0.5 + 3 * quarter, 1.0 + 3 * quarter, 9))
    assert within == pytest.approx(-np.ones(9))
    assert float(sine_with_dwell_profile(1.0 + 4 * quarter)) == pytest.approx(0.0, abs=1e-12)


def test_a_linear_car_comes_out_of_a_sine_with_dwell_straight() -> None:
    """What yaw is left dies out with the slower eigenvalue of its equations."""
    outcome = driven(CAR, SineWithDwell())
    slowest = np.linalg.eigvals(linear(TRACK, SineWithDwell().speed)[0]).real.max()
    assert outcome["stable"] == 1.0
    assert abs(outcome["yaw rate left after 1.75 s"]) < 100.0 * math.exp(slowest * 1.75) * 3.0


def test_lanes_have_the_lengths_and_widths_of_the_standard() -> None:
    for part, length, middle in ((1, 125.0, 1.2 * 1.8 + 0.25), (2, 61.0, 2.8)):
        first, second, last = lanes(1.8, part)
        assert last.end == length
        assert first.left - first.right == pytest.approx(1.1 * 1.8 + 0.25)
        assert second.left - second.right == pytest.approx(middle)
        assert last.left - last.right == pytest.approx(max(1.3 * 1.8 + 0.25, 3.0 * (part == 2)))
        assert last.right == first.right
    assert lanes(1.8, 2)[1].right - lanes(1.8, 2)[0].left == pytest.approx(1.0)


@pytest.mark.parametrize("car", [CAR, NEUTRAL])
def test_the_standard_accepts_a_double_lane_change_at_80_km_h(car: SingleTrackCar) -> None:
    """Below what friction holds: 1.05 g would be 10.3 m/s²."""
    outcome = driven(car, DoubleLaneChange())
    assert outcome["accepted"] == 1.0 and 0.0 < outcome["room left"] < 0.2
    assert 3.0 < outcome["peak lateral acceleration"] < 8.0


def test_the_obstacle_avoidance_is_accepted_at_60_km_h_and_not_at_100() -> None:
    assert driven(CAR, DoubleLaneChange(60 / 3.6, part=2, preview=0.2))["accepted"] == 1.0
    assert driven(CAR, DoubleLaneChange(100 / 3.6, part=2))["accepted"] == 0.0


def test_the_line_through_the_lanes_bends_less_than_a_polynomial_would() -> None:
    """A change of y over x by a polynomial of fifth degree bends by 10/√3 y/x² (its second
    derivative's peak); the line keeps the car within lanes when it goes along it exactly."""
    shape, course = CAR.outline, lanes(CAR.outline.width, 1)
    x, y = line_through(course, shape).points.T
    x, y = x - 40.0, y + course[0].middle
    offset, way = course[1].middle - course[2].middle, course[2].start - course[1].end
    assert np.abs(np.diff(y, 2)).max() < 0.6 * 10.0 / math.sqrt(3.0) * offset / way**2
    yaw = np.gradient(y)
    for along in (-shape.rear, shape.front):
        for side in (-0.5, 0.5):
            px = x + along * np.cos(yaw) - side * shape.width * np.sin(yaw)
            py = y + along * np.sin(yaw) + side * shape.width * np.cos(yaw)
            for lane in course:
                inside = py[(px >= lane.start) & (px <= lane.end)]
                assert inside.min() > lane.right + 0.14 and inside.max() < lane.left - 0.14


def test_who_drives_straight_on_is_not_accepted_by_the_width_that_he_lacks() -> None:
    """The middle lane's right cones stand at 3.5 m − (1.1 b + 0.25)/2."""

    @dataclass(frozen=True)
    class Straight(DoubleLaneChange):
        def driver(self, car: object) -> OpenLoop:
            return OpenLoop(lambda time: 0.0 * time, self.speed)

    width = CAR.outline.width
    expected = -width / 2 - (3.5 - (1.1 * width + 0.25) / 2)
    assert drive(CAR, Straight())["room left"] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_sudden_obstacles_are_missed_on_either_side(seed: int) -> None:
    outcome = driven(CAR, SuddenObstacle(seed=seed))
    _, side = outcome.manoeuvre.place  # type: ignore[attr-defined]
    assert outcome["missed"] == 1.0 and outcome["gap"] > 0.3
    y = outcome.run["y"]
    assert y[np.abs(y).argmax()] * side > 1.0


@pytest.mark.parametrize("given", [{}, {"notice": 1.2, "speed": 30.0}])
def test_an_obstacle_appears_as_many_seconds_ahead_as_the_driver_has_notice(
    given: dict[str, float],
) -> None:
    """Two at 75 km/h, where nothing else is asked for (docs/vehicle.md)."""
    notice, speed = given.get("notice", 2.0), given.get("speed", 75.0 / 3.6)
    for seed in range(3):
        obstacle = SuddenObstacle(seed=seed, **given)  # type: ignore[arg-type]
        along, appears = obstacle.place[0], obstacle.inputs()["obstacle"]
        meets = along / speed
        assert callable(appears) and 0.5 <= meets - notice <= 2.5
        assert appears(meets - notice - 1e-6) != along == appears(meets - notice + 1e-6)
        assert obstacle.duration == pytest.approx(meets + 3.0)


def test_obstacles_stand_on_both_sides_and_at_different_places() -> None:
    places = [SuddenObstacle(seed=seed).place for seed in range(1, 9)]
    assert len({along for along, _ in places}) == 8 and {side for _, side in places} == {-1.0, 1.0}


def test_brakes_stop_a_car_on_a_slope_and_hold_it() -> None:
    """v²/2a from the speed at the pedal; tyres give way by 1 cm before they slide."""
    slope = math.atan(0.15)
    outcome = driven(CAR, ParkingOnSlope())
    speed = 3.0 - 0.5 * G * math.sin(slope)
    braking = 0.5 * 1.0489 * G + G * math.sin(slope)
    assert outcome["stopping way"] == pytest.approx(speed**2 / 2 / braking, abs=0.02)
    assert outcome["held"] == 1.0 and outcome["creep"] < 0.05
    assert outcome["rolls off with"] == pytest.approx(-G * math.sin(slope), rel=1e-4)


def test_a_brake_that_is_weaker_than_the_slope_does_not_hold() -> None:
    """A tenth of the friction is 1.03 m/s², the slope pulls with 1.46."""
    outcome = driven(CAR, ParkingOnSlope(pedal=0.1))
    assert outcome["held"] == 0.0 and outcome["way while braked"] > 40.0
    assert not {"stopping way", "creep"} & {*outcome.figures}  # what never stood has none


def test_the_least_speed_is_told() -> None:
    assert SlowRamp(1.0 / 3.6).speed > 0.0
    with pytest.raises(InputError, match=r"0\.00278 m/s; the least is 0\.278 m/s, 1 km"):
        DoubleLaneChange(0.01 / 3.6)


@dataclass(frozen=True)
class Cart:
    """Another car: it goes where its wheels point, ψ̇ = v δ/l, and its pedals are honest."""

    wheelbase: float = 2.0
    steering_ratio: float = 10.0
    outline: Outline = field(default_factory=lambda: Outline(1.5, 1.5, 1.2))
    stepping: Stepping = field(default_factory=Stepping)

    def place(self, model: Model, speed: float, slope: float = 0.0) -> CarMotion:
        x, y, yaw, steer = (model.state(f"cart {word}") for word in ("x", "y", "yaw", "steer"))
        v = model.state("cart speed", speed)
        turning = v * steer / self.wheelbase
        return CarMotion(x, y, yaw, turning, v, 0.0 * yaw, v * turning)

    def drive(self, model: Model, commands: Commands) -> None:
        speed, yaw = model.signal("cart speed"), model.signal("cart yaw")
        steer = model.signal("cart steer")
        model.set_rate("cart steer", 50.0 * (commands.wheel / self.steering_ratio - steer))
        model.set_rate("cart speed", 4.0 * (commands.throttle - commands.brake))
        model.set_rate("cart yaw", speed * steer / self.wheelbase)
        model.set_rate("cart x", speed * cos(yaw))
        model.set_rate("cart y", speed * sin(yaw))


def test_another_car_takes_the_same_manoeuvres() -> None:
    """It neither understeers nor overshoots."""
    assert drive(Cart(), SlowRamp(15.0))["understeer gradient"] == pytest.approx(0.0, abs=1e-5)
    step = drive(Cart(), StepSteer(15.0, 3.0))
    assert step["steady yaw rate"] == pytest.approx(3.0 / 15.0, rel=1e-2)
    assert step["overshoot"] == pytest.approx(0.0, abs=0.01)
    assert "peak response time" not in step.figures
    with pytest.raises(SolveError, match="before the car had settled; drive slower"):
        drive(Cart(), StepSteer(90.0, 3.0))
    assert drive(Cart(), DoubleLaneChange(50 / 3.6))["accepted"] == 1.0


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: StepSteer(-1.0), "'step-steer': its speed is -1.0; give a positive number"),
        (lambda: DoubleLaneChange(part=3), "its part is 3; give 1 or 2"),
        (lambda: ParkingOnSlope(grade=math.nan), "its grade is nan; give a number"),
    ],
)
def test_what_cannot_be_driven_is_refused(make: object, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        make()  # type: ignore[operator]


def test_every_manoeuvre_has_a_name_and_a_line_about_it() -> None:
    assert all(kind.name == name and kind.about for name, kind in MANOEUVRES.items())
    assert len(MANOEUVRES) == 7
