"""Round solids and meshes on paper: the outline of some of their points, at each instant."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from touchback.draw.stick import Floats
from touchback.model.shapes import AnyShape, CapsuleShape, CylinderShape

_ROUND = 36  # points of a circle
_RIM = 48  # points of an outline
_WAYS = 256  # directions in space


def outlines(points: Floats) -> Floats:
    """The outlines of points (T, P, 2) on the paper, (T, points of an outline, 2): at each of so
    many directions the farthest of them, so that a moving one keeps its number of points."""
    angles = np.linspace(0.0, 2 * np.pi, _RIM, endpoint=False)
    ways = np.stack([np.cos(angles), np.sin(angles)])
    farthest = np.argmax(points @ ways, axis=1)
    return np.take_along_axis(points, farthest[:, :, None], axis=1)


def _cylinder(radius: float, half: float) -> Floats:
    """Both rims."""
    angles = np.linspace(0.0, 2 * np.pi, _ROUND, endpoint=False)
    ring = radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)
    ends = [np.column_stack([ring, np.full(_ROUND, side * half)]) for side in (-1.0, 1.0)]
    return np.concatenate(ends)


def _capsule(radius: float, half: float) -> Floats:
    """Points of the half balls at both ends."""
    ways = directions()
    return radius * ways + half * np.sign(ways[:, 2:]) * [0.0, 0.0, 1.0]


def directions() -> Floats:
    """Directions in space as evenly spread as seeds of a sunflower, (N, 3)."""
    z = 1.0 - (2.0 * np.arange(_WAYS) + 1.0) / _WAYS
    angles = np.pi * (1.0 + 5.0**0.5) * np.arange(_WAYS)
    flat = np.sqrt(1.0 - z * z)
    return np.stack([flat * np.cos(angles), flat * np.sin(angles), z], axis=1)


def farthest(points: Floats) -> Floats:
    """Those of points (P, 3) that are farthest in some direction: all that an outline needs."""
    return points[np.unique(np.argmax(points @ directions().T, axis=0))]


ROUND_POINTS: dict[type[AnyShape], Callable[..., Floats]] = {
    CylinderShape: _cylinder,
    CapsuleShape: _capsule,
}
"""Points of solids whose outline is drawn, by the shape's numbers."""
