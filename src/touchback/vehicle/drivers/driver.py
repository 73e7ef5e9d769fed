"""Who drives."""

from typing import Protocol

from touchback.model.model import Model
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import maximum, minimum
from touchback.vehicle.driven_car import CarMotion, Commands, DrivenCar


class Driver(Protocol):
    """Someone who looks at how a car moves and turns its wheel and pedals, inside the model."""

    def commands(self, model: Model, car: DrivenCar, seen: CarMotion) -> Commands:
        """What he does, as expressions of what he sees."""
        ...


def clipped(value: Scalar, least: float, most: float) -> Scalar:
    """Within limits."""
    return minimum(maximum(value, least), most)


def keep_speed(model: Model, seen: CarMotion, wanted: Scalar) -> tuple[Scalar, Scalar]:
    """Throttle and brake that keep a speed [m/s]: in proportion to what is missing, 1 for 4 m/s,
    and to its integral, the state "cruise", which stops where the pedals do."""
    missing = wanted - seen.speed
    learnt = model.state("cruise")
    push = 0.25 * missing + learnt
    within = clipped(push, -1.0, 1.0)
    model.set_rate("cruise", 0.05 * missing + 5.0 * (within - push))
    return maximum(within, 0.0), maximum(-within, 0.0)
