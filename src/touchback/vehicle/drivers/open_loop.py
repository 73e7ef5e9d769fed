"""A driver who doesn't look: everything is known before."""

from collections.abc import Callable
from dataclasses import dataclass

from touchback.model.model import Model
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import select
from touchback.vehicle.driven_car import CarMotion, Commands, DrivenCar
from touchback.vehicle.drivers.driver import keep_speed

Course = Callable[[Scalar], Scalar]


@dataclass(frozen=True)
class OpenLoop:
    """Turns the steering wheel as a function of time says [rad]. Keeps a speed [m/s] where one is
    given, or the throttle as another function says (0 to 1), and lets go of both while a third one
    presses the brake; a fourth one presses the clutch. Functions are over any number."""

    wheel: Course
    speed: float | None = None
    throttle: Course | None = None
    brake: Course | None = None
    clutch: Course | None = None

    def commands(self, model: Model, car: DrivenCar, seen: CarMotion) -> Commands:
        """Of the model's time."""
        time = model.time
        throttle: Scalar = 0.0
        brake: Scalar = 0.0
        if self.speed is not None:
            throttle, brake = keep_speed(model, seen, self.speed)
        if self.throttle is not None:
            throttle = self.throttle(time)
        if self.brake is not None:
            pressed = self.brake(time)
            throttle = select(pressed > 0.0, 0.0, throttle)
            brake = select(pressed > 0.0, pressed, brake)
        clutch = 0.0 if self.clutch is None else self.clutch(time)
        return Commands(self.wheel(time), throttle, brake, clutch)
