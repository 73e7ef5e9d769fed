"""Driving simulators: whole cars whose steering wheel is a device in somebody's hands."""

from touchback.vehicle.simulator.arms import Arms
from touchback.vehicle.simulator.blind import (
    CASTERS,
    Meeting,
    add_obstacle,
    draw_meetings,
    meet_obstacles,
)
from touchback.vehicle.simulator.car import RATE, SimulatorCar
from touchback.vehicle.simulator.person import Person
from touchback.vehicle.simulator.wheel import SimulatedWheel, SteeringDevice, WiredWheel

__all__ = [
    "CASTERS",
    "RATE",
    "Arms",
    "Meeting",
    "Person",
    "SimulatedWheel",
    "SimulatorCar",
    "SteeringDevice",
    "WiredWheel",
    "add_obstacle",
    "draw_meetings",
    "meet_obstacles",
]
