"""Surveyed tracks: Esri's ASCII grid (`.asc`), which surveys and terrain services give."""

import os
from array import array
from collections.abc import Iterable
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

from touchback.errors import ModelError
from touchback.model.names import suggestion
from touchback.numbers import DECIMAL
from touchback.regular_file import read_regular
from touchback.vehicle.roads.base import Patch
from touchback.vehicle.roads.bump import Bump
from touchback.vehicle.roads.grid import MOST, GridRoad

LARGEST = 32 * 2**20  # bytes
_KEYS = (
    "ncols", "nrows", "xllcorner", "yllcorner", "xllcenter", "yllcenter", "cellsize",
    "nodata_value",
)  # fmt: skip
_MOST_WORDS = 2  # of a line of the head that are told apart: a line may have millions
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
    content = BytesIO(read_regular(file, LARGEST, ModelError))
    x, y, heights = _parse(TextIOWrapper(content, "utf-8-sig", errors="replace"), file.name)
    return GridRoad(x=x, y=y, heights=heights, bumps=bumps, patches=patches, grip=grip)


Axis = tuple[float, ...]


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
