"""A human driver, through ports of a live run."""

from dataclasses import dataclass

from touchback.model.model import Model
from touchback.numbers import positive_number
from touchback.vehicle.driven_car import CarMotion, Commands, DrivenCar


@dataclass(frozen=True)
class Human:
    """Inputs "steering wheel" [rad], "throttle" and "brake" (0 to 1), for devices, pages and other
    processes; the wheel turns `most` [rad] to each side."""

    most: float = 9.0

    def __post_init__(self) -> None:
        positive_number("Human: the wheel's `most` to each side [rad]", self.most)

    def commands(self, model: Model, car: DrivenCar, seen: CarMotion) -> Commands:
        """What comes in."""
        return Commands(
            model.input("steering wheel", unit="rad", min=-self.most, max=self.most),
            model.input("throttle", min=0.0, max=1.0),
            model.input("brake", min=0.0, max=1.0),
        )
