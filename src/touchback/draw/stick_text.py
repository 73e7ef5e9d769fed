"""Drawing stick figures on braille characters."""

from touchback.draw.braille import Canvas
from touchback.draw.stick import Floats, StickFigure
from touchback.draw.view import View, view_of

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
