"""A canvas of braille characters, eight dots to each, and stick figures on it."""

import numpy as np
from numpy.typing import NDArray

from touchback.draw.stick import Floats, StickFigure, View, view_of

_BITS = np.array([[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]], dtype=np.uint8)


class Canvas:
    """`columns` × `rows` characters; points are (right, up) with the width being one."""

    def __init__(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self._dots = np.zeros((4 * rows, 2 * columns), dtype=bool)

    @property
    def height(self) -> float:
        """The height of the canvas when its width is one (dots are square)."""
        return 4 * self.rows / (2 * self.columns)

    def dots(self, points: NDArray[np.float64]) -> None:
        """Sets the dots nearest to points of shape (N, 2); those outside are left out."""
        height, width = self._dots.shape
        x = np.round(points[:, 0] * (width - 1)).astype(int)
        y = np.round((height - 1) - points[:, 1] * (width - 1)).astype(int)
        inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        self._dots[y[inside], x[inside]] = True

    def line(self, a: NDArray[np.float64], b: NDArray[np.float64]) -> None:
        """A straight line between two points."""
        count = int(np.ceil(np.abs(b - a).max() * 2 * self._dots.shape[1])) + 1
        self.dots(a + np.linspace(0.0, 1.0, count)[:, None] * (b - a))

    def ring(self, centre: NDArray[np.float64], radius: float) -> None:
        """A small circle."""
        angles = np.linspace(0.0, 2 * np.pi, 24)
        self.dots(centre + radius * np.stack([np.cos(angles), np.sin(angles)], axis=1))

    def text(self) -> str:
        """The canvas as lines of characters."""
        cells = self._dots.reshape(self.rows, 4, self.columns, 2).transpose(0, 2, 1, 3)
        codes = 0x2800 + (cells * _BITS).sum(axis=(2, 3))
        return "\n".join("".join(map(chr, row)).rstrip("\u2800") for row in codes)


_CROWD = 8  # joints beyond which rings would hide the lines


_RING = 2.2  # radius of a joint, in dots


def view_for(figure: StickFigure, canvas: Canvas) -> View:
    """The view that holds the whole figure on such a canvas."""
    return view_of(figure.points, canvas.height)


def draw(
    figure: StickFigure, instant: int, view: View, canvas: Canvas, trail: Floats | None = None
) -> str:
    """One instant as text; `trail` (N, 3) are points that were passed before."""
    if trail is not None and len(trail):
        canvas.dots(view(trail))
    for a, b in view(figure.outline[:, instant]):
        canvas.line(a, b)
    for places in figure.joints.values() if len(figure.joints) <= _CROWD else ():
        canvas.ring(view(places[instant]), _RING / (2 * canvas.columns))
    return canvas.text()
