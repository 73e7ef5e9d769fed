"""Manoeuvres of any car, with the figures that standards ask for: `drive(car, StepSteer())`."""

from touchback.vehicle.manoeuvres.braking_in_turn import BrakingInTurn
from touchback.vehicle.manoeuvres.lane_change import DoubleLaneChange, Lane, lanes
from touchback.vehicle.manoeuvres.manoeuvre import Figure, Manoeuvre, Outcome, drive, model_of
from touchback.vehicle.manoeuvres.obstacle import SuddenObstacle
from touchback.vehicle.manoeuvres.sine_with_dwell import SineWithDwell
from touchback.vehicle.manoeuvres.slope import ParkingOnSlope
from touchback.vehicle.manoeuvres.slow_ramp import SlowRamp, wheel_for
from touchback.vehicle.manoeuvres.step_steer import StepSteer

_ALL = (
    StepSteer, SlowRamp, SineWithDwell, BrakingInTurn, DoubleLaneChange, SuddenObstacle,
    ParkingOnSlope,
)  # fmt: skip
#: All manoeuvres by name.
MANOEUVRES: dict[str, type[Manoeuvre]] = {each.name: each for each in _ALL}

__all__ = [
    "MANOEUVRES",
    "BrakingInTurn",
    "DoubleLaneChange",
    "Figure",
    "Lane",
    "Manoeuvre",
    "Outcome",
    "ParkingOnSlope",
    "SineWithDwell",
    "SlowRamp",
    "StepSteer",
    "SuddenObstacle",
    "drive",
    "lanes",
    "model_of",
    "wheel_for",
]
