"""Sensors. A new kind is a new class in the file of its family and one more name in AnySensor."""

from touchback.model.sensors.base import SensorKind
from touchback.model.sensors.sensor_kinds import (
    Acceleration,
    Accelerometer,
    AngularAcceleration,
    AngularVelocity,
    AxisMotion,
    BiasAcceleration,
    BiasEffort,
    ContactForce,
    Direction,
    Distance,
    Effort,
    Energy,
    FrictionForce,
    Gap,
    GravityEffort,
    HoldingEffort,
    Jacobian,
    MassMatrix,
    Multiplier,
    Position,
    Reaction,
    Readout,
    Signal,
    TotalForce,
    TotalTorque,
    Velocity,
)

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
    | HoldingEffort
    | Jacobian
    | BiasAcceleration
)

__all__ = [
    "Acceleration",
    "Accelerometer",
    "AngularAcceleration",
    "AngularVelocity",
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
    "HoldingEffort",
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
