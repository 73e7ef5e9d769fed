"""A driver on a path on which obstacles appear."""

from dataclasses import dataclass

from touchback.model.model import Model
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import maximum, minimum
from touchback.vehicle.driven_car import DrivenCar
from touchback.vehicle.drivers.path_follower import Line, PathFollower

NONE = 1e6  # m along the path: no obstacle


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
        place = model.input("obstacle", unit="m", default=NONE)
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
