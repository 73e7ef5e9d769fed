"""Buildings between a receiver and its satellites: boxes that hide the sky, and whose walls reflect
it.

Satellites are so far away that their rays are parallel. A wall sends a ray to the receiver as a
mirror does: it seems to come from the mirrored direction, and its way is longer by 2 d cos θ, with
d the distance from the wall and θ the ray's angle to the wall's normal. One reflection on one
upright wall is followed; roofs, the ground, edges (diffraction) and second reflections are not."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from touchback.errors import InputError
from touchback.numbers import Floats, check_finite

_TOUCHING = 1e-9  # m: a ray that begins on a wall has not met it


@dataclass(frozen=True)
class Building:
    """A box on the ground: its middle (x, y), its length along its own x axis, width and height
    [m], turned about the vertical [rad]."""

    x: float
    y: float
    length: float
    width: float
    height: float
    turn: float = 0.0

    def __post_init__(self) -> None:
        check_finite("Building", x=self.x, y=self.y, turn=self.turn)
        for word in ("length", "width", "height"):
            size = getattr(self, word)
            if not (math.isfinite(size) and size > 0.0):
                raise InputError(f"Building: its {word} is {size} m; give a positive number.")

    def own(self, place: Floats) -> Floats:
        """Places (…, 3) along its own axes, from the middle of its floor."""
        return (np.asarray(place) - [self.x, self.y, 0.0]) @ self._axes().T

    def hides(self, place: Floats, ways: Floats, distance: float = math.inf) -> np.ndarray:
        """Whether rays from a place along `ways` (n, 3) meet it within a distance [m]."""
        start, along = self.own(place), np.asarray(ways) @ self._axes().T
        low = np.array([-self.length / 2, -self.width / 2, 0.0])
        high = np.array([self.length / 2, self.width / 2, self.height])
        with np.errstate(divide="ignore", invalid="ignore"):
            first, second = (low - start) / along, (high - start) / along
        inside = (start > low) & (start < high)
        near = np.where(along == 0.0, np.where(inside, -np.inf, np.inf), np.minimum(first, second))
        far = np.where(along == 0.0, np.inf, np.maximum(first, second))
        enters, leaves = near.max(axis=1), far.min(axis=1)
        # What only touches an edge or begins on a wall is not hidden.
        return (leaves - np.maximum(enters, 0.0) > _TOUCHING) & (enters < distance - _TOUCHING)

    def walls(self) -> list[tuple[Floats, Floats, float, float]]:
        """Of each: a point on it, at the ground; its normal; half its length; its height."""
        east, north, _ = self._axes()
        middle = np.array([self.x, self.y, 0.0])
        long, wide = self.length / 2, self.width / 2
        return [
            (middle + out * normal, normal, half, self.height)
            for normal, out, half in (
                (east, long, wide), (-east, long, wide), (north, wide, long), (-north, wide, long)
            )
        ]  # fmt: skip

    def _axes(self) -> Floats:
        c, s = math.cos(self.turn), math.sin(self.turn)
        return np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])


def hidden(town: Sequence[Building], place: Floats, ways: Floats) -> np.ndarray:
    """Whether a building stands between a place and each way to the sky (n, 3)."""
    found = np.zeros(len(ways), dtype=bool)
    for building in town:
        found |= building.hides(place, ways)
    return found


def detours(town: Sequence[Building], place: Floats, ways: Floats) -> Floats:
    """By how much the shortest reflection from each way (n, 3) is longer than the straight line
    [m]; infinite where no wall sends one."""
    best = np.full(len(ways), np.inf)
    for building in town:
        for point, normal, half, height in building.walls():
            away, slant = float((place - point) @ normal), ways @ normal
            if away <= 0.0:
                continue
            for i in np.flatnonzero(slant > 0.0):
                longer = 2.0 * away * slant[i]
                if longer >= best[i]:
                    continue
                mirrored = ways[i] - 2.0 * slant[i] * normal
                reach = away / slant[i]
                spot = place + reach * mirrored
                aside = abs(float(np.cross(normal, spot - point)[2]))
                if aside > half or not 0.0 <= spot[2] <= height:
                    continue
                to_wall, to_sky = mirrored[None, :], ways[i][None, :]
                free = not any(b.hides(place, to_wall, reach)[0] for b in town)
                if free and not hidden(town, spot, to_sky)[0]:
                    best[i] = longer
    return best
