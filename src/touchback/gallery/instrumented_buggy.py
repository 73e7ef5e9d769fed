"""A simulator that rides along: a whole car, driven by what a board in another one measures
(Gallo 2012)."""

import math
from typing import Literal

import numpy as np

import touchback as tb
from touchback.gallery.catalogue import Entry, Experiment

SPEED = 10.0  # m/s
SERVED = ("throttle", "brake", "steering angle", "steering rate", "steering acceleration")
_SAFE: tuple[float | Literal["hold"], ...] = (0.0, 8000.0, "hold", 0.0, 0.0)
#: After 0.3 s without a block the throttle is let go, the brake has 9.8 bar, and the wheel stands.
WATCHED = {
    name: tb.devices.WatchedInput(max_age=0.3, safe=safe)
    for name, safe in zip(SERVED, _SAFE, strict=True)
}
# As stiff, damped and loaded at the wheel as the wishbones of the template, and hardly steered by
# travel (5 mrad/m): struts act on it by 0.97 of its travel, and not by 0.69.
_REAR = tb.vehicle.MacPherson(
    lower_ball=(0.0, 0.655, 0.185), strut_top=(-0.010, 0.550, 0.780),
    strut_foot=(-0.003, 0.590, 0.380), tie_inner=(-0.12, 0.301, 0.2367), rod_mass=1.5, bar=3e3,
    strut=tb.vehicle.StrutTables(
        compression=(-0.165, -0.14, -0.07, 0.0, 0.07, 0.10, 0.125, 0.145),
        force=(-62065.0, 435.0, 1380.0, 2325.0, 3270.0, 3675.0, 5550.0, 55550.0),
        speed=(-1.4, -0.14, 0.0, 0.14, 1.4), damping=(-1850.0, -250.0, 0.0, 142.0, 1000.0),
    ),
)  # fmt: skip
CAR = tb.vehicle.Car(name="buggy", rear=_REAR)


def make(speed: float = SPEED) -> tb.Model:
    """Its inputs are what Gallo's board gives: counts of the throttle (420 at full) and the brake
    (32767 at 40 bar), and the steering wheel's angle, rate and acceleration. It begins straight on
    with a `speed` [m/s]; engine, second gear, tyres' size, double wishbones in front and MacPherson
    struts behind are the buggy's, and so is the number of bodies, 18; his masses and points aren't
    published."""
    m, car = tb.Model("buggy"), CAR
    throttle, brake = (m.input(name) for name in SERVED[:2])
    feet = car.engine.throttle(throttle), tb.vehicle.line_pressure(brake), 0.0
    tb.vehicle.add_car(m, car, speed=speed, feet=feet)
    return m


# To and fro by 45° in 5 s, as the simulated driver; the wheel begins to turn within a second.
_TIMES = np.linspace(0.0, 10.0, 2001)
_PACE = 2.0 * math.pi * 0.2


def _swaying() -> tuple[np.ndarray, ...]:
    s = np.minimum(_TIMES, 1.0)
    angle = 0.25 * math.pi * np.sin(_PACE * _TIMES) * s**3 * (10.0 - 15.0 * s + 6.0 * s**2)
    rate = np.gradient(angle, _TIMES)
    return angle, rate, np.gradient(rate, _TIMES)


ENTRY = Entry(
    "buggy",
    "a whole car that rides along in another: a board's pedals and steering wheel drive it",
    make,
    Experiment(
        10.0,
        inputs={
            "throttle": 105.0,
            **{
                name: (_TIMES, values)
                for name, values in zip(SERVED[2:], _swaying(), strict=True)
            },
        },
        signals=("car position.y", "car turning.z", "steering torque"),
        devices=dict.fromkeys(SERVED, "board:simulated"),
        watched=WATCHED,
    ),
    sentences=(
        "A car of 18 bodies does what somebody does in a real one: a board there samples pedals "
        "and steering wheel, and pours blocks into a pipe.",
        "Counts of an encoder make a staircase of the angle, so rate and acceleration come from "
        "smooth differentiators; each tick takes the freshest block.",
        'Run it at Gallo\'s 5 ms: `--rate 200 --constraints augmented-lagrangian`; turn "grip" '
        "down and watch it slide.",
    ),
)  # fmt: skip
