"""Paths over the ground, by arc length."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from touchback.errors import InputError
from touchback.numbers import shown
from touchback.simulate.protocol import Floats
from touchback.spatial.vectors import Scalar
from touchback.symbolic.functions import lookup
from touchback.symbolic.table import Table

_BETWEEN = 0.25  # m between two points of its tables


@dataclass(frozen=True)
class Path:
    """A way through points (n, 2) [m], straight between them and beyond both ends by 200 m: give so
    many that corners don't matter."""

    points: Floats

    def __post_init__(self) -> None:
        try:
            points = np.asarray(self.points, dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise InputError(
                f"Path: points (n, 2) [m] are expected, got {shown(self.points)}."
            ) from None
        if points.ndim != 2 or points.shape[1] != 2 or len(points) < 2:
            raise InputError(
                f"Path: its points have the shape {points.shape}; give (n, 2), at least two."
            )
        if (
            not np.isfinite(points).all()
            or (np.linalg.norm(np.diff(points, axis=0), axis=1) == 0).any()
        ):
            raise InputError("Path: two points one after the other are the same, or not finite.")
        object.__setattr__(self, "points", points)

    def at(self, way: Scalar) -> tuple[Scalar, Scalar]:
        """The place after a way [m]; for expressions, too."""
        x, y = self._tables
        return lookup(x, way), lookup(y, way)

    @cached_property
    def _tables(self) -> tuple[Table, Table]:
        points = self.points
        ends = [points[0] - points[1], points[-1] - points[-2]]
        before, after = (200.0 * end / np.linalg.norm(end) for end in ends)
        whole = np.vstack([points[0] + before, points, points[-1] + after])
        way = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(whole, axis=0), axis=1))])
        way -= 200.0
        even = np.arange(way[0], way[-1], _BETWEEN)
        x, y = (
            Table(tuple(even.tolist()), tuple(np.interp(even, way, whole[:, i]).tolist()))
            for i in range(2)
        )
        return x, y


@dataclass(frozen=True)
class StraightPath(Path):
    """Along x, without an end."""

    points: Floats = field(default_factory=lambda: np.array([[0.0, 0.0], [1.0, 0.0]]))

    def at(self, way: Scalar) -> tuple[Scalar, Scalar]:
        return way, 0.0
