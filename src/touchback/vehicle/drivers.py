"""Drivers of any car: one who doesn't look, one who follows a path, one who swerves, a human."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

import numpy as np

from touchback import Model, Table, cos, lookup, maximum, minimum, select, sin, sqrt
from touchback.errors import InputError, ModelError
from touchback.numbers import Floats, Scalar, check_fields, positive_number, shown
from touchback.vehicle.driven_cars import CarMotion, Commands, DrivenCar

_BETWEEN = 0.25  # m between two points of its tables
TimeFunction = Callable[[Scalar], Scalar]
_FOOT = 5.0  # 1/s, by which the foot of the car on the path is corrected
_BASE = 2.0  # m on the path, over which its bend is taken
_FEELING = 0.05  # s, over which he feels how the car slips
_SLOWEST = 1.0  # m/s: below it he steers as at it
Line = Callable[[Scalar], tuple[Scalar, Scalar]]
NO_OBSTACLE = 1e6  # m along the path: no obstacle


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


@dataclass(frozen=True)
class Path:
    """A way through points (n, 2) [m], straight between them and beyond both ends by 200 m: give so
    many that corners don't matter."""

    points: Floats

    def __post_init__(self) -> None:
        try:
            points = np.asarray(self.points, dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise InputError(
                f"Path: points (n, 2) [m] are expected, got {shown(self.points)}."
            ) from None
        if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2:
            raise InputError(
                f"Path: its points have the shape {points.shape}; give (n, 2), at least two."
            )
        if (
            not np.isfinite(points).all()
            or (np.linalg.norm(np.diff(points, axis=0), axis=1) == 0).any()
        ):
            raise InputError("Path: two points one after the other are the same, or not finite.")
        object.__setattr__(self, "points", points)

    def at(self, way: Scalar) -> tuple[Scalar, Scalar]:
        """The place after a way [m]; for expressions, too."""
        x, y = self._tables
        return lookup(x, way), lookup(y, way)

    @cached_property
    def _tables(self) -> tuple[Table, Table]:
        points = self.points
        ends = [points[0] - points[1], points[-1] - points[-2]]
        before, after = (200.0 * end / np.linalg.norm(end) for end in ends)
        whole = np.vstack([points[0] + before, points, points[-1] + after])
        way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(whole, axis=0), axis=1))])
        way -= 200.0
        even = np.arange(way[0], way[-1], _BETWEEN)
        x, y = (
            Table(tuple(even.tolist()), tuple(np.interp(even, way, whole[:, i]).tolist()))
            for i in range(2)
        )
        return x, y


@dataclass(frozen=True)
class StraightPath(Path):
    """Along x, without an end."""

    points: Floats = field(default_factory=lambda: np.array([[0.0, 0.0], [1.0, 0.0]]))

    def at(self, way: Scalar) -> tuple[Scalar, Scalar]:
        return way, 0.0


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


@dataclass(frozen=True)
class OpenLoop:
    """Turns the steering wheel as a function of time says [rad]. Keeps a speed [m/s] where one is
    given, or the throttle as another function says (0 to 1), and lets go of both while a third one
    presses the brake; a fourth one presses the clutch. Functions are over any number."""

    wheel: TimeFunction
    speed: float | None = None
    throttle: TimeFunction | None = None
    brake: TimeFunction | None = None
    clutch: TimeFunction | None = None

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


@dataclass(frozen=True)
class ObstacleAvoider(PathFollower):
    """A path follower who swerves: around what the input "obstacle" says [m along the path], which
    is `wide` and `long` [m], to the side of the input "obstacle side" (1 left, −1 right). His line
    leaves the path `swerve` metres before it, passes it with a `gap` [m], and comes back as
    smoothly."""

    wide: float = 1.0
    long: float = 2.0
    gap: float = 0.6
    swerve: float = 25.0

    def line(self, model: Model, car: DrivenCar) -> Line:
        """On the path, or beside the obstacle."""
        place = model.input("obstacle", unit="m", default=NO_OBSTACLE)
        side = model.input("obstacle side", default=1.0)
        hold = self.long / 2 + car.outline.rear
        most = self.wide / 2 + car.outline.width / 2 + self.gap

        def taken(way: Scalar) -> tuple[Scalar, Scalar]:
            away = maximum(abs(way - place) - hold, 0.0) / self.swerve
            rest = 1.0 - minimum(away, 1.0)
            offset = side * most * rest**3 * (10.0 - 15.0 * rest + 6.0 * rest * rest)
            (x, y), (x2, y2) = self.path.at(way), self.path.at(way + 1.0)
            return x - (y2 - y) * offset, y + (x2 - x) * offset

        return taken


__all__ = [
    "Driver",
    "Human",
    "ObstacleAvoider",
    "OpenLoop",
    "Path",
    "PathFollower",
    "StraightPath",
    "keep_speed",
]
