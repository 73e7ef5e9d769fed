"""A driver who looks ahead on a path."""

from collections.abc import Callable
from dataclasses import dataclass

from touchback.errors import ModelError
from touchback.model.model import Model
from touchback.numbers import check_fields
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import cos, maximum, sin, sqrt
from touchback.vehicle.driven_car import CarMotion, Commands, DrivenCar
from touchback.vehicle.drivers.driver import clipped, keep_speed
from touchback.vehicle.drivers.path import Path

_FOOT = 5.0  # 1/s, by which the foot of the car on the path is corrected
_BASE = 2.0  # m on the path, over which its bend is taken
_FEELING = 0.05  # s, over which he feels how the car slips
_SLOWEST = 1.0  # m/s: below it he steers as at it

Line = Callable[[Scalar], tuple[Scalar, Scalar]]


@dataclass(frozen=True)
class PathFollower:
    """Looks at the bend κ of a path `preview` seconds ahead, and at how far aside e of the path and
    how much across it θ the car goes. He wants the bend

        κ − e/(v T)² − 2 sin θ/(v T)

    by which e would die out, critically damped, within some times `calm`, T [s], were the car to
    follow at once. For one that answers late he foresees e and θ, by a `foresight` τ [s]: what they
    will be if it goes on turning as it does, e + v τ sin θ + ½ v τ² ω and θ + τ ω of those where it
    is, with ω by how much its course turns faster than the path. The wheel for it is that of a car
    with the `understeer` gradient K that he is used to [rad s²/m], δ = κ (l + K v²); his arms
    follow within `lag` [s]. He keeps a `speed` [m/s].

    As Sharp, Casanova and Symonds (2000), with one point of preview, and MacAdam (1981), who
    predicts the car's place."""

    path: Path
    speed: float
    preview: float = 0.25
    understeer: float = 0.0
    lag: float = 0.08
    calm: float = 0.5
    foresight: float = 0.0

    def __post_init__(self) -> None:
        check_fields(self)
        for word in ("speed", "preview", "lag", "calm"):
            if not getattr(self, word) > 0.0:
                raise ModelError(
                    f"{type(self).__name__}: its {word} is {getattr(self, word)}; give a positive "
                    "number."
                )

    def commands(self, model: Model, car: DrivenCar, seen: CarMotion) -> Commands:
        """His states: "way", how far along the path the car is [m], and "arms", the wheel's angle
        [rad]."""
        line = self.line(model, car)
        way = model.state("way", unit="m")
        course = seen.yaw + seen.slip
        heading = cos(course), sin(course)
        aside, across, along = _errors(line, way, seen, heading)
        model.set_rate("way", along)
        speed = maximum(seen.speed, _SLOWEST)
        reach = self.calm * speed
        if self.foresight > 0.0:
            turning = seen.yaw_rate + _slipping(model, seen) - seen.speed * _bend(line, way)
            turned = self.foresight * turning
            aside = aside + self.foresight * seen.speed * (across + 0.5 * turned)
            across = across + turned
        bend = _bend(line, way + self.preview * seen.speed)
        bend = bend - aside / (reach * reach) - 2.0 * across / reach
        wanted = car.steering_ratio * bend * (car.wheelbase + self.understeer * speed * speed)
        wheel = model.state("arms", unit="rad")
        model.set_rate("arms", clipped((wanted - wheel) / self.lag, -20.0, 20.0))
        return Commands(wheel, *keep_speed(model, seen, self.speed))

    def line(self, model: Model, car: DrivenCar) -> Line:
        """The line that he takes, by the way along the path."""
        return self.path.at


def _slipping(model: Model, seen: CarMotion) -> Scalar:
    """Rate of the slip angle [rad/s], from a state that follows it."""
    felt = model.state("felt slip", unit="rad")
    rate = (seen.slip - felt) / _FEELING
    model.set_rate("felt slip", rate)
    return rate


def _errors(
    line: Line, way: Scalar, seen: CarMotion, heading: tuple[Scalar, Scalar]
) -> tuple[Scalar, Scalar, Scalar]:
    """How far the car is to the left of its line [m], the sine by which it goes to the left of it,
    and the rate of its foot [m/s], which is drawn to where the car is abreast of it."""
    (x, y), (x1, y1), (x2, y2) = line(way), line(way - _BASE / 2), line(way + _BASE / 2)
    tx, ty = x2 - x1, y2 - y1
    length = sqrt(tx * tx + ty * ty + 1e-12)
    tx, ty = tx / length, ty / length
    dx, dy = seen.x - x, seen.y - y
    along = seen.speed * (heading[0] * tx + heading[1] * ty) + _FOOT * (dx * tx + dy * ty)
    return tx * dy - ty * dx, tx * heading[1] - ty * heading[0], along


def _bend(line: Line, way: Scalar) -> Scalar:
    """Of a line [1/m], from three points: the turn from one chord to the next over its length."""
    (x0, y0), (x1, y1), (x2, y2) = line(way - _BASE), line(way), line(way + _BASE)
    turn = (x1 - x0) * (y2 - y1) - (y1 - y0) * (x2 - x1)
    return turn / _BASE**3
