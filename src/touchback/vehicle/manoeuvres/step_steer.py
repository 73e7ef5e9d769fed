"""The step steer: how fast a car answers, and how far it overshoots (ISO 7401)."""

from dataclasses import dataclass
from typing import ClassVar

from touchback.recording import Run
from touchback.vehicle.driven_car import DrivenCar
from touchback.vehicle.drivers import Driver, OpenLoop
from touchback.vehicle.drivers.driver import clipped
from touchback.vehicle.manoeuvres.manoeuvre import Figure, Figures, Manoeuvre, crossing, peaks
from touchback.vehicle.manoeuvres.slow_ramp import wheel_for

_BEGINS, _RISES = 0.5, 0.1  # s
_ROUNDING = 1e-6  # of the last yaw rate: what is less is no overshoot


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
