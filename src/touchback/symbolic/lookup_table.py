"""Lookup tables: piecewise linear in one variable, bilinear in two, constant beyond their ends."""

from bisect import bisect_right
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

from touchback.errors import ModelError


class Want(IntEnum):
    """What a lookup returns: the value, or a one-sided (right) derivative of the interpolant."""

    VALUE = 0
    DX = 1
    DY = 2
    DXY = 3


def _check_breakpoints(label: str, points: tuple[float, ...]) -> None:
    if len(points) < 2:
        raise ModelError(f"Table: {label} needs at least two breakpoints, got {len(points)}.")
    for left, right in pairwise(points):
        if not left < right:
            raise ModelError(
                f"Table: {label} must increase strictly, but {right!r} follows {left!r}."
            )


@dataclass(frozen=True)
class Table:
    """Values on a grid. `y` empty: one-dimensional; otherwise values[i * len(y) + j] belongs to
    (x[i], y[j])."""

    x: tuple[float, ...]
    values: tuple[float, ...]
    y: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        _check_breakpoints("x", self.x)
        if self.y:
            _check_breakpoints("y", self.y)
        expected = len(self.x) * (len(self.y) or 1)
        if len(self.values) != expected:
            raise ModelError(
                f"Table: {expected} values expected for its breakpoints, got {len(self.values)}."
            )


@dataclass(frozen=True)
class Lookup:
    """One use of a table: the table and what is wanted of it."""

    table: Table
    want: Want = Want.VALUE


def _cell(points: tuple[float, ...], value: float) -> int:
    """Index of the cell [points[i], points[i+1]) that holds the value; the last takes its end."""
    return min(max(bisect_right(points, value) - 1, 0), len(points) - 2)


def _outside(points: tuple[float, ...], value: float) -> bool:
    return not points[0] <= value < points[-1]


def lookup1(table: Table, x: float, want: Want = Want.VALUE) -> float:
    """Value or slope of the interpolant y0 + (y1 − y0)·((x − x0)/(x1 − x0))."""
    if x != x:
        return x
    i = _cell(table.x, x)
    x0, x1, y0, y1 = table.x[i], table.x[i + 1], table.values[i], table.values[i + 1]
    if want == Want.DX:
        return 0.0 if _outside(table.x, x) else (y1 - y0) / (x1 - x0)
    clamped = min(max(x, table.x[0]), table.x[-1])
    return y0 + (y1 - y0) * ((clamped - x0) / (x1 - x0))


def lookup2(table: Table, x: float, y: float, want: Want = Want.VALUE) -> float:
    """Bilinear interpolation, first along y on both sides of the cell, then along x."""
    if x != x or y != y:
        return x + y
    i, j, ny = _cell(table.x, x), _cell(table.y, y), len(table.y)
    x0, x1, y0, y1 = table.x[i], table.x[i + 1], table.y[j], table.y[j + 1]
    v00, v01 = table.values[i * ny + j], table.values[i * ny + j + 1]
    v10, v11 = table.values[(i + 1) * ny + j], table.values[(i + 1) * ny + j + 1]
    if want in (Want.DY, Want.DXY):
        if _outside(table.y, y):
            return 0.0
        low, high = (v01 - v00) / (y1 - y0), (v11 - v10) / (y1 - y0)
    else:
        t = (min(max(y, table.y[0]), table.y[-1]) - y0) / (y1 - y0)
        low, high = v00 + (v01 - v00) * t, v10 + (v11 - v10) * t
    if want in (Want.DX, Want.DXY):
        return 0.0 if _outside(table.x, x) else (high - low) / (x1 - x0)
    s = (min(max(x, table.x[0]), table.x[-1]) - x0) / (x1 - x0)
    return low + (high - low) * s
