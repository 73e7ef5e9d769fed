"""Stick figures as SVG, for notebooks, pages and files."""

from collections.abc import Iterator
from html import escape

import numpy as np

from touchback import Model
from touchback.draw.stick import Floats, StickFigure, axes_for, stick_figure
from touchback.errors import InputError
from touchback.figure_style import (
    ACCENT,
    BODIES,
    FILL,
    INK,
    LETTER,
    LINE,
    PALE,
    PAPER,
    SOFT,
    rimmed_svg,
    svg_page,
)
from touchback.model.model_text import tree_text
from touchback.numbers import shown, whole_within

_SIZE = 360.0  # of the longer side [px]
_MARGIN = 36.0
_STYLES = {
    "body": 'stroke-width="6" stroke-linecap="round"',
    "arm": 'stroke-width="2"',
    "cross": 'stroke-width="3" stroke-linecap="round"',
    "slide": f'stroke="{PALE}" stroke-width="1.5" stroke-dasharray="4 3"',
    "link": f'stroke="{SOFT}" stroke-width="2" stroke-dasharray="1 3"',
}
_BESIDE = (-10.0, 14.0, 2.0, -22.0, 26.0)  # heights at which a name may stand, from its dot [px]
_LABELS = 14  # joints up to which their names are written beside them
_AXIS = 22.0  # px


def figure_svg(
    figure: StickFigure, title: str, instant: int = 0, trail: Floats | None = None
) -> str:
    """One instant as a picture on which all instants have their place: joints as dots, bodies as
    lines, centres of mass as rings; `trail` (N, 3) are points that were passed before."""
    if not isinstance(figure, StickFigure) or not isinstance(title, str):
        raise InputError(
            f"figure_svg: a stick figure and a title are expected, got {shown(figure)} and "
            f"{shown(title)}."
        )
    try:
        passed = np.empty((0, 3)) if trail is None else np.asarray(trail, dtype=float)
    except (TypeError, ValueError, OverflowError):
        passed = np.empty(0)
    if passed.ndim != 2 or passed.shape[1] != 3:
        raise InputError(f"figure_svg: a trail has points (N, 3), got {shown(trail)}.")
    last = max((len(line.ends) for line in figure.lines), default=1) - 1
    whole_within(f"figure_svg: an instant is 0 to {last}", instant, 0, last)
    return _Drawing(figure, title, instant, passed).svg()


def notebook_html(model: Model) -> str:
    """What a notebook shows of a model: its stick figure and its tree."""
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:1.5em;align-items:flex-start">'
        f"{figure_svg(stick_figure(model), model.name)}<pre>{escape(tree_text(model))}</pre></div>"
    )


class _Drawing:
    def __init__(self, figure: StickFigure, title: str, instant: int, trail: Floats) -> None:
        self.figure, self.title, self.instant, self.trail = figure, title, instant, trail
        points = np.concatenate([figure.points, trail])
        if not len(points):  # of an empty model
            points = np.zeros((1, 3))
        self.axes = axes_for(points)
        flat = points @ self.axes.T
        self.corner = flat[:, 0].min(), flat[:, 1].max()
        width, height = np.ptp(flat, axis=0)
        self.scale = _SIZE / (max(width, height) or 1.0)
        beside = max((len(label) for label in self.labels()), default=0) * LETTER
        self.width = max(width * self.scale, _SIZE / 3) + 2 * _MARGIN + beside
        self.height = max(height * self.scale, _SIZE / 6) + 2 * _MARGIN
        self.top = (self.height - height * self.scale) / 2

    def at(self, point: Floats) -> tuple[str, str]:
        across, up = self.axes @ point
        x = _MARGIN + (across - self.corner[0]) * self.scale
        y = self.top + (self.corner[1] - up) * self.scale
        return f"{x:.1f}", f"{y:.1f}"

    def places(self, named: dict[str, Floats]) -> list[tuple[str, str, str]]:
        return [(name, *self.at(points[self.instant])) for name, points in named.items()]

    def svg(self) -> str:
        parts = [
            *self.way(),
            *self.bearings(),
            *self.lines(),
            *self.masses(),
            *self.joints(),
            *self.directions(),
        ]
        return svg_page(self.width, self.height, self.title, parts)

    def way(self) -> list[str]:
        if not len(self.trail):
            return []
        points = " ".join(",".join(self.at(point)) for point in self.trail)
        return [f'<polyline points="{points}" fill="none" stroke="{ACCENT}" stroke-width="1.5"/>']

    def lines(self) -> list[str]:
        bodies = [each.name for each in self.figure.lines if each.kind in ("body", "cross")]
        numbers = {name: number for number, name in enumerate(dict.fromkeys(bodies))}
        found = []
        for line in self.figure.lines:
            (x1, y1), (x2, y2) = map(self.at, line.ends[self.instant])
            style = _STYLES[line.kind]
            if line.kind not in ("slide", "link"):
                style += f' stroke="{BODIES[numbers[line.name] % len(BODIES)]}"'
            found.append(
                f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" {style}>'
                f"<title>{escape(line.name)}</title></line>"
            )
        return found

    def bearings(self) -> list[str]:
        """The usual sign for a support on the ground."""
        return [
            f'<path d="M{x} {y} l-9 14 h18 z" fill="{FILL}" stroke="{INK}"/>'
            for _, x, y in self.places(self.figure.bearings)
        ]

    def masses(self) -> list[str]:
        return [
            f'<circle cx="{x}" cy="{y}" r="4" fill="{PAPER}" stroke="{INK}" stroke-width="1.5">'
            f"<title>{escape(name)}: centre of mass</title></circle>"
            for name, x, y in self.places(self.figure.masses)
        ]

    def joints(self) -> list[str]:
        places = self.places(self.figure.joints)
        dots = [
            f'<circle cx="{x}" cy="{y}" r="4.5" fill="{INK}"><title>{escape(name)}</title></circle>'
            for name, x, y in places
        ]
        words = self.words([(name, float(x), float(y)) for name, x, y in places])
        return dots + [
            text for name, x, y in words for text in rimmed_svg(name, x, y, f'fill="{INK}"')
        ]

    def words(self, dots: list[tuple[str, float, float]]) -> Iterator[tuple[str, float, float]]:
        """Names beside their dots, each where it covers least of lines, dots and other names."""
        along = np.linspace(0.0, 1.0, 40)[:, None]
        ends = [[self.at(end) for end in line.ends[self.instant]] for line in self.figure.lines]
        pairs = np.array(ends, dtype=float).reshape(-1, 2, 2)
        drawn = [(1 - along) * a + along * b for a, b in pairs]
        taken = np.concatenate([np.empty((0, 2)), *drawn, *(6 * [[x, y]] for _, x, y in dots)])
        for name, x, y in dots:
            if name not in self.labels():
                continue
            half = np.array([len(name) * LETTER / 2, LINE / 2])

            def covered(
                middle: Floats, half: Floats = half, taken: Floats = taken
            ) -> tuple[bool, int]:
                outside = middle[0] < half[0] or middle[0] > self.width - half[0]
                return bool(outside), int((np.abs(taken - middle) < half).all(axis=1).sum())

            sides = ((up, side) for up in _BESIDE for side in (1, -1))
            places = [np.array([x + side * (half[0] + 8.0), y + up]) for up, side in sides]
            best = min(places, key=covered)  # the first of equals
            grid = np.linspace(-1.0, 1.0, 2 * len(name) + 1)[:, None] * [half[0], 0.0]
            taken = np.concatenate([taken, *(best + grid + [0.0, dy] for dy in (-4.0, 0.0, 4.0))])
            yield name, float(best[0]), float(best[1]) + 4.0

    def labels(self) -> list[str]:
        """The joints whose names are written: all, where that can be read."""
        names = list(self.figure.joints)
        return names if len(names) <= _LABELS and not len(self.trail) else []

    def directions(self) -> list[str]:
        """The axes of the world that aren't seen end on."""
        found = []
        x, y = 12.0, self.height - 12.0
        for name, (across, up) in zip("xyz", self.axes.T):
            if np.hypot(across, up) > 0.1:
                tip = x + _AXIS * across, y - _AXIS * up
                letter = x + 1.3 * _AXIS * across, y - 1.3 * _AXIS * up + 3
                found += [
                    f'<path d="M{x} {y:.0f} L{tip[0]:.1f} {tip[1]:.1f}" stroke="{PALE}"/>',
                    f'<text x="{letter[0]:.1f}" y="{letter[1]:.1f}" fill="{PALE}">{name}</text>',
                ]
        return found
