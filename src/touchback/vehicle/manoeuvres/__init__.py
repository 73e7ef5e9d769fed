"""Manoeuvres of any car, with the figures that standards ask for: `drive(car, StepSteer())`."""

from touchback.vehicle.manoeuvres.manoeuvre import Figure, Manoeuvre, Outcome, drive, model_of
from touchback.vehicle.manoeuvres.road_manoeuvres import (
    DoubleLaneChange,
    Lane,
    ParkingOnSlope,
    SuddenObstacle,
    gap,
    lanes,
)
from touchback.vehicle.manoeuvres.steering_manoeuvres import (
    BrakingInTurn,
    SineWithDwell,
    SlowRamp,
    StepSteer,
    wheel_for,
)

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
    "gap",
    "lanes",
    "model_of",
    "wheel_for",
]
