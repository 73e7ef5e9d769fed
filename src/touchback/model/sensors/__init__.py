"""Sensors. A new kind is a new class in the file of its family and one more name in AnySensor."""

from touchback.model.sensors.axis_motion import AxisMotion
from touchback.model.sensors.base import SensorKind
from touchback.model.sensors.contact import ContactForce, FrictionForce, Gap
from touchback.model.sensors.joint import Effort, Multiplier, Reaction
from touchback.model.sensors.matrices import (
    BiasAcceleration,
    BiasEffort,
    GravityEffort,
    Jacobian,
    MassMatrix,
)
from touchback.model.sensors.motion import (
    Acceleration,
    Accelerometer,
    AngularAcceleration,
    AngularVelocity,
    Direction,
    Distance,
    Position,
    TotalForce,
    TotalTorque,
    Velocity,
)
from touchback.model.sensors.signal import Energy, Readout, Signal

AnySensor = (
    Position
    | Velocity
    | Acceleration
    | Accelerometer
    | AngularVelocity
    | AngularAcceleration
    | TotalForce
    | TotalTorque
    | Direction
    | Distance
    | AxisMotion
    | Effort
    | Reaction
    | Multiplier
    | Signal
    | Readout
    | Energy
    | Gap
    | ContactForce
    | FrictionForce
    | MassMatrix
    | BiasEffort
    | GravityEffort
    | Jacobian
    | BiasAcceleration
)

__all__ = [
    "Acceleration",
    "Accelerometer",
    "AngularAcceleration",
    "AngularVelocity",
    "AnySensor",
    "AxisMotion",
    "BiasAcceleration",
    "BiasEffort",
    "ContactForce",
    "Direction",
    "Distance",
    "Effort",
    "Energy",
    "FrictionForce",
    "Gap",
    "GravityEffort",
    "Jacobian",
    "MassMatrix",
    "Multiplier",
    "Position",
    "Reaction",
    "Readout",
    "SensorKind",
    "Signal",
    "TotalForce",
    "TotalTorque",
    "Velocity",
]
