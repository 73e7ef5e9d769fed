"""What every road says of itself: height, slope and grip at a place, over any number; and what lies
on roads: bumps, patches of another grip, kerbs and walls."""

import math
from dataclasses import dataclass
from math import pi
from typing import ClassVar

from touchback import cos, maximum, minimum, select, sin, sqrt
from touchback.errors import ModelError
from touchback.model import Data, Operators, Vectors, check_positive, list_items, number, pair
from touchback.numbers import Scalar, Vector, is_one_of

_NOWHERE = -1e9  # m: a gap that any other is larger than
_VECTORS = Vectors(Operators())
_SLOW = 0.05  # m/s, below which friction gives way


class Bump(Data, frozen=True):
    """From `start` on over `length` along the axis `along` [m], `height` high (negative: a hole)
    [m]. Without a `ramp` it is rounded, h/2 (1 − cos 2πs/L); with one it rises over the ramp's
    length by 3 s² − 2 s³, stays, and falls so. `between` keeps it to a strip of the other axis,
    with upright sides."""

    UNITS: ClassVar[dict[str, str]] = {
        "start": "m",
        "length": "m",
        "height": "m",
        "ramp": "m",
        "between": "m",
    }

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


class Kerb(Data, frozen=True):
    """An upright face through the point `at` (x, y) of the world [m] without ends, behind which it
    goes on level at the height `top` [m]. `towards` [rad] is the way from the road into it: 0 along
    x, π/2 along y. One that is higher than wheels is a wall. `friction` is that of tyres and
    bodies along it (rubber and sheet metal on concrete: 0.3 to 0.7)."""

    UNITS: ClassVar[dict[str, str]] = {"at": "m", "top": "m", "towards": "rad", "friction": "1"}

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
        return x * math.cos(self.towards) + y * math.sin(self.towards), place[2] - self.top

    def out(self) -> list[float]:
        """The way from it back to the road, a unit vector."""
        return [-math.cos(self.towards), -math.sin(self.towards), 0.0]

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
        return gap, [-out * math.cos(self.towards), -out * math.sin(self.towards), up]

    def _along(self, way: Vector) -> Scalar:
        return way[0] * math.cos(self.towards) + way[1] * math.sin(self.towards)


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

    UNITS: ClassVar[dict[str, str]] = {"x": "m", "y": "m", "grip": "1"}

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

    UNITS: ClassVar[dict[str, str]] = {"grip": "1"}

    bumps: tuple[Bump, ...] = ()
    patches: tuple[Patch, ...] = ()
    grip: float = 1.0
    kerbs: tuple[Kerb, ...] = ()

    def __post_init__(self) -> None:
        label = type(self).__name__
        check_positive(label, grip=self.grip)
        for word, kind in (("bumps", Bump), ("patches", Patch), ("kerbs", Kerb)):
            given = getattr(self, word)
            items = list_items(given)
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


def rubbing(friction: Scalar, normal: Scalar, slip: Vector, steepest: float) -> Vector:
    """Coulomb's force −μ N u/√(u² + u₀²) against a slip velocity u [m/s], as of soft contacts, but
    with u₀ = 0.05 m/s + μ N/D: its slope at rest is at most D = `steepest` [N s/m], however hard
    the impact is, so that steps of 1 ms don't throw the slip from side to side."""
    limit = friction * normal
    gives = _SLOW + limit / steepest
    speed = sqrt(_VECTORS.dot(slip, slip) + gives * gives)
    return _VECTORS.scale(-limit / speed, slip)
