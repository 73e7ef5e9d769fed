"""What lies on a road: rounded bumps, and plateaus with ramps (kerbs, speed tables, kinks)."""

from math import pi

from touchback.errors import ModelError
from touchback.model.value import Data, check_positive, number, pair
from touchback.numbers import is_one_of
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import cos, maximum, minimum, select, sin


class Bump(Data, frozen=True):
    """From `start` on over `length` along the axis `along` [m], `height` high (negative: a hole)
    [m]. Without a `ramp` it is rounded, h/2 (1 − cos 2πs/L); with one it rises over the ramp's
    length by 3 s² − 2 s³, stays, and falls so. `between` keeps it to a strip of the other axis,
    with upright sides."""

    start: float
    length: float
    height: float
    ramp: float | None = None
    along: str = "x"
    between: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        check_positive("Bump", length=self.length)
        number("Bump: start", self.start)
        number("Bump: height", self.height)
        if not is_one_of(self.along, ("x", "y")):
            raise ModelError(f"Bump: it goes along 'x' or 'y', got {self.along!r}.")
        if self.ramp is not None and not 0.0 < number("Bump: ramp", self.ramp) <= self.length / 2.0:
            raise ModelError(
                f"Bump: its ramp is {self.ramp} m; give one above 0 and at most half of its "
                f"length, {self.length / 2.0} m."
            )
        if self.between is not None:
            low, high = pair("Bump: between", self.between)
            if not low < high:
                raise ModelError(
                    f"Bump: between {low, high} is no strip; give the lower end first."
                )

    def at(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """How much it lifts the road, and both slopes."""
        s, other = (x, y) if self.along == "x" else (y, x)
        rise, slope = self._profile(s - self.start)
        if self.between is not None:
            low, high = self.between
            inside = select(other < low, 0.0, select(other < high, 1.0, 0.0))
            rise, slope = rise * inside, slope * inside
        return (rise, slope, 0.0) if self.along == "x" else (rise, 0.0, slope)

    def _profile(self, s: Scalar) -> tuple[Scalar, Scalar]:
        L, h = self.length, self.height
        held = minimum(maximum(s, 0.0), L)
        if self.ramp is None:
            angle = 2.0 * pi / L * held
            return h / 2.0 * (1.0 - cos(angle)), h * pi / L * sin(angle)
        up = minimum(held / self.ramp, 1.0)
        down = minimum((L - held) / self.ramp, 1.0)
        rise = h * up * up * (3.0 - 2.0 * up) * down * down * (3.0 - 2.0 * down)
        slope = 6.0 * h / self.ramp * (up * (1.0 - up) - down * (1.0 - down))
        return rise, slope
