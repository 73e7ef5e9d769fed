"""The whole car of a driving simulator (Docquier 2021, section 5.2)."""

from dataclasses import dataclass, field
from typing import ClassVar, Literal

import touchback as tb
from touchback import Model
from touchback.numbers import Scalar
from touchback.vehicle.car import Car
from touchback.vehicle.driven_cars import Stepping, WholeCar
from touchback.vehicle.simulator.steering_wheel import SimulatedWheel, SteeringDevice
from touchback.vehicle.steering import Steering

#: Ticks a second.
RATE = 1000.0
#: Of the experiment on a straight road [m/s].
SPEED = 75.0 / 3.6
_FOLLOWING = 400.0  # rad/s: a double lag that makes an encoder's steps a motion, 5 ms late
# The rim is in the hands, not in the model; what is left belongs to the column.
_COLUMN = 1e-3  # kg m²


def _car() -> Car:
    return Car(steering=Steering(wheel_inertia=_COLUMN))


@dataclass(frozen=True)
class SimulatorCar(WholeCar):
    """A whole car whose steering wheel is a driven coordinate: it follows the angle that a `device`
    shows at ticks, and the torque that this takes, Q_r^d of eq. 13 (the sensor "steering torque"),
    goes to the device's motor at the next one.

    An encoder gives steps; the coordinate follows them by a critically damped filter of the second
    order, whose two states are its angle and rate and which gives its acceleration, so that the
    three belong together ("filtering … may be necessary", section 3.1)."""

    HANDS: ClassVar[Literal["angle", "torque"]] = "angle"
    car: Car = field(default_factory=_car)
    device: SteeringDevice = field(default_factory=SimulatedWheel)

    @property
    def stepping(self) -> Stepping:
        """Runge and Kutta's method, a step a tick."""
        return {**super().stepping, "rate": RATE}

    def hold(self, model: Model, wanted: Scalar) -> None:
        """Puts the device between the driver and the car."""
        torque = model.signal("steering torque")
        shown = tb.haptics.hold(
            model, "shown angle", self.device.add(model, wanted, torque, 1.0 / RATE)
        )
        angle = model.state("followed angle", unit="rad")
        rate = model.state("followed rate", unit="rad/s")
        w = _FOLLOWING
        acceleration = w * w * (shown - angle) - 2.0 * w * rate
        model.set_rate("followed angle", rate)
        model.set_rate("followed rate", acceleration)
        model.control(
            "device", lambda: (angle, rate, acceleration), of=[],
            to=["steering angle", "steering rate", "steering acceleration"],
        )  # fmt: skip
