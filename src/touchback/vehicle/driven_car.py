"""What drivers and manoeuvres know of a car, whatever it is made of: a wheel to turn, two pedals,
and how it moves."""

from dataclasses import dataclass
from typing import Protocol, TypedDict

from touchback.model.model import Model
from touchback.spatial.vectors import Scalar


@dataclass(frozen=True)
class CarMotion:
    """How a car moves: its centre of mass at (x, y) [m], yaw ψ [rad] and its rate [rad/s], speed
    [m/s], slip angle β of the velocity from the heading [rad], lateral acceleration [m/s²]."""

    x: Scalar
    y: Scalar
    yaw: Scalar
    yaw_rate: Scalar
    speed: Scalar
    slip: Scalar
    lateral: Scalar


@dataclass(frozen=True)
class Commands:
    """What a driver does: angle of the steering wheel [rad], to the left above zero; throttle,
    brake and clutch pedal, 0 to 1. A car without gears has no clutch."""

    wheel: Scalar
    throttle: Scalar
    brake: Scalar
    clutch: Scalar = 0.0


@dataclass(frozen=True)
class Outline:
    """How far a car reaches ahead of its centre of mass, behind it, and its width [m]."""

    front: float
    rear: float
    width: float


class Stepping(TypedDict, total=False):
    """How a car is simulated: a method and its settings, as `tb.simulate` takes them."""

    method: str
    step: float
    rate: float
    rtol: float


class DrivenCar(Protocol):
    """A car that can be put into a model in two steps, since a driver looks before he acts."""

    @property
    def outline(self) -> Outline:
        """Its body, seen from above."""
        ...

    @property
    def wheelbase(self) -> float:
        """Distance of its axles [m]."""
        ...

    @property
    def steering_ratio(self) -> float:
        """Angle of the steering wheel for one of the road wheels."""
        ...

    @property
    def stepping(self) -> Stepping:
        """How it is simulated."""
        ...

    def place(self, model: Model, speed: float, slope: float = 0.0) -> CarMotion:
        """Puts it at the origin, rolling along x at a speed [m/s], on a road that rises along x by
        a slope [rad]; tells how it moves."""
        ...

    def drive(self, model: Model, commands: Commands) -> None:
        """Connects what its driver does."""
        ...
