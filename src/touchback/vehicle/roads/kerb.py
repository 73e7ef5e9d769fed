"""Kerbs and walls: upright faces that wheels run into, and tops that they climb."""

from math import cos, sin

from touchback.errors import ModelError
from touchback.model.value import Data, check_positive, number, pair
from touchback.spatial.vectors import Scalar, Vector
from touchback.symbolic.functions import maximum, select, sqrt

_NOWHERE = -1e9  # m: a gap that any other is larger than


class Kerb(Data, frozen=True):
    """An upright face through the point `at` (x, y) of the world [m] without ends, behind which it
    goes on level at the height `top` [m]. `towards` [rad] is the way from the road into it: 0 along
    x, π/2 along y. One that is higher than wheels is a wall. `friction` is that of tyres and
    bodies along it (rubber and sheet metal on concrete: 0.3 to 0.7)."""

    at: tuple[float, float]
    top: float
    towards: float = 0.0
    friction: float = 0.5

    def __post_init__(self) -> None:
        check_positive("Kerb", top=self.top)
        check_positive("Kerb", zero=True, friction=self.friction)
        pair("Kerb: at", self.at)
        number("Kerb: towards", self.towards)
        if abs(self.towards) > 7.0:
            raise ModelError(f"Kerb: it goes towards {self.towards}; give an angle in radians.")

    def reached(self, place: Vector) -> tuple[Scalar, Scalar]:
        """How far a place is past the face, and above the top [m]."""
        x, y = place[0] - self.at[0], place[1] - self.at[1]
        return x * cos(self.towards) + y * sin(self.towards), place[2] - self.top

    def out(self) -> list[float]:
        """The way from it back to the road, a unit vector."""
        return [-cos(self.towards), -sin(self.towards), 0.0]

    def carries(self, centre: Vector, least: float) -> Scalar:
        """1 where the top is below a wheel's centre by `least` [m] or more, else 0."""
        past, above = self.reached(centre)
        return select(past < 0.0, 0.0, select(above < least, 0.0, 1.0))

    def gap(
        self, centre: Vector, axle: Vector, radius: Scalar, half: Scalar
    ) -> tuple[Scalar, Vector]:
        """Distance of a wheel, a drum of this radius and half width [m], and the way out: off the
        face, off the top, or from the edge to the centre, whichever parts them most."""
        past, above = self.reached(centre)
        before, over = maximum(-past, 0.0), maximum(above, 0.0)
        off = sqrt(before * before + over * over + 1e-300)
        # Inside the corner there is no way from the edge: off the face, then.
        edge = select(off > 1e-9, before / off, 1.0), select(off > 1e-9, over / off, 0.0)
        gap: Scalar = _NOWHERE
        out: Scalar = 1.0
        up: Scalar = 0.0
        for back, rise in ((1.0, 0.0), (0.0, 1.0), edge):
            inside = axle[2] * rise - self._along(axle) * back  # the way along the axle
            reach = radius * sqrt(maximum(1.0 - inside * inside, 0.0)) + half * abs(inside)
            found = above * rise - past * back - reach
            # Below the top no way leads over it, however deep a wheel is in a wall.
            nearer = select(above < 0.0, select(rise > 0.0, 0.0, gap < found), gap < found)
            gap, out, up = (
                select(nearer, new, old) for new, old in ((found, gap), (back, out), (rise, up))
            )
        return gap, [-out * cos(self.towards), -out * sin(self.towards), up]

    def _along(self, way: Vector) -> Scalar:
        return way[0] * cos(self.towards) + way[1] * sin(self.towards)
