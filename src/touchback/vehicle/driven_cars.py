"""Cars as drivers and manoeuvres know them, whatever they are made of: a wheel to turn, two pedals,
and how they move. The single-track car, the whole car, and the list of both by name."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Literal, Protocol, TypedDict

import numpy as np

from touchback import JointEffort, Model, atan2, cos, sin, sqrt
from touchback.errors import ModelError
from touchback.model import check_positive
from touchback.numbers import Scalar
from touchback.vehicle.car import Car, add_car
from touchback.vehicle.driveline import BAR
from touchback.vehicle.single_track import (
    SingleTrack,
    SingleTrackState,
    drive_single_track,
    place_single_track,
)

_GRAVITY = 9.81  # m/s²
_DEFLECTION, _DAMPING = 0.01, 0.03  # of braked tyres before they slide [m], and its time [s]
_SMALL = 1e-6  # m/s: speeds of which only the direction counts
_PEDALS = ("throttle", "brake", "clutch")
_FEET = 0.05  # s, by which pedals lag
_ARMS, _ARMS_DAMPING = 400.0, 8.0  # N m/rad, N m s/rad: hands that hold the wheel where they want
_TURNED = 0.02  # rad of the road wheels, to find the steering's ratio


@dataclass(frozen=True)
class CarMotion:
    """How a car moves: its centre of mass at (x, y) [m], yaw ψ [rad] and its rate [rad/s], speed
    [m/s], slip angle β of the velocity from the heading [rad], lateral acceleration [m/s²]."""

    x: Scalar
    y: Scalar
    yaw: Scalar
    yaw_rate: Scalar
    speed: Scalar
    slip: Scalar
    lateral: Scalar


@dataclass(frozen=True)
class Commands:
    """What a driver does: angle of the steering wheel [rad], to the left above zero; throttle,
    brake and clutch pedal, 0 to 1. A car without gears has no clutch."""

    wheel: Scalar
    throttle: Scalar
    brake: Scalar
    clutch: Scalar = 0.0


@dataclass(frozen=True)
class Outline:
    """How far a car reaches ahead of its centre of mass, behind it, and its width [m]."""

    front: float
    rear: float
    width: float


class Stepping(TypedDict, total=False):
    """How a car is simulated: a method and its settings, as `tb.simulate` takes them."""

    method: str
    step: float
    rate: float
    rtol: float


class DrivenCar(Protocol):
    """A car that can be put into a model in two steps, since a driver looks before he acts."""

    @property
    def outline(self) -> Outline:
        """Its body, seen from above."""
        ...

    @property
    def wheelbase(self) -> float:
        """Distance of its axles [m]."""
        ...

    @property
    def steering_ratio(self) -> float:
        """Angle of the steering wheel for one of the road wheels."""
        ...

    @property
    def stepping(self) -> Stepping:
        """How it is simulated."""
        ...

    def place(self, model: Model, speed: float, slope: float = 0.0) -> CarMotion:
        """Puts it at the origin, rolling along x at a speed [m/s], on a road that rises along x by
        a slope [rad]; tells how it moves."""
        ...

    def drive(self, model: Model, commands: Commands) -> None:
        """Connects what its driver does."""
        ...


@dataclass(frozen=True)
class SingleTrackCar:
    """A `DrivenCar` of CommonRoad's model ST. The road wheels follow the steering wheel within
    `steering_lag` [s]; a full throttle asks for all of the engine's acceleration, a full brake for
    all of the friction. Brakes hold it at rest: tyres give way by up to 1 cm (Dahl's friction),
    then they slide. The outline is the BMW 320i's, 4.508 m by 1.610 m."""

    car: SingleTrack = field(default_factory=SingleTrack)
    steering_ratio: float = 16.0
    steering_lag: float = 0.02
    overhang: float = 0.9645
    width: float = 1.610

    def __post_init__(self) -> None:
        check_positive(
            "SingleTrackCar", steering_ratio=self.steering_ratio, steering_lag=self.steering_lag,
            overhang=self.overhang, width=self.width,
        )  # fmt: skip

    @property
    def outline(self) -> Outline:
        """Equal overhangs before and behind the axles."""
        return Outline(self.car.front + self.overhang, self.car.rear + self.overhang, self.width)

    @property
    def wheelbase(self) -> float:
        """[m]"""
        return self.car.wheelbase

    @property
    def stepping(self) -> Stepping:
        """The usual method, to 1e-8."""
        return {"rtol": 1e-8}

    @property
    def understeer(self) -> float:
        """K of δ = l/R + K a_y [rad s²/m], the closed form: (1/c_f − 1/c_r)/(μ g)."""
        front, rear = self.car.cornering
        return (1.0 / front - 1.0 / rear) / (self.car.friction * _GRAVITY)

    def place(self, model: Model, speed: float, slope: float = 0.0) -> CarMotion:
        """Its states "car x" …, and "car brake", by how much braked tyres give way [m]; the slope
        is the parameter "slope"."""
        start = SingleTrackState(0.0, 0.0, 0.0, speed, 0.0)
        at = place_single_track(model, start)
        model.state("car brake", unit="m")
        model.state("car lateral", unit="m/s²")
        model.parameter("slope", slope, unit="rad", min=-0.5, max=0.5)
        return CarMotion(
            at.x, at.y, at.yaw, at.yaw_rate, at.speed, at.slip, model.signal("car lateral")
        )

    def drive(self, model: Model, commands: Commands) -> None:
        """Lateral acceleration is v (β̇ + ψ̇) of the model, through a filter of 1 ms."""
        if "car brake" not in model.states:
            raise ModelError("SingleTrackCar: it is driven before it is placed; call place first.")
        at = SingleTrackState(
            *(model.signal(f"car {word}") for word in ("x", "y", "steer", "speed", "yaw",
                                                       "yaw rate", "slip"))
        )  # fmt: skip
        steer_rate = (commands.wheel / self.steering_ratio - at.steer) / self.steering_lag
        given = model.signal("car brake")
        speed = (at.speed * at.speed + _SMALL**2) ** 0.5
        giving = at.speed - speed * given / _DEFLECTION
        model.set_rate("car brake", giving)
        held = (given + _DAMPING * giving) / _DEFLECTION
        acceleration = (
            commands.throttle * self.car.acceleration_most
            - commands.brake * (self.car.friction * _GRAVITY) * held
            - _GRAVITY * sin(model.signal("slope")) * cos(at.yaw)
        )
        rates = drive_single_track(model, self.car, at, steer_rate, acceleration)
        felt = at.speed * (rates.slip + at.yaw_rate)
        model.set_rate("car lateral", (felt - model.signal("car lateral")) * 1e3)

    def steady(self, speed: float, lateral: float) -> float:
        """Angle of the steering wheel [rad] at which it goes round with a lateral acceleration
        [m/s²]: δ = l a_y/v² + K a_y."""
        if speed <= 0.0 or not math.isfinite(speed):
            raise ModelError(f"SingleTrackCar: its speed is {speed} m/s; give a positive number.")
        return self.steering_ratio * lateral * (self.wheelbase / speed**2 + self.understeer)


@dataclass(frozen=True)
class WholeCar:
    """A `DrivenCar` of bodies, linkages and tyres. Hands hold the steering wheel by a spring, feet
    lag by 50 ms, and a full brake is a line pressure of `pressure` [Pa]. A slope tilts gravity."""

    HANDS: ClassVar[Literal["angle", "torque"]] = "torque"  # what they give to the wheel
    car: Car = field(default_factory=Car)
    pressure: float = 100.0 * BAR

    def __post_init__(self) -> None:
        check_positive(type(self).__name__, pressure=self.pressure)

    @property
    def outline(self) -> Outline:
        """That of the car's body."""
        ahead, body = -self.car.chassis.com[0], self.car.body
        behind = self.car.wheelbase - ahead
        return Outline(ahead + body.overhang, behind + body.overhang, body.width)

    @property
    def wheelbase(self) -> float:
        """[m]"""
        return self.car.wheelbase

    @property
    def stepping(self) -> Stepping:
        """Runge and Kutta's method at 1 ms."""
        return {"method": "rk4", "step": 1e-3}

    @cached_property
    def steering_ratio(self) -> float:
        """From the linkage: the steering wheel's angle over the mean of the road wheels', which
        turn with the rack as far as the pinion moves it."""
        model = Model("steering ratio")
        add_car(model, self.car, hands="torque")
        system = model.compile()
        turned = []
        for side in (1.0, -1.0):
            angle = side * _TURNED / 0.06
            at = system.assemble(
                {"steering wheel": angle, "rack": self.car.steering.pinion * angle}
            )
            for corner in ("left", "right"):
                axle = system.pose(f"front {corner} wheel", at.q)[0][:, 1]
                turned.append(math.atan2(-axle[0], axle[1]) / angle)
        return 1.0 / float(np.mean(turned))

    def place(self, model: Model, speed: float, slope: float = 0.0) -> CarMotion:
        """As `motion_of`."""
        model.gravity = (-_GRAVITY * math.sin(slope), 0.0, -_GRAVITY * math.cos(slope))
        throttle, brake, clutch = (model.state(f"{pedal} pedal") for pedal in _PEDALS)
        pressed = throttle, self.pressure * brake, clutch
        add_car(model, self.car, speed=speed, hands=self.HANDS, feet=pressed)
        return motion_of(model)

    def drive(self, model: Model, commands: Commands) -> None:
        """Hands and feet follow what the driver wants."""
        self.hold(model, commands.wheel)
        for pedal in _PEDALS:
            name = f"{pedal} pedal"
            model.set_rate(name, (getattr(commands, pedal) - model.signal(name)) / _FEET)

    def hold(self, model: Model, wanted: Scalar) -> None:
        """Hands at the steering wheel, which they want at an angle [rad]."""
        held = _ARMS * (wanted - model.coordinate("steering wheel"))
        torque = held - _ARMS_DAMPING * model.rate("steering wheel")
        model.force("driver hands", JointEffort("steering wheel", torque))


def motion_of(model: Model) -> CarMotion:
    """How the car that `add_car` put into a model moves. Lateral acceleration is v ψ̇: what a body
    at the car's middle feels in steady turns."""
    ahead = [model.signal(f"car ahead.{axis}") for axis in "xy"]
    velocity = [model.signal(f"car velocity.{axis}") for axis in "xy"]
    level = sqrt(ahead[0] * ahead[0] + ahead[1] * ahead[1])
    along = (velocity[0] * ahead[0] + velocity[1] * ahead[1]) / level
    aside = (velocity[1] * ahead[0] - velocity[0] * ahead[1]) / level
    turning = model.signal("car turning.z")
    return CarMotion(
        model.signal("car position.x"), model.signal("car position.y"),
        atan2(ahead[1], ahead[0]), turning, along,
        atan2(aside, sqrt(along * along + 0.01)), along * turning,
    )  # fmt: skip


#: Who makes a car of each name.
CARS: dict[str, Callable[[], DrivenCar]] = {"single-track": SingleTrackCar, "whole": WholeCar}
