"""Driving simulators: whole cars whose steering wheel is a device in somebody's hands."""

from touchback.vehicle.simulator.blind_trial import (
    CASTERS,
    ObstacleEncounter,
    add_obstacle,
    draw_meetings,
    meet_obstacles,
)
from touchback.vehicle.simulator.simulator_car import RATE, SPEED, SimulatorCar
from touchback.vehicle.simulator.steering_wheel import (
    Arms,
    Person,
    SimulatedWheel,
    SteeringDevice,
    WiredWheel,
)

__all__ = [
    "CASTERS",
    "RATE",
    "SPEED",
    "Arms",
    "ObstacleEncounter",
    "Person",
    "SimulatedWheel",
    "SimulatorCar",
    "SteeringDevice",
    "WiredWheel",
    "add_obstacle",
    "draw_meetings",
    "meet_obstacles",
]
