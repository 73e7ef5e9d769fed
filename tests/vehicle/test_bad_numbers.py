"""Numbers and parts of cars that are none: refused when they are given, by name and with a mend."""

import math

import pytest

import touchback as tb
from touchback.devices.gps.gps_receiver import Correlator
from touchback.devices.sensors import Imu
from touchback.vehicle import (
    ByWireCar,
    ByWireWholeCar,
    Car,
    CommonRoadTyre,
    MultiBodyAxle,
    MultiBodyCar,
    MultiBodyState,
    PlaneRoad,
    Post,
    add_multi_body_car,
    add_running_gear,
    by_wire_car,
)
from touchback.vehicle.drivers import Human
from touchback.vehicle.simulator import Person

NAN, INF = math.nan, math.inf


def started(**how: object) -> None:
    m = tb.Model("car")
    add_multi_body_car(m, MultiBodyCar(), m.input("a"), m.input("b"), MultiBodyState(**how))


@pytest.mark.parametrize(
    ("make", "wrong"),
    [
        (lambda: CommonRoadTyre(p_kx1=NAN), "CommonRoadTyre: its p_kx1: nan is not a finite"),
        (lambda: CommonRoadTyre(p_cx1=0.0), "CommonRoadTyre: its p_cx1 is 0.0; give a pos"),
        (lambda: CommonRoadTyre(r_vy6="12"), "CommonRoadTyre: its r_vy6: .* got '12'"),
        (lambda: MultiBodyAxle(mass=-1.0), "MultiBodyAxle: its mass: .* got -1.0"),
        (lambda: MultiBodyCar(tyre_stiffness=INF), "MultiBodyCar: its tyre_stiffness: .* got inf"),
        (lambda: MultiBodyCar(brake_share=1.5), "MultiBodyCar: its brake_share: .* got 1.5"),
        (lambda: MultiBodyCar(tyre=3), "MultiBodyCar: its tyre: .*3"),
        (lambda: MultiBodyCar().at_rest("fast"), "its speed is 'fast' m/s"),
        (lambda: started(yaw=NAN), "MultiBodyState: its yaw: nan is not a finite number"),
        (lambda: started(x="3"), "MultiBodyState: its x: a number .* got '3'"),
        (lambda: started(speed=-1.0), "its speed is -1.0 m/s"),
        (lambda: Post(raised=NAN), "Post: its raised: nan is not a finite number"),
        (lambda: Post(rising="up"), "Post: its rising: .* got 'up'"),
        (
            lambda: add_running_gear(
                tb.Model("car"), Car(), PlaneRoad(), posts={"front lft": Post()}
            ),
            "its posts have 'front lft': .*front left, front right",
        ),
        (lambda: Person(NAN), r"Person: a speed .* from 0 \[m/s\], got nan"),
        (lambda: Person(-3.0), "Person: a speed .* got -3.0"),
        (lambda: Person("75"), "Person: a speed .* got '75'"),
        (lambda: Human(most=0.0), "Human: the wheel's `most` .* positive number, got 0.0"),
        (lambda: Human(most="9"), "Human: the wheel's `most` .* got '9'"),
        (lambda: Human(most=INF), "Human: the wheel's `most` .* got inf"),
        (lambda: Imu(rate_range=INF), "Imu: its rate_range .* positive number, got inf"),
        (lambda: Imu(acceleration_range="16"), "Imu: its acceleration_range .* got '16'"),
        (lambda: Imu(rate_bias=0.1), "Imu: its rate_bias is 0.1; give one for each of three"),
        (lambda: Imu(rate_bias="abc"), "Imu: its rate_bias is 'abc'"),
        (lambda: Imu(rate_bias=(0.0, "a", 0.0)), r"Imu: its rate_bias\[1\] is 'a'"),
        (lambda: Correlator(reflectivity="0.5"), "its reflectivity is '0.5'; give 0 to below 1"),
        (lambda: Correlator(spacing=NAN), "its spacing is nan chips"),
        (lambda: ByWireCar(throttle=3), "ByWireCar: its throttle is 3; give a ThrottleStepper"),
        (lambda: ByWireCar(car=Car()), r"ByWireCar: its car is Car\(.* give a SingleTrack"),
        (lambda: ByWireCar(gearbox=None), "ByWireCar: its gearbox is None; give a Gearbox"),
        (lambda: ByWireWholeCar(car=None), "ByWireWholeCar: its car is None; give a Car"),
        (lambda: ByWireWholeCar(brake="x"), "ByWireWholeCar: its brake is 'x'; give a BrakeServo"),
        (lambda: by_wire_car(rate=0.0), "its ticks a second must be a positive number, got 0.0"),
        (lambda: by_wire_car(speed=NAN), r"by_wire_car: its speed \[m/s\]: nan is not a finite"),
        (lambda: by_wire_car(parts=Car()), "its parts are Car.*; give a ByWireCar or"),
    ],
)  # fmt: skip
def test_numbers_and_parts_that_are_none_are_refused_by_name(make, wrong: str) -> None:
    with pytest.raises(tb.TouchbackError, match=wrong):
        make()
