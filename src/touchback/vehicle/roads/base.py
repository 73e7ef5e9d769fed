"""What every road says of itself: height, slope and grip at a place, over any number."""

from dataclasses import dataclass

from touchback.errors import ModelError
from touchback.model.value import Data, check_positive, listed, pair
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import select
from touchback.vehicle.roads.bump import Bump
from touchback.vehicle.roads.kerb import Kerb


@dataclass(frozen=True)
class Ground:
    """The road at a place (x, y) of the world: its height z [m], ∂z/∂x, ∂z/∂y, and by what its grip
    differs from that which tyres were measured on."""

    height: Scalar
    slope_x: Scalar
    slope_y: Scalar
    grip: Scalar


class Patch(Data, frozen=True):
    """A rectangle of another grip: ice 0.1, gravel 0.6. Where two overlap the later one counts."""

    x: tuple[float, float]
    y: tuple[float, float]
    grip: float

    def __post_init__(self) -> None:
        check_positive("Patch", grip=self.grip)
        for word, given in (("x", self.x), ("y", self.y)):
            low, high = pair(f"Patch: {word}", given)
            if not low < high:
                raise ModelError(
                    f"Patch: its {word} goes from {low} to {high}; give two numbers, the lower "
                    "one first."
                )

    def holds(self, x: Scalar, y: Scalar) -> Scalar:
        """1 inside, else 0."""
        along = select(x < self.x[0], 0.0, select(x < self.x[1], 1.0, 0.0))
        return select(y < self.y[0], 0.0, select(y < self.y[1], along, 0.0))


class Road(Data, frozen=True, tag_field="kind", kw_only=True):
    """A surface z(x, y) of the world, with `bumps` on it, a `grip` and `patches` of another one,
    and `kerbs`."""

    bumps: tuple[Bump, ...] = ()
    patches: tuple[Patch, ...] = ()
    grip: float = 1.0
    kerbs: tuple[Kerb, ...] = ()

    def __post_init__(self) -> None:
        label = type(self).__name__
        check_positive(label, grip=self.grip)
        for word, kind in (("bumps", Bump), ("patches", Patch), ("kerbs", Kerb)):
            given = getattr(self, word)
            items = listed(given)
            if items is None or not all(isinstance(each, kind) for each in items):
                raise ModelError(
                    f"{label}: its {word} are several of {kind.__name__}, as "
                    f"({kind.__name__}(…),), got {given!r}."
                )

    def surface(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """Height and slopes without the bumps."""
        raise NotImplementedError(type(self).__name__)

    def at(self, x: Scalar, y: Scalar) -> Ground:
        """The road at a place, without the tops of kerbs: those carry only wheels above them."""
        height, slope_x, slope_y = self.surface(x, y)
        for bump in self.bumps:
            rise, dx, dy = bump.at(x, y)
            height, slope_x, slope_y = height + rise, slope_x + dx, slope_y + dy
        grip: Scalar = self.grip
        for patch in self.patches:
            grip = select(patch.holds(x, y), patch.grip, grip)
        return Ground(height, slope_x, slope_y, grip)
