"""Driving simulators: whole cars whose steering wheel is a device in somebody's hands."""

from touchback.vehicle.simulator.blind_trial import (
    CASTERS,
    NOTICE,
    ObstacleEncounter,
    ObstacleSession,
    add_obstacle,
    draw_meetings,
    encounter_figures,
    meet_obstacles,
)
from touchback.vehicle.simulator.simulator_car import RATE, SPEED, SimulatorCar
from touchback.vehicle.simulator.steering_wheel import (
    FEELING_ARMS,
    Arms,
    Person,
    SimulatedWheel,
    SteeringDevice,
    WiredWheel,
)

__all__ = [
    "CASTERS",
    "FEELING_ARMS",
    "NOTICE",
    "RATE",
    "SPEED",
    "Arms",
    "ObstacleEncounter",
    "ObstacleSession",
    "Person",
    "SimulatedWheel",
    "SimulatorCar",
    "SteeringDevice",
    "WiredWheel",
    "add_obstacle",
    "draw_meetings",
    "encounter_figures",
    "meet_obstacles",
]
