"""The whole car with a driver's hands and feet."""

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import ClassVar, Literal

import numpy as np

from touchback.model.forces import JointEffort
from touchback.model.model import Model
from touchback.model.value import check_positive
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import atan2, sqrt
from touchback.vehicle.car import Car, add_car
from touchback.vehicle.driveline import BAR
from touchback.vehicle.driven_car import CarMotion, Commands, Outline, Stepping

_GRAVITY = 9.81  # m/s²
_PEDALS = ("throttle", "brake", "clutch")
_FEET = 0.05  # s, by which pedals lag
_ARMS, _ARMS_DAMPING = 400.0, 8.0  # N m/rad, N m s/rad: hands that hold the wheel where they want
_TURNED = 0.02  # rad of the road wheels, to find the steering's ratio


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
