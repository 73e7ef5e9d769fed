"""Manoeuvres by a prescribed steering wheel: step steer (ISO 7401), sine with dwell (ISO 19365,
FMVSS 126), slow ramp (ISO 4138, constant speed), braking in a turn (ISO 7975)."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from touchback import Model, Run, maximum, minimum, select, sin
from touchback.errors import SolveError
from touchback.numbers import Scalar
from touchback.vehicle.driven_cars import CarMotion, Commands, DrivenCar
from touchback.vehicle.drivers import Driver, OpenLoop, clipped, keep_speed
from touchback.vehicle.manoeuvres.manoeuvre import (
    Figure,
    Figures,
    Manoeuvre,
    crossing,
    drive,
    peaks,
)

_BEGINS, _RISES = 0.5, 0.1  # s
_ROUNDING = 1e-6  # of the last yaw rate: what is less is no overshoot
_DWELL_BEGINS, _RATE, _DWELL = 0.5, 0.7, 0.5  # s, Hz, s
_END = _DWELL_BEGINS + 1.0 / _RATE + _DWELL
_GRAVITY = 9.81  # m/s²
_NEUTRAL = 1e-9  # rad s²/m: less is rounding
_SETTLED = 2.0  # s after which its lag is always the same
_TURNS, _BRAKES = 2.0, 7.0  # s: into the circle, and when the pedal is pressed


@dataclass(frozen=True)
class StepSteer(Manoeuvre):
    """The wheel turns within 0.1 s to the angle at which the car goes round with a lateral
    acceleration of `lateral` [m/s²]."""

    speed: float = 100.0 / 3.6
    lateral: float = 4.0
    name: ClassVar[str] = "step-steer"
    about: ClassVar[str] = "a step of the wheel: response time and overshoot"

    @property
    def duration(self) -> float:
        """[s]"""
        return 6.0

    def driver(self, car: DrivenCar) -> Driver:
        """Open loop."""
        angle = wheel_for(car, self.speed, self.lateral)
        return OpenLoop(
            lambda time: angle * clipped((time - _BEGINS) / _RISES, 0.0, 1.0), self.speed
        )

    def figures(self, run: Run, car: DrivenCar) -> Figures:
        """Times count from when the wheel, which hands turn late, has gone half of its way to when
        the yaw rate is 90 % of its last, and to its peak, where it goes beyond its last."""
        yaw_rate, wheel, time = run["yaw rate"], run["steering wheel"], run.time
        last = float(yaw_rate[time > self.duration - 0.5].mean())
        half = crossing(time, wheel, 0.5 * float(wheel[-1]))
        peak = int(yaw_rate.argmax())
        beyond = float(yaw_rate[peak]) / last - 1.0
        peaked = {}
        if beyond > _ROUNDING:
            peaked["peak response time"] = Figure(float(time[peak]) - half, "s")
        return {
            "steady yaw rate": Figure(last, "rad/s"),
            "yaw rate gain": Figure(last / float(wheel[-1]) * car.steering_ratio, "1/s"),
            "response time": Figure(crossing(time, yaw_rate, 0.9 * last) - half, "s"),
            **peaked,
            "overshoot": Figure(100.0 * beyond if peaked else 0.0, "%"),
            **peaks(run),
        }


def sine_with_dwell_profile(time: Scalar) -> Scalar:
    """The wheel's angle over its amplitude: a sine of 0.7 Hz that waits for half a second at its
    second peak."""
    since, wait = time - _DWELL_BEGINS, 0.75 / _RATE
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
        return OpenLoop(lambda time: angle * sine_with_dwell_profile(time), self.speed)

    def figures(self, run: Run, car: DrivenCar) -> Figures:
        """Yaw rate 1.00 and 1.75 s after the wheel is straight over its second peak: at most 35
        and 20 %; and how far aside the car is 1.07 s after the wheel began, at least 1.83 m at
        factors from 5 on."""
        yaw_rate, time = run["yaw rate"], run.time
        second = float(-yaw_rate[(time > _DWELL_BEGINS) & (time < _END)].min())
        left = [-float(np.interp(_END + after, time, yaw_rate)) / second for after in (1.0, 1.75)]
        aside = float(np.interp(_DWELL_BEGINS + 1.07, time, run["y"]))
        return {
            "stable": Figure(bool(abs(left[0]) <= 0.35 and abs(left[1]) <= 0.20)),
            "yaw rate left after 1.00 s": Figure(100.0 * left[0], "%"),
            "yaw rate left after 1.75 s": Figure(100.0 * left[1], "%"),
            "aside after 1.07 s": Figure(aside, "m"),
            **peaks(run),
        }


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
