"""Drawing stick figures: on braille characters, and as SVG."""

import numpy as np
from numpy.typing import NDArray

from touchback.cli.braille import Canvas
from touchback.cli.sticks import Sticks
from touchback.cli.view import View, view_of

Floats = NDArray[np.float64]
_CROWD = 8  # joints beyond which rings would hide the lines
_RING = 2.2  # radius of a joint, in dots


def view_for(figure: Sticks, canvas: Canvas) -> View:
    """The view that holds the whole figure on such a canvas."""
    return view_of(figure.points(), canvas.height)


def draw(
    figure: Sticks, instant: int, view: View, canvas: Canvas, trail: Floats | None = None
) -> str:
    """One instant as text; `trail` (N, 3) are points that were passed before."""
    lines, joints = figure.at(instant)
    if trail is not None and len(trail):
        canvas.dots(view(trail))
    for a, b in view(lines):
        canvas.line(a, b)
    for centre in view(joints) if len(joints) <= _CROWD else ():
        canvas.ring(centre, _RING / (2 * canvas.columns))
    return canvas.text()


def svg(figure: Sticks, instant: int, trail: Floats | None = None, width: int = 480) -> str:
    """One instant as an SVG picture, as high as it is wide."""
    view = view_of(figure.points(), 1.0)

    def place(point: Floats) -> tuple[float, float]:
        right, up = point
        return round(float(right) * width, 1), round(float(1.0 - up) * width, 1)

    lines, joints = figure.at(instant)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {width}" '
        f'width="{width}" height="{width}">',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
    ]
    if trail is not None and len(trail):
        points = " ".join("{},{}".format(*place(point)) for point in view(trail))
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="#e07a5f" stroke-width="1.5" '
            'stroke-opacity="0.7"/>'
        )
    for a, b in view(lines):
        (x1, y1), (x2, y2) = place(a), place(b)
        parts.append(
            f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#3d405b" stroke-width="5" '
            'stroke-linecap="round"/>'
        )
    for centre in view(joints) if len(joints) <= _CROWD else ():
        x, y = place(centre)
        parts.append(
            f'<circle cx="{x}" cy="{y}" r="6" fill="#ffffff" stroke="#3d405b" stroke-width="2.5"/>'
        )
    return "\n".join([*parts, "</svg>", ""])
