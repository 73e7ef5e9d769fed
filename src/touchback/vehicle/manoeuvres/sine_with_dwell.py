"""The sine with dwell: whether a car comes out of a slalom straight (ISO 19365, FMVSS 126)."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from touchback.recording import Run
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import maximum, minimum, sin
from touchback.vehicle.driven_car import DrivenCar
from touchback.vehicle.drivers import Driver, OpenLoop
from touchback.vehicle.drivers.driver import clipped
from touchback.vehicle.manoeuvres.manoeuvre import Figure, Figures, Manoeuvre, peaks
from touchback.vehicle.manoeuvres.slow_ramp import wheel_for

_BEGINS, _RATE, _DWELL = 0.5, 0.7, 0.5  # s, Hz, s
_END = _BEGINS + 1.0 / _RATE + _DWELL
_GRAVITY = 9.81  # m/s²


def turned(time: Scalar) -> Scalar:
    """The wheel's angle over its amplitude: a sine of 0.7 Hz that waits for half a second at its
    second peak."""
    since, wait = time - _BEGINS, 0.75 / _RATE
    phase = minimum(since, wait) + maximum(since - wait - _DWELL, 0.0)
    return sin(2.0 * math.pi * _RATE * clipped(phase, 0.0, 1.0 / _RATE))


@dataclass(frozen=True)
class SineWithDwell(Manoeuvre):
    """An amplitude of `factor` times the angle for 0.3 g of a slow ramp. Standards go from 1.5 to
    6.5; linear tyres, which never slide, mean little beyond 3."""

    speed: float = 80.0 / 3.6
    factor: float = 1.5
    name: ClassVar[str] = "sine-with-dwell"
    about: ClassVar[str] = "a sine of the wheel that waits at its second peak: what yaw is left"

    @property
    def duration(self) -> float:
        """[s]"""
        return _END + 3.0

    def driver(self, car: DrivenCar) -> Driver:
        """Open loop."""
        angle = self.factor * wheel_for(car, self.speed, 0.3 * _GRAVITY)
        return OpenLoop(lambda time: angle * turned(time), self.speed)

    def figures(self, run: Run, car: DrivenCar) -> Figures:
        """Yaw rate 1.00 and 1.75 s after the wheel is straight over its second peak: at most 35
        and 20 %; and how far aside the car is 1.07 s after the wheel began, at least 1.83 m at
        factors from 5 on."""
        yaw_rate, time = run["yaw rate"], run.time
        second = float(-yaw_rate[(time > _BEGINS) & (time < _END)].min())
        left = [-float(np.interp(_END + after, time, yaw_rate)) / second for after in (1.0, 1.75)]
        aside = float(np.interp(_BEGINS + 1.07, time, run["y"]))
        return {
            "stable": Figure(bool(abs(left[0]) <= 0.35 and abs(left[1]) <= 0.20)),
            "yaw rate left after 1.00 s": Figure(100.0 * left[0], "%"),
            "yaw rate left after 1.75 s": Figure(100.0 * left[1], "%"),
            "aside after 1.07 s": Figure(aside, "m"),
            **peaks(run),
        }
