"""Kinds of roads: a plane, heights on a grid (bilinear between them), and random roads of ISO
8608's classes, two tracks that belong to one isotropic surface."""

from collections.abc import Sequence
from functools import cached_property
from math import isfinite, pi
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from touchback import Table
from touchback.errors import ModelError
from touchback.model import Want, call, check_positive, number
from touchback.numbers import Scalar, as_float, is_real, shown
from touchback.vehicle.roads.base import WIDTH, Bump, Patch, Road

MOST = 1_000_000  # heights of a road
REFERENCE = 0.1  # n₀, cycles per metre
CLASSES = dict(zip("ABCDEFGH", (16e-6 * 4.0**i for i in range(8)), strict=True))
"""G_d(n₀) [m³] at the middle of each class (ISO 8608:2016, table C.1)."""
_LONGEST_WAVE, _SHORTEST_WAVE = 0.01, 10.0  # n of them, cycles per metre
Floats = NDArray[np.float64]


class PlaneRoad(Road, frozen=True, kw_only=True, tag="plane-road"):
    """z = `height` + `slope_x` x + `slope_y` y."""

    UNITS: ClassVar[dict[str, str]] = {**Road.UNITS, "height": "m", "slope_x": "1", "slope_y": "1"}

    height: float = 0.0
    slope_x: float = 0.0
    slope_y: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        for word in ("height", "slope_x", "slope_y"):
            number(f"PlaneRoad: {word}", getattr(self, word))

    def surface(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        return self.height + self.slope_x * x + self.slope_y * y, self.slope_x, self.slope_y


class GridRoad(Road, frozen=True, kw_only=True, tag="grid-road", dict=True):
    """Heights z [m] on lines `x` and `y` [m], a row of all y for each x; bilinear within a cell,
    level beyond the ends. In the tick it is a lookup table, whose cost hardly grows with its
    size."""

    UNITS: ClassVar[dict[str, str]] = {**Road.UNITS, "x": "m", "y": "m", "heights": "m"}

    x: tuple[float, ...]
    y: tuple[float, ...]
    heights: tuple[float, ...]

    def __repr__(self) -> str:
        """Without its heights, which may be a million."""
        ends = ", ".join(f"{w} = {v[0]:g} … {v[-1]:g} m" for w, v in (("x", self.x), ("y", self.y)))
        return f"GridRoad({len(self.x)} × {len(self.y)} heights, {ends})"

    def __post_init__(self) -> None:
        super().__post_init__()
        for axis in (self.x, self.y, self.heights):
            if not isinstance(axis, tuple | list) or not all(map(is_real, axis)):
                raise ModelError(f"GridRoad: a row of numbers is expected, got {shown(axis)}.")
        if len(self.heights) > MOST:
            raise ModelError(
                f"GridRoad: {len(self.heights)} heights; at most {MOST} are taken. Cut the road, "
                "or take larger cells."
            )
        if not all(isfinite(as_float(height)) for height in self.heights):
            raise ModelError("GridRoad: some of its heights are no finite numbers.")
        try:
            _ = self._table
        except ModelError as error:
            raise ModelError(str(error).replace("Table:", "GridRoad:", 1)) from None

    def surface_at(self, x: Floats, y: Floats) -> Floats:
        """Bilinear, and level beyond the ends."""
        z = np.reshape(np.array(self.heights, dtype=float), (len(self.x), len(self.y)))
        (i, a), (j, b) = (_within(*each) for each in ((self.x, x), (self.y, y)))
        low, high = (z[i, k] + a * (z[i + 1, k] - z[i, k]) for k in (j, j + 1))
        return low + b * (high - low)

    def lines(self) -> tuple[Sequence[float], Sequence[float]]:
        return self.x, self.y

    def strip(self) -> tuple[float, float]:
        """A map no wider than a road lies in the middle of one; a wider one is all of it."""
        half = (self.y[-1] - self.y[0]) / 2.0
        return (self.y[-1] + self.y[0]) / 2.0, max(half, WIDTH / 2.0)

    @cached_property
    def _table(self) -> Table:
        return Table(self.x, self.heights, self.y)

    def surface(self, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        table = self._table
        height, slope_x, slope_y = (
            call("lookup", table, x, y, want) for want in (Want.VALUE, Want.DX, Want.DY)
        )
        return height, slope_x, slope_y


def _within(lines: tuple[float, ...], at: Floats) -> tuple[NDArray[np.int64], Floats]:
    """The cell between two lines, and how far across it, 0 to 1."""
    grid = np.array(lines, dtype=float)
    cell = np.clip(np.searchsorted(grid, at, side="right") - 1, 0, len(grid) - 2)
    return cell, np.clip((at - grid[cell]) / (grid[cell + 1] - grid[cell]), 0.0, 1.0)


def roughness(road_class: str, n: Floats | float) -> Floats | float:
    """G_d(n) = G_d(n₀) (n/n₀)⁻² [m³], the power spectral density of heights."""
    if road_class not in CLASSES:
        raise ModelError(
            f"ISO 8608 has no class {road_class!r}; its classes are A (very good) to H (very poor)."
        )
    return CLASSES[road_class] * (n / REFERENCE) ** -2.0


def coherence(n: Floats, apart: float) -> Floats:
    """γ(n) = ω K₁(ω), ω = 2π n b: how much two tracks b [m] apart have in common, if the surface is
    the same in all directions (Dodds and Robson 1973, for a slope of −2)."""
    from scipy.special import k1

    omega = 2.0 * pi * n * apart
    return np.where(omega > 0.0, omega * k1(np.maximum(omega, 1e-12)), 1.0)


def iso8608_road(
    road_class: str,
    length: float,
    track: float = 1.4,
    step: float = 0.05,
    seed: int = 0,
    bumps: tuple[Bump, ...] = (),
    patches: tuple[Patch, ...] = (),
    grip: float = 1.0,
) -> GridRoad:
    """A road from x = 0 to `length` [m] with tracks at y = ±`track`/2 [m], every `step` [m]: a sum
    of waves of 0.01 to 10 cycles per metre with random phases. One seed gives one road."""
    check_positive("iso8608_road", length=length, track=track, step=step)
    count = round(length / step)
    spacing = 1.0 / (count * step) if count else 0.0
    bins = np.arange(count // 2 + 1, dtype=np.float64)
    n: Floats = bins * spacing
    used = (n >= _LONGEST_WAVE) & (n <= _SHORTEST_WAVE) & (2 * bins < count) & (bins > 0)
    if not used.any():
        raise ModelError(
            f"iso8608_road: no wave fits in {length} m with a point every {step} m; give a longer "
            "road, or a shorter step."
        )
    n[~used] = spacing  # any: their waves get no size
    size = np.where(used, np.sqrt(2.0 * roughness(road_class, n) * spacing), 0.0)
    random = np.random.default_rng(seed)
    own, other = (np.exp(2j * pi * random.random(len(n))) for _ in range(2))
    shared = coherence(n, track)
    mixed = shared * own + np.sqrt(1.0 - np.minimum(shared, 1.0) ** 2) * other
    tracks = [np.fft.irfft(size * each, count) * count / 2.0 for each in (mixed, own)]
    heights = np.stack([np.append(z, z[0]) for z in tracks], axis=1)  # right, left; periodic
    x = np.arange(count + 1) * step
    return GridRoad(
        x=tuple(map(float, x)), y=(-track / 2.0, track / 2.0),
        heights=tuple(map(float, heights.ravel())), bumps=bumps, patches=patches, grip=grip,
    )  # fmt: skip
