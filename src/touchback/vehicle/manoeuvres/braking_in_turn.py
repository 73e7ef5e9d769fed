"""Braking in a turn: whether a car stays on its circle (ISO 7975, open loop)."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from touchback.recording import Run
from touchback.symbolic.functions import select
from touchback.vehicle.driven_car import DrivenCar
from touchback.vehicle.drivers import Driver, OpenLoop
from touchback.vehicle.drivers.driver import clipped
from touchback.vehicle.manoeuvres.manoeuvre import Figure, Figures, Manoeuvre, peaks
from touchback.vehicle.manoeuvres.slow_ramp import wheel_for

_TURNS, _BRAKES = 2.0, 7.0  # s: into the circle, and when the pedal is pressed


@dataclass(frozen=True)
class BrakingInTurn(Manoeuvre):
    """On a circle of 100 m and 5 m/s² the wheel is held, the throttle let go and the brake pressed
    by a share `pedal` of its way. The clutch is pressed with it, since the standard asks what
    braking alone does; with a `clutch` of 0 the engine drags besides (ISO 9816's question)."""

    speed: float = math.sqrt(500.0)
    lateral: float = 5.0
    pedal: float = 0.4
    clutch: float = 1.0
    any_sign: ClassVar[tuple[str, ...]] = ("clutch",)
    name: ClassVar[str] = "braking-in-turn"
    about: ClassVar[str] = "the brake is pressed on a circle: yaw rate and path after a second"

    @property
    def duration(self) -> float:
        """[s]"""
        return _BRAKES + 2.0

    def driver(self, car: DrivenCar) -> Driver:
        """Open loop."""
        angle = wheel_for(car, self.speed, self.lateral)
        return OpenLoop(
            lambda time: angle * clipped(time / _TURNS, 0.0, 1.0),
            self.speed,
            brake=lambda time: select(time > _BRAKES, self.pedal, 0.0),
            clutch=lambda time: select(time > _BRAKES, clipped(self.clutch, 0.0, 1.0), 0.0),
        )

    def figures(self, run: Run, car: DrivenCar) -> Figures:
        """A second after the pedal: deceleration, yaw rate over that of the same circle at the
        speed of then (1: it stays on it), and how far inside the circle the car is."""
        time = run.time

        def at(name: str, when: float) -> float:
            return float(np.interp(when, time, run[name]))

        radius = at("speed", _BRAKES) / at("yaw rate", _BRAKES)
        after = _BRAKES + 1.0
        course = at("yaw", _BRAKES) + at("slip", _BRAKES)
        middle = (
            at("x", _BRAKES) - radius * math.sin(course),
            at("y", _BRAKES) + radius * math.cos(course),
        )
        inside = radius - math.hypot(at("x", after) - middle[0], at("y", after) - middle[1])
        return {
            "radius": Figure(radius, "m"),
            "deceleration": Figure(at("speed", _BRAKES) - at("speed", after), "m/s²"),
            "yaw rate ratio": Figure(at("yaw rate", after) * radius / at("speed", after)),
            "inside the circle": Figure(inside, "m"),
            **peaks(run),
        }
