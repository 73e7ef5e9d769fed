"""Drivers of any car: one who doesn't look, one who follows a path, one who swerves, a human."""

from touchback.vehicle.drivers.driver import Driver, keep_speed
from touchback.vehicle.drivers.human import Human
from touchback.vehicle.drivers.obstacle_avoider import ObstacleAvoider
from touchback.vehicle.drivers.open_loop import OpenLoop
from touchback.vehicle.drivers.path import Path, StraightPath
from touchback.vehicle.drivers.path_follower import PathFollower

__all__ = [
    "Driver",
    "Human",
    "ObstacleAvoider",
    "OpenLoop",
    "Path",
    "PathFollower",
    "StraightPath",
    "keep_speed",
]
