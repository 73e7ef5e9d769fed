"""A sudden obstacle, somewhere, on one side or the other (Docquier 2021, section 5.2)."""

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from touchback.recording import Run
from touchback.simulate.protocol import InputData
from touchback.vehicle.driven_car import DrivenCar
from touchback.vehicle.drivers import Driver, ObstacleAvoider, Path
from touchback.vehicle.drivers.obstacle_avoider import NONE
from touchback.vehicle.manoeuvres.manoeuvre import Figure, Figures, Manoeuvre, corners, peaks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDE, LONG = 1.0, 2.0  # m


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
            "obstacle": lambda time: along if time >= appears else NONE,
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
