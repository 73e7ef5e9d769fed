"""What every road says of itself: height, slope and grip at a place, over any number, and what is
seen of it; and what lies on roads: bumps, patches of another grip, kerbs and walls."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import pi
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from touchback import Frame, Mesh, cos, maximum, minimum, select, sin, sqrt
from touchback.errors import ModelError
from touchback.model import (
    GROUND,
    Data,
    GroundShape,
    Operators,
    Shapes,
    Vectors,
    check_positive,
    list_items,
    number,
    pair,
)
from touchback.numbers import Floats, Scalar, Vector, is_one_of

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

    def heights_at(self, x: Floats, y: Floats) -> Floats:
        """Of many places at once, with the bumps."""
        x, y = np.broadcast_arrays(x, y)
        z = self.surface_at(x, y)
        for bump in self.bumps:
            z = z + bump.at(x, y)[0]
        return z

    def surface_at(self, x: Floats, y: Floats) -> Floats:
        """The same without the bumps."""
        return np.asarray(self.surface(x, y)[0], dtype=float) + 0.0 * x

    def lines(self) -> tuple[Sequence[float], Sequence[float]]:
        """Where it bends: x and y [m] of lines between which it is as good as flat."""
        return (), ()

    def strip(self) -> tuple[float, float]:
        """The middle of the road and half of its width along y [m]."""
        return 0.0, WIDTH / 2.0

    def shapes(self) -> Shapes:
        """What is to be seen of it: the surface, lanes where it is a road of the usual width, and
        kerbs."""
        return list(_road_shapes(self))

    def belt(self) -> Shapes:
        """What is to be seen of one that moves below a vehicle: a belt."""
        corners = [(x, y, 0.0) for x in _BELT[0] for y in _BELT[1]]
        height = float(self.at(0.0, 0.0).height)
        return [_ground(corners, [(0, 2, 3), (0, 3, 1)], "belt", height)]

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


# ---- what is seen of a road -------------------------------------------------------------------

_FAR = 20e3  # m: so far a surface goes on; at 75 km/h it takes a quarter of an hour
_LANE, _LANES, _SHOULDER = 3.5, 3, 0.5  # m; the middle lane is about y = 0, where cars begin
_HALF = _LANES * _LANE / 2  # m from the middle to the line at the edge
WIDTH = 2.0 * (_HALF + _SHOULDER)  #: m: what is no wider is a road with lanes
_LINE, _DASH, _PERIOD = 0.15, 4.0, 12.0  # m: how wide and long lines are, and from one to the next
_AHEAD = 1200.0  # m of lines and of a level surface in a mesh, which follows after each period
_CELL = 48.0  # m, four periods: floats of a card lose the place of lines on larger triangles
_STEPS = 16  # of a bump
MOST_PLACES = 20_000  #: of a surface that is drawn: a larger map is drawn coarser
_BLOCK, _BLOCKS, _DEEP = 2.0, 150, 6.0  # m: kerbs are of blocks; so many in a mesh; how deep a top
_WALL = 0.4  # m: what is higher is a wall
_UNDER = 0.5  # m below the road: where a kerb's face begins
_EDGE = 1e-3  # m: upright sides are so steep
_ICE, _GRAVEL = 0.35, 0.9  # of the grip: less is drawn as ice, as gravel
_BELT = (-3.0, 3.0), (-1.5, 1.5)  # m along and across


def _road_shapes(road: "Road") -> Shapes:
    try:
        return _shapes_of(road)
    except TypeError:  # somebody gave it a list, which has no hash
        return _shapes_of.__wrapped__(road)


@lru_cache(maxsize=16)
def _shapes_of(road: "Road") -> Shapes:
    middle, half = road.strip()
    return [*_surfaces(road, middle, half), *_markings(road, middle), *_kerbs(road)]


def _ground(
    points: ArrayLike, triangles: ArrayLike, paint: str, height: float = 0.0,
    way: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> tuple[Frame, GroundShape]:  # fmt: skip
    """Triangles whose points are from a height above the world's origin."""
    mesh = Mesh.of(points, triangles)
    shape = GroundShape(points=mesh.points, triangles=mesh.triangles, paint=paint, way=way)
    return Frame(GROUND, (0.0, 0.0, height)), shape


def _net(rows: int, columns: int) -> NDArray[np.int64]:
    """Two triangles a cell (rows − 1, columns − 1, 2, 3) of points that are numbered row by row."""
    a = np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)[None, :]
    b, c, d = a + columns, a + columns + 1, a + 1
    return np.stack([np.stack([a, b, c], axis=-1), np.stack([a, c, d], axis=-1)], axis=-2)


def _thinned(lines: Sequence[float], most: int) -> list[float]:
    """Some of many lines, the first and the last among them."""
    if len(lines) <= most:
        return list(lines)
    return [lines[i] for i in np.linspace(0, len(lines) - 1, most).round().astype(int)]


def _surfaces(road: "Road", middle: float, half: float) -> Shapes:
    """One net of points over road and verge, in a mesh for each paint."""
    own_x, own_y = road.lines()
    y = [middle - half, middle + half, *_thinned(own_y, int(math.sqrt(MOST_PLACES)))]
    y += [sign * far for sign in (-1.0, 1.0) for far in (_AHEAD / 60, _AHEAD / 12, _AHEAD)]
    every = np.arange(-_AHEAD, _AHEAD + _CELL, _CELL).tolist()
    x = [*every, *_thinned(own_x, max(MOST_PLACES // len(y) - len(every), 2))]
    level = not (own_x or own_y or road.bumps or road.patches)
    way = (0.0, 0.0, 0.0)
    if level:
        way = (_CELL, 0.0, float(road.at(_CELL, 0.0).height - road.at(0.0, 0.0).height))
    else:
        x, y = [-_FAR, _FAR, *x], [-_FAR, _FAR, *y]
    for bump in road.bumps:
        steps = np.linspace(bump.start, bump.start + bump.length, _STEPS + 1).tolist()
        along, across = (x, y) if bump.along == "x" else (y, x)
        along += steps
        across += [end + side * _EDGE for end in bump.between or () for side in (-0.5, 0.5)]
    for patch in road.patches:
        x += patch.x
        y += patch.y
    xs, ys = (np.unique(np.clip(each, -_FAR, _FAR)) for each in (x, y))
    height = float(road.at(0.0, 0.0).height)
    z = road.heights_at(xs[:, None], ys[None, :]) - height
    points = np.stack(np.broadcast_arrays(xs[:, None], ys[None, :], z), axis=-1).reshape(-1, 3)
    paints = _paints(road, (xs[1:] + xs[:-1]) / 2, (ys[1:] + ys[:-1]) / 2, middle, half)
    cells = _net(len(xs), len(ys))
    found: Shapes = []
    for paint in np.unique(paints):
        corners = cells[paints == paint].reshape(-1, 3)
        used, numbers = np.unique(corners, return_inverse=True)
        triangles = numbers.reshape(-1, 3)
        found.append(_ground(points[used], triangles, str(paint), height, way))
    return found


def _paints(road: "Road", x: Floats, y: Floats, middle: float, half: float) -> NDArray[np.str_]:
    """What each cell is, by its middle."""
    on_road = np.broadcast_to(np.abs(y - middle) < half, (len(x), len(y)))
    found = np.where(on_road, "asphalt", "verge").astype("<U8")
    for patch in road.patches:
        inside = (x > patch.x[0]) & (x < patch.x[1])
        across = (y > patch.y[0]) & (y < patch.y[1])
        paint = "ice" if patch.grip < _ICE else "gravel" if patch.grip < _GRAVEL else "asphalt"
        found[np.ix_(inside, across)] = paint
    return found


def _markings(road: "Road", middle: float) -> Shapes:
    """Lines of a road with lanes: dashes between lanes, whole ones at its edges."""
    if 2.0 * road.strip()[1] > WIDTH:
        return []
    own_x = road.lines()[0]
    level = not own_x and not road.bumps
    start, end = (-_AHEAD, _AHEAD) if level else (min(own_x, default=-_AHEAD),
                                                  max(own_x, default=_AHEAD))  # fmt: skip
    places = np.arange(math.floor(start / _PERIOD), math.ceil(end / _PERIOD)) * _PERIOD
    pieces = []
    for lane in range(_LANES + 1):
        at = middle - _HALF + lane * _LANE
        length = _PERIOD if lane in (0, _LANES) else _DASH
        pieces += [(place, length, at) for place in places]
    corners = np.array([
        [(x, y - _LINE / 2), (x + length, y - _LINE / 2), (x + length, y + _LINE / 2),
         (x, y + _LINE / 2)] for x, length, y in pieces
    ]).reshape(-1, 2)  # fmt: skip
    height = float(road.at(0.0, 0.0).height)
    z = road.heights_at(corners[:, 0], corners[:, 1]) - height
    first = 4 * np.arange(len(pieces))[:, None]
    triangles = np.concatenate([first + [0, 1, 2], first + [0, 2, 3]])
    rise = float(road.at(_PERIOD, 0.0).height) - height
    way = (_PERIOD, 0.0, rise) if level else (0.0, 0.0, 0.0)
    return [_ground(np.column_stack([corners, z]), triangles, "marking", height, way)]


def _kerbs(road: "Road") -> Shapes:
    """Faces and tops of kerbs and walls, in blocks of two paints."""
    found: Shapes = []
    for kerb in road.kerbs:
        below = road.at(*kerb.at)
        bottom = float(below.height) - _UNDER
        if kerb.top <= bottom:
            continue
        into = np.array([math.cos(kerb.towards), math.sin(kerb.towards)])
        along = np.array([-into[1], into[0]])
        places = _BLOCK * (np.arange(2 * _BLOCKS + 1) - _BLOCKS)
        edge = np.array(kerb.at) + places[:, None] * along
        rows = [(edge, bottom), (edge, kerb.top), (edge + _DEEP * into, kerb.top)]
        points = np.stack([np.column_stack([xy, np.full(len(xy), z)]) for xy, z in rows], axis=1)
        cells = _net(len(places), len(rows))
        kind = "wall" if kerb.top - float(below.height) > _WALL else "kerb"
        way = 2.0 * _BLOCK * float(along[0]), 2.0 * _BLOCK * float(along[1]), 0.0
        for paint, part in ((kind, cells[::2]), (f"light {kind}", cells[1::2])):
            found.append(_ground(points.reshape(-1, 3), part.reshape(-1, 3), paint, 0.0, way))
    return found
