"""Stick figures in a terminal, drawn with Braille dots."""

from collections.abc import Mapping, Sequence

import numpy as np

from touchback.model.model import Model
from touchback.system.stick import Point, stick_figure

_BRAILLE = 0x2800
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))  # rows of a cell, left and right
_JOINT, _BEARING, _MASS = "●", "▲", "○"


def stick_figure_text(
    model: Model,
    width: int = 60,
    height: int = 24,
    q: Sequence[float] | None = None,
    parameters: Mapping[str, float] | None = None,
    plane: str | None = None,
) -> str:
    """Lines of text: joints ●, supports on the ground ▲, bodies as lines, centres of
    mass ○."""
    figure = stick_figure(model, q, parameters, plane)
    canvas = _Canvas(width, height, *figure.corners())
    for stick in figure.sticks:
        canvas.line(stick.start, stick.end)
    for point in figure.masses.values():
        canvas.mark(point, _MASS)
    for point in figure.joints.values():
        canvas.mark(point, _JOINT)
    for point in figure.bearings:
        canvas.mark(point, _BEARING)
    return canvas.text()


class _Canvas:
    """Cells of 2 × 4 dots, nearly square, onto which a region of the plane is fitted."""

    def __init__(self, width: int, height: int, low: Point, high: Point) -> None:
        self.cells = np.zeros((height, width), dtype=int)
        self.marks: dict[tuple[int, int], str] = {}
        dots = np.array([2 * width - 1, 4 * height - 1], dtype=float)
        size = np.array(high) - np.array(low)
        self.scale = min(dots / np.maximum(size, 1e-12))
        self.low = np.array(low)
        self.shift = (dots - size * self.scale) / 2
        self.bottom = dots[1]

    def dot(self, point: Point | np.ndarray) -> tuple[int, int]:
        """Column and row of the dot at a point."""
        x, y = self.shift + (np.asarray(point) - self.low) * self.scale
        return round(x), round(self.bottom - y)

    def line(self, start: Point, end: Point) -> None:
        (x0, y0), (x1, y1) = self.dot(start), self.dot(end)
        for t in np.linspace(0.0, 1.0, max(abs(x1 - x0), abs(y1 - y0)) + 1):
            x, y = round(x0 + t * (x1 - x0)), round(y0 + t * (y1 - y0))
            self.cells[y // 4, x // 2] |= _DOTS[y % 4][x % 2]

    def mark(self, point: Point, sign: str) -> None:
        x, y = self.dot(point)
        self.marks[y // 4, x // 2] = sign

    def text(self) -> str:
        rows = []
        for r, row in enumerate(self.cells):
            cells = [
                self.marks.get((r, c)) or (chr(_BRAILLE + dots) if dots else " ")
                for c, dots in enumerate(row)
            ]
            rows.append("".join(cells).rstrip())
        return "\n".join(rows).strip("\n")
