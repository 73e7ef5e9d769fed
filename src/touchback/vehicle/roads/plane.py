"""The plane: level, or on a slope."""

from touchback.model.value import number
from touchback.spatial.vectors import Scalar
from touchback.vehicle.roads.base import Road


class PlaneRoad(Road, frozen=True, kw_only=True, tag="plane-road"):
    """z = `height` + `slope_x` x + `slope_y` y."""

    height: float = 0.0
    slope_x: float = 0.0
    slope_y: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for word in ("height", "slope_x", "slope_y"):
            number(f"PlaneRoad: {word}", getattr(self, word))

    def surface(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        return self.height + self.slope_x * x + self.slope_y * y, self.slope_x, self.slope_y
