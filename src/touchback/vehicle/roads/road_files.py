"""Roads from files: surveyed tracks in Esri's ASCII grid (`.asc`), which surveys and terrain
services give, and triangle meshes, whose upper side is sampled on a grid."""

import os
from array import array
from collections.abc import Iterable
from io import BytesIO, StringIO, TextIOWrapper
from math import ceil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from touchback import read_mesh
from touchback.errors import ModelError
from touchback.model import MOST_TRIANGLES, check_positive, unpacked
from touchback.names import suggestion
from touchback.numbers import DECIMAL
from touchback.safe_files import read_regular
from touchback.vehicle.roads.base import Bump, Patch
from touchback.vehicle.roads.road_surfaces import MOST, GridRoad

LARGEST = 32 * 2**20  # bytes
_KEYS = (
    "ncols", "nrows", "xllcorner", "yllcorner", "xllcenter", "yllcenter", "cellsize",
    "nodata_value",
)  # fmt: skip
_MOST_WORDS = 2  # of a line of the head that are told apart: a line may have millions
_FARTHEST = 1e7  # m, of anything in such a file
Axis = tuple[float, ...]
Floats = NDArray[np.float64]


def read_height_map(
    path: str | os.PathLike[str],
    bumps: tuple[Bump, ...] = (),
    patches: tuple[Patch, ...] = (),
    grip: float = 1.0,
) -> GridRoad:
    """The road of an Esri ASCII grid: `ncols`, `nrows`, `xllcorner` (or `xllcenter`) and
    `yllcorner`, `cellsize` [m], then heights [m] row by row from north (largest y) to south."""
    file = Path(path)
    content = BytesIO(read_regular(file, LARGEST, ModelError))
    x, y, heights = _parse(TextIOWrapper(content, "utf-8-sig", errors="replace"), file.name)
    return GridRoad(x=x, y=y, heights=heights, bumps=bumps, patches=patches, grip=grip)


def parse_height_map(text: str, name: str = "map") -> tuple[Axis, Axis, Axis]:
    """Lines x and y and the heights, a row of all y for each x, that a text holds."""
    return _parse(StringIO(text, newline=None), name)


def _parse(text: Iterable[str], name: str) -> tuple[Axis, Axis, Axis]:
    """Line after line: only what fits the sizes that the head tells is kept."""
    head: dict[str, float] = {}
    sizes: tuple[int, int, float] | None = None
    flat, rows = array("d"), 0  # from north to south
    for i, line in enumerate(text, 1):
        words = line.split(None, _MOST_WORDS if sizes is None else sizes[0])
        if not words:
            continue
        if sizes is None and not DECIMAL.fullmatch(words[0]):
            _take_head(head, words, name, i)
            continue
        if sizes is None:
            sizes = _sizes(head, name)
            words = line.split(None, sizes[0])
        _add_row(flat, rows, words, sizes, head.get("nodata_value"), name, i)
        rows += 1
    columns, count, cell = sizes or _sizes(head, name)
    if rows != count:
        raise ModelError(f"{name}: {rows} rows of heights for nrows {count}.")
    half = cell / 2.0
    west = head.get("xllcenter", head.get("xllcorner", 0.0) + half)
    south = head.get("yllcenter", head.get("yllcorner", 0.0) + half)
    heights = tuple(flat[j * columns + i] for i in range(columns) for j in range(count)[::-1])
    x = tuple(west + i * cell for i in range(columns))
    return x, tuple(south + j * cell for j in range(count)), heights


def _add_row(
    flat: array,
    rows: int,
    words: list[str],
    sizes: tuple[int, int, float],
    gap: float | None,
    name: str,
    line: int,
) -> None:
    """One line of heights, after `rows` of them; what is too much is refused before it is kept."""
    columns, count, _ = sizes
    if rows >= count:
        raise ModelError(f"{name}, line {line}: more rows of heights than nrows, {count}.")
    if len(words) != columns:
        found = f"{len(words)}" if len(words) < columns else f"more than {columns}"
        raise ModelError(
            f"{name}, line {line}: {found} heights for ncols {columns}; give a row a line."
        )
    row = [_number(word, name, line) for word in words]
    if gap is not None and gap in row:
        raise ModelError(
            f"{name}: row {rows + 1} has no height in column {row.index(gap) + 1} (NODATA_value); "
            "fill the gaps first."
        )
    flat.extend(row)


def _take_head(head: dict[str, float], words: list[str], name: str, line: int) -> None:
    key = words[0].lower()
    if key not in _KEYS:
        raise ModelError(
            f"{name}, line {line}: no key {words[0][:40]!r} is known; {suggestion(key, _KEYS)}"
        )
    if key in head or len(words) != 2:
        raise ModelError(f"{name}, line {line}, {key}: write it once, with one number.")
    head[key] = _number(words[1], name, line)


def _number(word: str, name: str, line: int) -> float:
    if not DECIMAL.fullmatch(word) or abs(float(word)) > _FARTHEST:
        raise ModelError(
            f"{name}, line {line}: {word[:40]!r} is no number up to {_FARTHEST:g}; write one."
        )
    return float(word)


def _sizes(head: dict[str, float], name: str) -> tuple[int, int, float]:
    for key in ("ncols", "nrows", "cellsize"):
        if key not in head:
            raise ModelError(f"{name}: {key} is missing; an Esri ASCII grid begins with it.")
    columns, rows, cell = head["ncols"], head["nrows"], head["cellsize"]
    for key, size in (("ncols", columns), ("nrows", rows)):
        if size != int(size) or not 2 <= size <= MOST:
            raise ModelError(f"{name}: {key} is {size:g}; give a whole number from 2 on.")
    if columns * rows > MOST:
        raise ModelError(
            f"{name}: {columns * rows:.0f} heights; at most {MOST} are taken. Cut the map, or "
            "resample it to larger cells."
        )
    if not cell > 0.0:
        raise ModelError(f"{name}: cellsize is {cell:g} m; give a number above 0.")
    return int(columns), int(rows), cell


def read_mesh_road(
    path: str | os.PathLike[str],
    cell: float = 0.1,
    bumps: tuple[Bump, ...] = (),
    patches: tuple[Patch, ...] = (),
    grip: float = 1.0,
) -> GridRoad:
    """The upper side of a mesh file (.stl, .obj, .dae; z up) as heights on square cells [m]: exact
    on the lines' crossings, bilinear between them, so that an edge becomes a ramp of one cell.
    Refused where the mesh has holes. (Extra `formats`.)"""
    check_positive("read_mesh_road", cell=cell)
    mesh = read_mesh(path, most=MOST_TRIANGLES)
    places, triangles = unpacked(mesh.points, mesh.triangles)
    points = places.astype(float)
    (x0, y0, _), (x1, y1, _) = points.min(axis=0), points.max(axis=0)
    nx, ny = (max(2, ceil((high - low) / cell) + 1) for low, high in ((x0, x1), (y0, y1)))
    if nx * ny > MOST:
        raise ModelError(
            f"{os.fspath(path)}: {nx * ny} cells of {cell} m; at most {MOST}. Take larger ones."
        )
    x, y = np.linspace(x0, x1, nx), np.linspace(y0, y1, ny)
    heights = upper_side(points[triangles], x, y)
    if np.isnan(heights).any():
        i, j = np.argwhere(np.isnan(heights))[0]
        raise ModelError(
            f"{os.fspath(path)}: no triangle lies at x = {x[i]:g} m, y = {y[j]:g} m; a road's mesh "
            "covers the rectangle of its x and y without holes."
        )
    return GridRoad(
        x=tuple(map(float, x)), y=tuple(map(float, y)), heights=tuple(map(float, heights.ravel())),
        bumps=bumps, patches=patches, grip=grip,
    )  # fmt: skip


def upper_side(triangles: Floats, x: Floats, y: Floats) -> Floats:
    """The highest z of triangles (n, 3, 3) at each (x, y); NaN where none is."""
    found = np.full((len(x), len(y)), -np.inf)
    slack = 1e-9 * (1.0 + float(np.abs(triangles).max()))
    for a, b, c in triangles:
        low, high = np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)
        i0, i1 = np.searchsorted(x, (low[0] - slack, high[0] + slack))
        j0, j1 = np.searchsorted(y, (low[1] - slack, high[1] + slack))
        area = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
        if i0 == i1 or j0 == j1 or abs(area) < 1e-300:
            continue
        px, py = x[i0:i1, None] - a[0], y[None, j0:j1] - a[1]
        u = (px * (c[1] - a[1]) - py * (c[0] - a[0])) / area
        v = (py * (b[0] - a[0]) - px * (b[1] - a[1])) / area
        inside = (u >= -1e-9) & (v >= -1e-9) & (u + v <= 1.0 + 1e-9)
        z = a[2] + u * (b[2] - a[2]) + v * (c[2] - a[2])
        part = found[i0:i1, j0:j1]
        np.maximum(part, np.where(inside, z, -np.inf), out=part)
    return np.where(np.isneginf(found), np.nan, found)
