"""The slow ramp: how much a car understeers (ISO 4138, constant speed)."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from touchback.errors import SolveError
from touchback.model.model import Model
from touchback.recording import Run
from touchback.symbolic.functions import select
from touchback.vehicle.driven_car import CarMotion, Commands, DrivenCar
from touchback.vehicle.drivers import Driver, keep_speed
from touchback.vehicle.manoeuvres.manoeuvre import Figure, Figures, Manoeuvre, drive, peaks

_NEUTRAL = 1e-9  # rad s²/m: less is rounding
_SETTLED = 2.0  # s after which its lag is always the same


@dataclass(frozen=True)
class _Ramp:
    """Turns the wheel on until he feels enough, and keeps a speed."""

    rate: float
    most: float
    speed: float

    def commands(self, model: Model, car: DrivenCar, seen: CarMotion) -> Commands:
        wheel = model.state("arms", unit="rad")
        model.set_rate("arms", select(seen.lateral < 1.05 * self.most, self.rate, 0.0))
        return Commands(wheel, *keep_speed(model, seen, self.speed))


@dataclass(frozen=True)
class SlowRamp(Manoeuvre):
    """The wheel turns `rate` [rad/s] at constant speed until the lateral acceleration is `most`
    [m/s²]."""

    speed: float = 80.0 / 3.6
    rate: float = 0.03
    most: float = 4.0
    name: ClassVar[str] = "slow-ramp"
    about: ClassVar[str] = "the wheel turns slowly on: the understeer gradient"

    @property
    def duration(self) -> float:
        """[s]"""
        return 40.0

    def driver(self, car: DrivenCar) -> Driver:
        """Who feels the acceleration."""
        return _Ramp(self.rate, self.most, self.speed)

    def figures(self, run: Run, car: DrivenCar) -> Figures:
        """The understeer gradient K = d(δ − l ψ̇/v)/d a_y, the gains, and the characteristic (or
        critical, below zero) speed √(l/K)."""
        used = (run.time > _SETTLED) & (run["lateral"] < self.most)
        used &= np.cumsum(run["lateral"] >= self.most) == 0
        lateral, yaw_rate = run["lateral"][used], run["yaw rate"][used]
        steer = run["steering wheel"][used] / car.steering_ratio
        if not used.any():
            raise SolveError(
                f"Manoeuvre 'slow-ramp': the lateral acceleration was {self.most:.1f} m/s² within "
                f"{_SETTLED:g} s at {self.speed:.1f} m/s, before the car had settled; drive slower "
                "or turn at a lower rate."
            )
        if np.ptp(lateral) < 0.5:
            raise SolveError(
                f"Manoeuvre 'slow-ramp': lateral acceleration changed by {np.ptp(lateral):.2f} "
                f"m/s² only at {self.speed:.1f} m/s; drive faster or turn at a higher rate."
            )
        excess = steer - car.wheelbase * yaw_rate / run["speed"][used]
        gradient = float(np.polyfit(lateral, excess, 1)[0])
        gain = float(np.polyfit(steer, yaw_rate, 1)[0])
        size = abs(gradient)
        if size < _NEUTRAL:
            gradient = size = 0.0
        speed = math.sqrt(car.wheelbase / size) if size else math.inf
        return {
            "understeer gradient": Figure(gradient, "rad s²/m"),
            "yaw rate gain": Figure(gain, "1/s"),
            "characteristic speed": Figure(math.copysign(speed, gradient), "m/s"),
            **peaks(run),
        }


def wheel_for(car: DrivenCar, speed: float, lateral: float) -> float:
    """Angle of the steering wheel [rad] with which a car goes round with a lateral acceleration
    [m/s²], from a slow ramp: less the angle by which its wheel is ahead throughout, which a
    parabola through what it felt shows at no acceleration."""
    run = drive(car, SlowRamp(speed, most=max(lateral, 1.0))).run
    wheel, felt = run["steering wheel"], run["lateral"]
    reached = felt >= lateral
    if not reached.any():
        raise SolveError(
            f"Manoeuvre: the car reached {felt.max():.1f} of {lateral:.1f} m/s² at {speed:.1f} "
            "m/s; ask for less."
        )
    last = int(np.argmax(reached)) + 1
    used = slice(int(np.searchsorted(run.time, _SETTLED)), max(last, 3))
    ahead = float(np.polyfit(felt[used], wheel[used], 2)[2])
    return float(np.interp(lateral, felt[:last], wheel[:last])) - ahead
