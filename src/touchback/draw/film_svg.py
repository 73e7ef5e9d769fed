"""Films as SVG: one file that moves by itself wherever pictures are shown."""

from html import escape

import numpy as np

from touchback.draw.flat import FlatFilm, Mark
from touchback.draw.stick import Floats
from touchback.draw.style import ACCENT, FILL, SOFT, svg_page, text_svg

_MOST = 7_000  # points in a file, up to 14 bytes each with what goes round: less than 100 kB


def film_svg(film: FlatFilm, seconds: float, pace: str) -> str:
    """The film over `seconds`, again and again; `pace` says how slow or quick it is."""
    drawn = sum(mark.points.shape[1] for mark in film.marks)
    count = min(max(_MOST // max(drawn, 1), 2), len(film.times))  # it is linear in between
    parts = [_mark(mark, seconds, count) for mark in film.marks]
    return svg_page(film.width, film.height, film.title, [*parts, *_progress(film, seconds, pace)])


def _mark(mark: Mark, seconds: float, count: int) -> str:
    points = mark.points[np.linspace(0, len(mark.points) - 1, count).round().astype(int)]
    style = (
        f'fill="{mark.fill}" fill-opacity="{mark.opacity:g}" stroke="{mark.stroke}" '
        f'stroke-width="{mark.width:g}" stroke-linecap="round" stroke-linejoin="round"'
    )
    if mark.fill == "none":
        style += f' stroke-opacity="{mark.opacity:g}"'
    title = f"<title>{escape(mark.name)}</title>"
    if points.shape[1] == 1:
        x, y = points[:, 0].T
        return (
            f'<circle r="{mark.radius:g}" cx="{x[0]:.1f}" cy="{y[0]:.1f}" {style}>{title}'
            f"{_moved('cx', x, seconds)}{_moved('cy', y, seconds)}</circle>"
        )
    tag = "polyline" if mark.fill == "none" else "polygon"
    rows = [" ".join(f"{x:.1f},{y:.1f}" for x, y in row) for row in points]
    return f'<{tag} points="{rows[0]}" {style}>{title}{_animate("points", rows, seconds)}</{tag}>'


def _moved(attribute: str, values: Floats, seconds: float) -> str:
    return _animate(attribute, [f"{value:.1f}" for value in values], seconds)


def _animate(attribute: str, values: list[str], seconds: float) -> str:
    if len(set(values)) == 1:
        return ""
    return (
        f'<animate attributeName="{attribute}" dur="{seconds:g}s" repeatCount="indefinite" '
        f'values="{";".join(values)}"/>'
    )


def _progress(film: FlatFilm, seconds: float, pace: str) -> list[str]:
    """How far the film is, from when to when, and its pace."""
    left, right, y = 14.0, film.width - 14.0, film.height - 12.0
    grows = _moved("width", np.array([0.0, right - left]), seconds)
    small = f'fill="{SOFT}" font-size="10"'
    return [
        f'<rect x="{left}" y="{y}" width="{right - left:.1f}" height="4" rx="2" fill="{FILL}"/>',
        f'<rect x="{left}" y="{y}" width="0" height="4" rx="2" fill="{ACCENT}">{grows}</rect>',
        text_svg(f"{film.times[0]:g} s", left, y - 4, f'{small} text-anchor="start"'),
        text_svg(f"{film.times[-1]:g} s", right, y - 4, f'{small} text-anchor="end"'),
        text_svg(pace, film.width / 2, y - 4, small),
    ]
