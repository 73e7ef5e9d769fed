"""The single-track car with a steering wheel and pedals."""

import math
from dataclasses import dataclass, field

from touchback.errors import ModelError
from touchback.model.model import Model
from touchback.model.value import check_positive
from touchback.symbolic.functions import cos, sin
from touchback.vehicle.driven_car import CarMotion, Commands, Outline, Stepping
from touchback.vehicle.single_track import (
    SingleTrack,
    SingleTrackState,
    drive_single_track,
    place_single_track,
)

_GRAVITY = 9.81  # m/s²
_DEFLECTION, _DAMPING = 0.01, 0.03  # of braked tyres before they slide [m], and its time [s]
_SMALL = 1e-6  # m/s: speeds of which only the direction counts


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
