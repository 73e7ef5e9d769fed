"""How far two convex shapes are apart, or how deep they overlap, for shapes of any two kinds:
`proximity`. The search is ours since it has to run within a clocked step, in memory of fixed size
(native/contact/proximity.c); the hulls of points are SciPy's (Qhull)."""

import ctypes
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import ConvexHull as Qhull, QhullError

from touchback.errors import InputError
from touchback.model import is_number, solids
from touchback.native import LIB, address_of, as_floats
from touchback.numbers import shown

Floats = NDArray[np.float64]

MOST = 1e9  # m, of sizes and places: squares of larger ones lose what the gap is made of
AXES_OFF = 1e-9  # of an orientation's rows from unit vectors across each other


@dataclass(frozen=True)
class Cone:
    """A cone about the z axis, the origin halfway up, its apex at +z: radius of the base and height
    [m]."""

    radius: float
    height: float


@dataclass(frozen=True)
class HalfSpace:
    """All that lies below the x-y plane."""


@dataclass(frozen=True, eq=False)
class ConvexHull:
    """The smallest convex body around points (N, 3) [m], of which four don't lie in a plane."""

    points: Floats
    starts: NDArray[np.int32] = field(init=False, repr=False)
    neighbours: NDArray[np.int32] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        given = _floats("ConvexHull: points", self.points)
        if given.ndim != 2 or given.shape[1] != 3:
            raise InputError(
                f"ConvexHull: points are rows of three numbers, got the shape {given.shape}."
            )
        try:
            hull = Qhull(given)
        except (QhullError, ValueError) as error:
            raise InputError(
                f"ConvexHull: {len(given)} points span no volume; give at least four that don't "
                f"lie in a plane ({str(error).splitlines()[0]})."
            ) from None
        number = np.full(len(given), -1)
        number[hull.vertices] = np.arange(len(hull.vertices))
        corners = number[hull.simplices]
        edges = np.unique(
            np.vstack([corners[:, [i, j]] for i in range(3) for j in range(3) if i != j]), axis=0
        )
        counts = np.bincount(edges[:, 0], minlength=len(hull.vertices))
        object.__setattr__(self, "points", np.ascontiguousarray(given[hull.vertices]))
        object.__setattr__(self, "starts", np.concatenate([[0], counts.cumsum()]).astype(np.int32))
        object.__setattr__(self, "neighbours", np.ascontiguousarray(edges[:, 1], dtype=np.int32))


Convex = (
    solids.Sphere | solids.Capsule | solids.Box | solids.Cylinder | solids.Ellipsoid
    | Cone | ConvexHull | HalfSpace
)  # fmt: skip


class Proximity(NamedTuple):
    """Of each pair of placements: the distance [m], negative where they overlap, by the shortest
    way out; the normal, a unit vector from the first to the second; and the points of both that are
    nearest, or deepest, along world axes [m]."""

    distance: Floats
    normal: Floats
    first: Floats
    second: Floats


def proximity(
    first: Convex,
    second: Convex,
    *,
    first_at: ArrayLike = (0.0, 0.0, 0.0),
    second_at: ArrayLike = (0.0, 0.0, 0.0),
    first_axes: ArrayLike | None = None,
    second_axes: ArrayLike | None = None,
) -> Proximity:
    """How far two shapes are apart, wherever they lie: origins (…, 3) [m], and rotation matrices
    (…, 3, 3) whose columns are the shapes' axes; many places at once where these have more
    dimensions. The distance is that of its normal to rounding, for curved shapes as for flat ones;
    where several directions are as short, one of them is given."""
    shapes = [_Described(word, each) for word, each in (("first", first), ("second", second))]
    if all(isinstance(each, HalfSpace) for each in (first, second)):
        raise InputError("proximity: two half spaces always overlap, or one is in the other.")
    given = ((first_at, first_axes), (second_at, second_axes))
    places = [_placements(word, *each) for word, each in zip(("first", "second"), given)]
    dimensions = np.broadcast_shapes(*(each.shape[:-1] for each in places))
    rows = [as_floats(np.broadcast_to(each, (*dimensions, 12))) for each in places]
    found = np.empty((*dimensions, 10))
    LIB.tb_proximities(
        math.prod(dimensions), shapes[0].address, address_of(rows[0]), shapes[1].address,
        address_of(rows[1]), address_of(found),
    )  # fmt: skip
    return Proximity(found[..., 0], found[..., 1:4], found[..., 4:7], found[..., 7:10])


# Of each kind: what C calls it, its sizes, and what lies around its core.
Sizes = tuple[str, tuple[object, ...], object]
_SIZES: dict[type, Callable[[Any], Sizes]] = {
    solids.Sphere: lambda x: ("TB_POINT", (), x.radius),
    solids.Capsule: lambda x: ("TB_SEGMENT", (_half(x.length),), x.radius),
    solids.Box: lambda x: ("TB_BOX", tuple(map(_half, x.size)), 0.0),
    solids.Cylinder: lambda x: ("TB_CYLINDER", (x.radius, _half(x.length)), 0.0),
    solids.Ellipsoid: lambda x: ("TB_ELLIPSOID", tuple(x.halves), 0.0),
    Cone: lambda x: ("TB_CONE", (x.radius, _half(x.height)), 0.0),
    ConvexHull: lambda x: ("TB_HULL", (float(np.linalg.norm(x.points, axis=1).max()),), 0.0),
    HalfSpace: lambda x: ("TB_HALF_SPACE", (), 0.0),
}


def _half(length: object) -> object:
    return 0.5 * length if isinstance(length, int | float) else length


class _Described:
    """A shape as C has it."""

    def __init__(self, word: str, shape: Convex) -> None:
        if type(shape) not in _SIZES:
            known = ", ".join(each.__name__ for each in _SIZES)
            raise InputError(f"proximity: the {word} shape is one of {known}; got {shown(shape)}.")
        kind, sizes, around = _SIZES[type(shape)](shape)
        self._held = shape
        self._struct = LIB.struct("tb_convex")()
        self._struct.kind = LIB.constant(kind)
        for i, size in enumerate((*sizes, around)):
            if not (is_number(size) and 0.0 <= float(size) <= MOST):
                raise InputError(
                    f"proximity: sizes of the {word} shape are numbers from 0 to {MOST:g} m; got "
                    f"{shown(shape)}."
                )
            if i < len(sizes):
                self._struct.size[i] = float(size)
            else:
                self._struct.round = float(size)
        if isinstance(shape, ConvexHull):
            self._struct.vertices = len(shape.points)
            self._struct.points = address_of(shape.points)
            self._struct.starts = address_of(shape.starts)
            self._struct.neighbours = address_of(shape.neighbours)

    @property
    def address(self) -> int:
        return ctypes.addressof(self._struct)


def _floats(word: str, given: object) -> Floats:
    try:
        array = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"{word} are arrays of numbers: {error}.") from None
    if not (np.abs(array) <= MOST).all():
        raise InputError(f"{word} are finite, and at most {MOST:g}; got {shown(given)}.")
    return array


def _placements(word: str, at: ArrayLike, axes: ArrayLike | None) -> Floats:
    """Origins and matrices as rows of twelve."""
    origins = _floats(f"proximity: {word}_at", at)
    turns = _floats(f"proximity: {word}_axes", np.eye(3) if axes is None else axes)
    if origins.shape[-1:] != (3,) or turns.shape[-2:] != (3, 3):
        raise InputError(
            f"proximity: {word}_at is (…, 3) and {word}_axes (…, 3, 3); got {origins.shape} and "
            f"{turns.shape}."
        )
    off = np.abs(turns @ np.swapaxes(turns, -1, -2) - np.eye(3)).max(initial=0.0)
    if off > AXES_OFF:
        raise InputError(
            f"proximity: {word}_axes is no rotation: its rows are off by {off:.1e} from unit "
            "vectors across each other."
        )
    try:
        dimensions = np.broadcast_shapes(origins.shape[:-1], turns.shape[:-2])
    except ValueError:
        raise InputError(
            f"proximity: {word}_at and {word}_axes are of different numbers of places: "
            f"{origins.shape} and {turns.shape}."
        ) from None
    origins = np.broadcast_to(origins, (*dimensions, 3))
    turns = np.broadcast_to(turns, (*dimensions, 3, 3)).reshape(*dimensions, 9)
    return np.concatenate([origins, turns], axis=-1)
