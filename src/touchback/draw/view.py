"""Looking at a mechanism: from where, and how large."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_FLAT = 0.02  # of the extent: less depth than this is none
# To the right and upwards on the paper, for motion in a plane (from the side, the front, above)
# and in space (from the front, to the right of it and above).
_PLANES = {1: ((1, 0, 0), (0, 0, 1)), 0: ((0, 1, 0), (0, 0, 1)), 2: ((1, 0, 0), (0, 1, 0))}
_OBLIQUE = ((0.87, 0.5, 0.0), (-0.23, 0.4002, 0.89))


@dataclass(frozen=True)
class View:
    """Maps world points to (right, up) in 0…1 × 0…`height`, all points of a run inside."""

    axes: Floats
    origin: Floats
    scale: float
    height: float

    def __call__(self, points: Floats) -> Floats:
        """(…, 3) → (…, 2)."""
        return (points @ self.axes.T - self.origin) * self.scale


def plane_across(axis: int) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """The directions to the right and upwards for motion in the plane across an axis."""
    return _PLANES[axis]


def axes_for(points: Floats) -> Floats:
    """The directions of the world to the right and upwards on the paper, (2, 3): seen along an axis
    when all points lie in a plane across it, else from an angle."""
    extent = np.ptp(points, axis=0)
    thin = [axis for axis in (1, 0, 2) if extent[axis] <= _FLAT * max(float(extent.max()), 1e-12)]
    axes = np.array(_PLANES[thin[0]] if thin else _OBLIQUE, dtype=float)
    return axes / np.linalg.norm(axes, axis=1, keepdims=True)


def view_of(points: Floats, height: float) -> View:
    """A view that holds all points. `height` is that of the paper, its width being one."""
    axes = axes_for(points)
    flat = points @ axes.T
    low, high = flat.min(axis=0), flat.max(axis=0)
    size = np.maximum(high - low, 1e-9)
    scale = 0.9 * min(1.0 / size[0], height / size[1])
    origin = (low + high) / 2 - np.array([0.5, height / 2]) / scale
    return View(axes, origin, float(scale), height)
