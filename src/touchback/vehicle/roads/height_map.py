"""Surveyed tracks: Esri's ASCII grid (`.asc`), which surveys and terrain services give."""

import os
import re
from pathlib import Path

from touchback.errors import ModelError
from touchback.model.names import suggestion
from touchback.regular_file import read_regular
from touchback.vehicle.roads.base import Patch
from touchback.vehicle.roads.bump import Bump
from touchback.vehicle.roads.grid import MOST, GridRoad

LARGEST = 32 * 2**20  # bytes
_KEYS = (
    "ncols", "nrows", "xllcorner", "yllcorner", "xllcenter", "yllcenter", "cellsize",
    "nodata_value",
)  # fmt: skip
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_FARTHEST = 1e7  # m, of anything in such a file


def read_height_map(
    path: str | os.PathLike[str],
    bumps: tuple[Bump, ...] = (),
    patches: tuple[Patch, ...] = (),
    grip: float = 1.0,
) -> GridRoad:
    """The road of an Esri ASCII grid: `ncols`, `nrows`, `xllcorner` (or `xllcenter`) and
    `yllcorner`, `cellsize` [m], then heights [m] row by row from north (largest y) to south."""
    file = Path(path)
    text = read_regular(file, LARGEST, ModelError).decode("utf-8-sig", errors="replace")
    x, y, heights = parse_height_map(text, file.name)
    return GridRoad(x=x, y=y, heights=heights, bumps=bumps, patches=patches, grip=grip)


Axis = tuple[float, ...]


def parse_height_map(text: str, name: str = "map") -> tuple[Axis, Axis, Axis]:
    """Lines x and y and the heights, a row of all y for each x, that a text holds."""
    head: dict[str, float] = {}
    rows: list[list[float]] = []
    lines: list[int] = []
    for i, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words:
            continue
        if not rows and not _NUMBER.fullmatch(words[0]):
            _take_head(head, words, name, i)
        else:
            rows.append([_number(word, name, i) for word in words])
            lines.append(i)
    columns, count, cell = _sizes(head, name)
    flat = _joined(rows, lines, columns, count, name)
    half = cell / 2.0
    west = head.get("xllcenter", head.get("xllcorner", 0.0) + half)
    south = head.get("yllcenter", head.get("yllcorner", 0.0) + half)
    for i, row in enumerate(flat):
        if "nodata_value" in head and head["nodata_value"] in row:
            raise ModelError(
                f"{name}: row {i + 1} has no height in column {row.index(head['nodata_value']) + 1}"
                " (NODATA_value); fill the gaps first."
            )
    flat.reverse()
    heights = tuple(flat[j][i] for i in range(columns) for j in range(count))
    x = tuple(west + i * cell for i in range(columns))
    return x, tuple(south + j * cell for j in range(count)), heights


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
    if not _NUMBER.fullmatch(word) or abs(float(word)) > _FARTHEST:
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


def _joined(
    rows: list[list[float]], lines: list[int], columns: int, count: int, name: str
) -> list[list[float]]:
    for row, line in zip(rows, lines, strict=True):
        if len(row) != columns:
            raise ModelError(
                f"{name}, line {line}: {len(row)} heights for ncols {columns}; give a row a line."
            )
    if len(rows) != count:
        raise ModelError(f"{name}: {len(rows)} rows of heights for nrows {count}.")
    return rows
