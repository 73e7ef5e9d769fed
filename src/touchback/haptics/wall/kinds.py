"""The walls of the laboratory by name: how each is built for a plant, a target and a period."""

from collections.abc import Callable
from dataclasses import dataclass

from touchback.errors import InputError
from touchback.haptics.wall.controllers import (
    Controller,
    HalfSampleWall,
    PlacedWall,
    StandardWall,
)
from touchback.haptics.wall.deadbeat import DeadbeatWall
from touchback.haptics.wall.plant import Plant, Target
from touchback.haptics.wall.sensing import EXACT, Differentiated, Sensing


@dataclass(frozen=True)
class Kind:
    """A controller's recipe, whether its wall is damped, and what it is told of the motion."""

    name: str
    build: Callable[[Plant, Target, float], Controller]
    damped: bool = False
    sensing: Sensing = EXACT


def _standard(plant: Plant, wall: Target, period: float) -> Controller:
    return StandardWall(wall)


def _deadbeat(plant: Plant, wall: Target, period: float) -> Controller:
    return DeadbeatWall(PlacedWall.design(plant, wall, period), plant, wall, period)


def _deadbeat_throughout(plant: Plant, wall: Target, period: float) -> Controller:
    inner = PlacedWall.design(plant, wall, period)
    return DeadbeatWall(inner, plant, wall, period, throughout=True)


#: Every wall of the laboratory.
KINDS = (
    Kind("standard", _standard),
    Kind("damped", _standard, damped=True),
    Kind("damped, differentiated", _standard, damped=True, sensing=Differentiated()),
    Kind("half-sample", HalfSampleWall.design),
    Kind("half-sample, differentiated", HalfSampleWall.design, sensing=Differentiated()),
    Kind("z-plane", PlacedWall.design),
    Kind("deadbeat", _deadbeat),
    Kind("deadbeat throughout", _deadbeat_throughout),
)


def kind(name: str) -> Kind:
    """The wall of this name."""
    for each in KINDS:
        if each.name == name:
            return each
    known = ", ".join(each.name for each in KINDS)
    raise InputError(f"There is no wall called '{name}'. There are: {known}.")
