"""By wire, as `tb.devices.by_wire`: what moves a throttle, a brake and the wheels instead of a
pedal's cable, a hose and a column, and what lets a hand feel the road (Gallo 2012, section 3.1.1).

Each is a controller, which works at ticks on what its own sensor shows, with the actuator behind it
as states of the model: in a car the controller alone is run, and the rest is there."""

from touchback.devices.by_wire.brake import BrakeServo, WiredBrake
from touchback.devices.by_wire.steering import (
    RoadWheelMotor,
    SteeringWheelMotor,
    WiredRoadWheel,
    WiredSteeringWheel,
)
from touchback.devices.by_wire.throttle import ThrottleStepper, WiredThrottle

__all__ = [
    "BrakeServo", "RoadWheelMotor", "SteeringWheelMotor", "ThrottleStepper", "WiredBrake",
    "WiredRoadWheel", "WiredSteeringWheel", "WiredThrottle",
]  # fmt: skip
