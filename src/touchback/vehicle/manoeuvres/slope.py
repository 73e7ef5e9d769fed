"""Parking on a slope: whether brakes stop a car and hold it."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from touchback.recording import Run
from touchback.symbolic.functions import select
from touchback.vehicle.driven_car import DrivenCar
from touchback.vehicle.drivers import Driver, OpenLoop
from touchback.vehicle.manoeuvres.manoeuvre import Figure, Figures, Manoeuvre

_PRESSED, _RELEASED = 0.5, 20.5  # s


@dataclass(frozen=True)
class ParkingOnSlope(Manoeuvre):
    """A car rolls uphill; the brake is pressed by a share `pedal` of its way, held, and let go
    after 20 s. `grade` is the rise over the way along the level, below zero downhill."""

    speed: float = 3.0
    grade: float = 0.15
    pedal: float = 0.5
    name: ClassVar[str] = "parking-on-slope"
    about: ClassVar[str] = "the brake stops a car on a slope, holds it, and is let go"
    any_sign: ClassVar[tuple[str, ...]] = ("grade",)

    @property
    def duration(self) -> float:
        """[s]"""
        return _RELEASED + 2.0

    @property
    def slope(self) -> float:
        """[rad]"""
        return math.atan(self.grade)

    def driver(self, car: DrivenCar) -> Driver:
        """Open loop."""
        return OpenLoop(
            lambda time: 0.0 * time,
            throttle=lambda time: 0.0 * time,
            brake=lambda time: select(
                time > _PRESSED, select(time < _RELEASED, self.pedal, 0.0), 0.0
            ),
        )

    def figures(self, run: Run, car: DrivenCar) -> Figures:
        """Whether it stands, and the acceleration after letting go; of a car that stands, its way
        from the pedal to rest and its creep over the last 15 s of holding, of another one how far
        it goes on in them."""
        time = run.time

        def at(name: str, when: float) -> float:
            return float(np.interp(when, time, run[name]))

        held = (time > _PRESSED + 5.0) & (time < _RELEASED)
        stands, way = bool(np.abs(run["speed"][held]).max() < 1e-3), float(np.ptp(run["x"][held]))
        stopped = {
            "stopping way": Figure(at("x", _PRESSED + 5.0) - at("x", _PRESSED), "m"),
            "creep": Figure(1e3 * way, "mm"),
        }
        return {
            "held": Figure(stands),
            **(stopped if stands else {"way while braked": Figure(way, "m")}),
            "rolls off with": Figure(
                (at("speed", _RELEASED + 1.5) - at("speed", _RELEASED + 0.5)), "m/s²"
            ),
        }
