"""Curves over an axis, drawn on braille characters with numbers beside them."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from touchback.draw import Canvas

Floats = NDArray[np.float64]
_MARGIN = 6  # characters for numbers beside the canvas


def chart(
    curves: Sequence[tuple[Floats, Floats]],
    marks: Mapping[str, float],
    ends: tuple[float, float],
    columns: int = 72,
    rows: int = 16,
) -> str:
    """Curves (x, y) from zero to the `ends` of both axes; all but the first are dotted. `marks` are
    letters above dotted lines at their x. What lies outside is left out."""
    canvas = Canvas(columns - _MARGIN, rows)
    right, top = ends
    for number, (x, y) in enumerate(curves):
        _draw(canvas, np.stack([x / right, y / top * canvas.height], axis=1), 3 if number else 1)
    for place in marks.values():
        up = np.linspace(0.0, canvas.height, rows)
        canvas.dots(np.stack([np.full(rows, place / right), up], axis=1))
    lines = [" " * _MARGIN + _placed({name: x / right for name, x in marks.items()}, canvas)]
    ticks = _ticks(top, rows)
    for row, line in enumerate(canvas.text().split("\n")):
        lines.append(f"{ticks.get(row, ''):>{_MARGIN - 2}} │{line}")
    lines.append(" " * (_MARGIN - 1) + "└" + "─" * canvas.columns)
    step = _round(right / 6)
    numbers = {f"{k * step:g}": k * step / right for k in range(int(right / step) + 1)}
    lines.append(" " * _MARGIN + _placed(numbers, canvas))
    return "\n".join(lines)


def _draw(canvas: Canvas, points: Floats, every: int) -> None:
    """A line through points, or only every so many dots of it."""
    ways = np.abs(np.diff(points, axis=0)).max(axis=1) * 2 * canvas.columns
    passed = np.concatenate([[0.0], np.cumsum(ways)])
    at = np.arange(0.0, passed[-1], every if every > 1 else 0.5)
    canvas.dots(np.stack([np.interp(at, passed, points[:, k]) for k in (0, 1)], axis=1))


def _ticks(top: float, rows: int) -> dict[int, str]:
    """Numbers beside rows, the uppermost of which is row 0."""
    step = _round(top / 5)
    found = {}
    for k in range(int(top / step) + 1):
        found[rows - 1 - round(k * step / top * (rows - 1))] = f"{k * step:g}"
    return found


def _placed(texts: Mapping[str, float], canvas: Canvas) -> str:
    """Texts at shares of the width; one that would cover another is left out."""
    line = ""
    for text, share in texts.items():
        place = round(share * (canvas.columns - 1))
        if place >= len(line) + bool(line) and place + len(text) <= canvas.columns:
            line = line.ljust(place) + text
    return line


def _round(rough: float) -> float:
    """The next of 1, 2, 5, 10, … times a power of ten."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in (1.0, 2.0, 5.0, 10.0) if step * power >= 0.999 * rough)
