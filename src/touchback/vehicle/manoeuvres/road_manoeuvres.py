"""Manoeuvres on a marked or sloping road: the double lane change (ISO 3888), a sudden obstacle
(Docquier 2021, section 5.2), parking on a slope."""

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from touchback import Run, select
from touchback.errors import InputError
from touchback.numbers import Floats, InputData
from touchback.vehicle.driven_cars import DrivenCar, Outline
from touchback.vehicle.drivers import (
    NO_OBSTACLE,
    Driver,
    ObstacleAvoider,
    OpenLoop,
    Path,
    PathFollower,
)
from touchback.vehicle.manoeuvres.manoeuvre import (
    Figure,
    Figures,
    Manoeuvre,
    corners,
    drive,
    peaks,
)
from touchback.vehicle.manoeuvres.steering_manoeuvres import SlowRamp

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BEFORE, _AFTER = 40.0, 60.0  # m to the first gate, and from the last one
_STRAIGHT = 15.0  # m before the first and after the last lane, from where on he goes straight
_EVEN = 0.02  # m: what is left to choose is chosen by the sum of changes
_SMOOTH = 8.0  # m: a bend that changes within it is as bad as one that is twice as tight
WIDE, LONG = 1.0, 2.0  # m
_PRESSED, _RELEASED = 0.5, 20.5  # s


@dataclass(frozen=True)
class Lane:
    """A lane between cones: along x from `start` to `end`, across from `right` to `left` [m]."""

    start: float
    end: float
    right: float
    left: float

    @property
    def middle(self) -> float:
        """Across [m]."""
        return (self.right + self.left) / 2


def lanes(width: float, part: int) -> list[Lane]:
    """The three lanes for a car of a width [m], from the origin on: part 1 (125 m) or part 2, the
    obstacle avoidance (61 m). Widths are 1.1 b + 0.25, then 1.2 b + 0.25 or b + 1, then 1.3 b +
    0.25 (in part 2 at least 3 m). The first and the last lane have their right cones in line. The
    middle lane's right cones stand 3.5 m to the left of them in part 1, as we read its drawing,
    and 1 m beyond the first lane's left cones in part 2."""
    first, last = 1.1 * width + 0.25, 1.3 * width + 0.25
    right = -first / 2
    if part == 1:
        beside = right + 3.5
        return [
            Lane(0.0, 15.0, right, right + first),
            Lane(45.0, 70.0, beside, beside + 1.2 * width + 0.25),
            Lane(95.0, 125.0, right, right + last),
        ]
    beside = right + first + 1.0
    return [
        Lane(0.0, 12.0, right, right + first),
        Lane(25.5, 36.5, beside, beside + width + 1.0),
        Lane(49.0, 61.0, right, right + max(last, 3.0)),
    ]


def line_through(course: list[Lane], shape: Outline, room: float = 0.15) -> Path:
    """The line for a car of this shape that bends least, as a driver would take it: no point of the
    car comes nearer to cones than `room` [m] while it is abreast of a lane. A linear program, for
    small angles and points a metre apart: the peaks of the bend and of its change are least, then
    the sum of all changes."""
    from scipy.optimize import linprog  # half a second, not for the command's start

    x = np.arange(-_BEFORE, course[-1].end + _AFTER)
    n, unit = len(x), np.eye(len(x))
    bend, change = np.diff(unit, 2, axis=0), np.diff(unit, 3, axis=0)
    rows, limits = [], []  # rows @ (line, change at each point, largest bend, largest change)

    def hold(line: Floats, changes: Floats, most_bend: float, most: float, limit: float) -> None:
        peaks = np.tile([most_bend, most], (len(line), 1))
        rows.append(np.hstack([line, changes, peaks]))
        limits.append(np.full(len(line), limit))

    each, none = np.eye(n - 3), np.zeros((n - 3, n))
    for sign in (1.0, -1.0):
        hold(sign * bend, np.zeros((n - 2, n - 3)), -1.0, 0.0, 0.0)
        hold(sign * change, -each, 0.0, 0.0, 0.0)
    hold(none, each, 0.0, -1.0, 0.0)
    beside = shape.width / 2 + room
    for lane in course:
        for part in np.linspace(-shape.rear, shape.front, 5):
            place = x[1:-1] + part
            abreast = (place >= lane.start - 0.5) & (place <= lane.end + 0.5)
            there = (unit[1:-1] + part * (unit[2:] - unit[:-2]) / 2)[abreast]
            idle = np.zeros((len(there), n - 3))
            hold(there, idle, 0.0, 0.0, lane.left - beside)
            hold(-there, idle, 0.0, 0.0, -lane.right - beside)
    first, last = course[0].middle, course[-1].middle
    held = np.where(x < -_STRAIGHT, first, np.where(x > course[-1].end + _STRAIGHT, last, np.nan))
    bounds = [(None, None) if np.isnan(y) else (y, y) for y in held]
    cost = np.concatenate([np.zeros(n), np.full(n - 3, _EVEN), [1.0, _SMOOTH]])
    bounds += [(0.0, None)] * (n - 1)
    found = linprog(cost, np.vstack(rows), np.concatenate(limits), bounds=bounds)
    if not found.success:
        raise InputError(
            f"Manoeuvre 'double-lane-change': a car of {shape.front + shape.rear:g} m by "
            f"{shape.width:g} m finds no line through the lanes: {found.message}"
        )
    return Path(np.stack([x + _BEFORE, found.x[:n] - first], axis=1))


@dataclass(frozen=True)
class DoubleLaneChange(Manoeuvre):
    """Part 1 of ISO 3888, or `part` 2, by a path follower with these `preview` and `calm` who is
    used to how much the car understeers (a slow ramp before). His line leaves `room` [m] to cones:
    the more, the tighter it bends. The standard's driver lets go of the throttle in part 2; ours
    keeps his speed."""

    speed: float = 80.0 / 3.6
    part: int = 1
    preview: float = 0.35
    calm: float = 0.35
    room: float = 0.15
    name: ClassVar[str] = "double-lane-change"
    about: ClassVar[str] = "out of a lane and back between cones: ISO 3888"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.part not in (1, 2):
            raise InputError(f"Manoeuvre '{self.name}': its part is {self.part}; give 1 or 2.")

    @property
    def duration(self) -> float:
        """[s]"""
        return (_BEFORE + lanes(1.0, self.part)[-1].end + 30.0) / self.speed

    def placed_lanes(self, car: DrivenCar) -> list[Lane]:
        """The lanes where they stand: the car starts at the origin, in the first one's middle."""
        return [
            Lane(each.start + _BEFORE, each.end + _BEFORE, each.right, each.left)
            for each in lanes(car.outline.width, self.part)
        ]

    def driver(self, car: DrivenCar) -> Driver:
        """On a line through the lanes."""
        line = line_through(lanes(car.outline.width, self.part), car.outline, self.room)
        used_to = drive(car, SlowRamp(self.speed))["understeer gradient"]
        return PathFollower(
            line, self.speed, self.preview, used_to, calm=self.calm, foresight=self.preview
        )

    def figures(self, run: Run, car: DrivenCar) -> Figures:
        """Whether no point of the car leaves a lane while it is abreast of it, and by how much."""
        left = self._left(run, car)
        return {
            "accepted": Figure(bool(left > 0.0)),
            "room left": Figure(left, "m"),
            **peaks(run),
        }

    def scenery(self, axis: "Axes", car: DrivenCar) -> None:
        """Cones."""
        for lane in self.placed_lanes(car):
            x = np.arange(lane.start, lane.end + 0.1, (lane.end - lane.start) / 5)
            for side in (lane.right, lane.left):
                axis.plot(x, np.full_like(x, side), "^", color="#e07a5f", ms=4)

    def _left(self, run: Run, car: DrivenCar) -> float:
        points: Floats = corners(run, car).reshape(-1, 2)
        room = np.inf
        for lane in self.placed_lanes(car):
            abreast = points[(points[:, 0] >= lane.start) & (points[:, 0] <= lane.end), 1]
            if len(abreast) == 0:
                return -np.inf  # it never came there
            room = min(
                room, float((lane.left - abreast).min()), float((abreast - lane.right).min())
            )
        return room


@dataclass(frozen=True)
class SuddenObstacle(Manoeuvre):
    """An obstacle appears `notice` seconds before the car would meet it. Where along the road, and
    to which side the driver swerves, is drawn from a `seed`."""

    speed: float = 75.0 / 3.6
    notice: float = 2.0
    seed: int = 1
    name: ClassVar[str] = "sudden-obstacle"
    about: ClassVar[str] = "something stands on the road suddenly, and the driver swerves"
    any_sign: ClassVar[tuple[str, ...]] = ("seed",)

    @property
    def place(self) -> tuple[float, float]:
        """Of the obstacle along the road [m], and the side on which it is passed (1 left)."""
        draw = random.Random(self.seed)
        return self.speed * (self.notice + draw.uniform(0.5, 2.5)), draw.choice((1.0, -1.0))

    @property
    def duration(self) -> float:
        """[s]"""
        return self.place[0] / self.speed + 3.0

    def driver(self, car: DrivenCar) -> Driver:
        """Along x, until he sees it."""
        line = Path(np.array([[0.0, 0.0], [self.place[0] + 100.0, 0.0]]))
        return ObstacleAvoider(line, self.speed, wide=WIDE, long=LONG)

    def inputs(self) -> InputData:
        """It is nowhere, then there."""
        along, side = self.place
        appears = along / self.speed - self.notice
        return {
            "obstacle": lambda time: along if time >= appears else NO_OBSTACLE,
            "obstacle side": side,
        }

    def figures(self, run: Run, car: DrivenCar) -> Figures:
        """Whether it was missed, and by how much."""
        left = gap(run, car, self.place[0])
        return {"missed": Figure(bool(left > 0.0)), "gap": Figure(left, "m"), **peaks(run)}

    def scenery(self, axis: "Axes", car: DrivenCar) -> None:
        """The obstacle."""
        from matplotlib.patches import Rectangle

        corner = self.place[0] - LONG / 2, -WIDE / 2
        axis.add_patch(Rectangle(corner, LONG, WIDE, color="#e07a5f"))


def gap(run: Run, car: DrivenCar, along: float) -> float:
    """Between a car's outline and an obstacle in the road's middle [m]; below zero: how far it was
    hit."""
    points = corners(run, car)
    past_x = np.abs(points[..., 0] - along) - LONG / 2
    past_y = np.abs(points[..., 1]) - WIDE / 2
    outside = np.hypot(np.maximum(past_x, 0.0), np.maximum(past_y, 0.0))
    return float(np.where(outside > 0.0, outside, np.maximum(past_x, past_y)).min())


@dataclass(frozen=True)
class ParkingOnSlope(Manoeuvre):
    """A car rolls uphill; the brake is pressed by a share `pedal` of its way, held, and let go
    after 20 s. `grade` is the rise over the way along the level, below zero downhill."""

    speed: float = 3.0
    grade: float = 0.15
    pedal: float = 0.5
    name: ClassVar[str] = "parking-on-slope"
    about: ClassVar[str] = "the brake stops a car on a slope, holds it, and is let go"
    any_sign: ClassVar[tuple[str, ...]] = ("grade",)

    @property
    def duration(self) -> float:
        """[s]"""
        return _RELEASED + 2.0

    @property
    def slope(self) -> float:
        """[rad]"""
        return math.atan(self.grade)

    def driver(self, car: DrivenCar) -> Driver:
        """Open loop."""
        return OpenLoop(
            lambda time: 0.0 * time,
            throttle=lambda time: 0.0 * time,
            brake=lambda time: select(
                time > _PRESSED, select(time < _RELEASED, self.pedal, 0.0), 0.0
            ),
        )

    def figures(self, run: Run, car: DrivenCar) -> Figures:
        """Whether it stands, and the acceleration after letting go; of a car that stands, its way
        from the pedal to rest and its creep over the last 15 s of holding, of another one how far
        it goes on in them."""
        time = run.time

        def at(name: str, when: float) -> float:
            return float(np.interp(when, time, run[name]))

        held = (time > _PRESSED + 5.0) & (time < _RELEASED)
        stands, way = bool(np.abs(run["speed"][held]).max() < 1e-3), float(np.ptp(run["x"][held]))
        stopped = {
            "stopping way": Figure(at("x", _PRESSED + 5.0) - at("x", _PRESSED), "m"),
            "creep": Figure(1e3 * way, "mm"),
        }
        return {
            "held": Figure(stands),
            **(stopped if stands else {"way while braked": Figure(way, "m")}),
            "rolls off with": Figure(
                (at("speed", _RELEASED + 1.5) - at("speed", _RELEASED + 0.5)), "m/s²"
            ),
        }
