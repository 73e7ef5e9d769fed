"""A person at a device, who isn't simulated."""

from dataclasses import dataclass

from touchback.model.model import Model
from touchback.numbers import MOST, number_within
from touchback.vehicle.driven_car import CarMotion, Commands, DrivenCar
from touchback.vehicle.drivers import keep_speed


@dataclass(frozen=True)
class Person:
    """His hands are at the device. His feet are inputs "throttle" and "brake" (0 to 1), or a
    `speed` [m/s] is kept for him, as in Docquier's prototype, which has no pedals."""

    speed: float | None = None

    def __post_init__(self) -> None:
        if self.speed is not None:
            said = "Person: a speed that is kept for him must be a number from 0 [m/s]"
            number_within(said, self.speed, 0.0, MOST)

    def commands(self, model: Model, car: DrivenCar, seen: CarMotion) -> Commands:
        """What comes in."""
        if self.speed is not None:
            return Commands(0.0, *keep_speed(model, seen, self.speed))
        feet = [model.input(pedal, min=0.0, max=1.0) for pedal in ("throttle", "brake")]
        return Commands(0.0, *feet)
