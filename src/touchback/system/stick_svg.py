"""Stick figures as SVG, for notebooks and pages."""

from collections.abc import Mapping, Sequence
from html import escape

from touchback.model.model import Model
from touchback.model.show import tree_text
from touchback.system.stick import Point, StickFigure, stick_figure

_SIZE = 360.0  # of the longer side [px]
_MARGIN = 36.0
_COLOURS = ("#1b6ca8", "#c8553d", "#3a7d44", "#7d5ba6", "#b8860b", "#2a9d8f", "#8c564b")
_LETTER = 6.5  # width of a letter, about [px]
_LABELS = 14  # joints up to which their names are written beside them


def stick_figure_svg(
    model: Model,
    q: Sequence[float] | None = None,
    parameters: Mapping[str, float] | None = None,
    plane: str | None = None,
) -> str:
    """An SVG picture: joints as dots, bodies as lines, centres of mass as rings."""
    return _Drawing(stick_figure(model, q, parameters, plane), model.name).svg()


def notebook_html(model: Model) -> str:
    """What a notebook shows of a model: its stick figure and its tree."""
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:1.5em;align-items:flex-start">'
        f"{stick_figure_svg(model)}<pre>{escape(tree_text(model))}</pre></div>"
    )


class _Drawing:
    def __init__(self, figure: StickFigure, title: str) -> None:
        self.figure, self.title = figure, title
        (self.x0, y0), (x1, self.y1) = figure.corners()
        width, height = x1 - self.x0, self.y1 - y0
        self.scale = _SIZE / (max(width, height) or 1.0)
        beside = max((len(label) for label in self.labels()), default=0) * _LETTER
        self.width = max(width * self.scale, _SIZE / 3) + 2 * _MARGIN + beside
        self.height = max(height * self.scale, _SIZE / 6) + 2 * _MARGIN
        self.shift = (
            _MARGIN,
            (self.height - height * self.scale) / 2,
        )

    def at(self, point: Point) -> tuple[str, str]:
        x = self.shift[0] + (point[0] - self.x0) * self.scale
        y = self.shift[1] + (self.y1 - point[1]) * self.scale
        return f"{x:.1f}", f"{y:.1f}"

    def svg(self) -> str:
        size = f'width="{self.width:.0f}" height="{self.height:.0f}"'
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" '
            'font-family="sans-serif" font-size="11">',
            f"<title>{escape(self.title)}</title>",
            *self.bearings(),
            *self.sticks(),
            *self.masses(),
            *self.joints(),
            *self.axes(),
            "</svg>",
        ]
        return "\n".join(parts)

    def sticks(self) -> list[str]:
        bodies = list(dict.fromkeys(s.name for s in self.figure.sticks if s.kind != "slide"))
        styles = {
            "body": 'stroke-width="6" stroke-linecap="round"',
            "arm": 'stroke-width="2"',
            "slide": 'stroke-width="1.5" stroke-dasharray="4 3"',
        }
        found = []
        for stick in self.figure.sticks:
            known = stick.name in bodies and stick.kind != "slide"
            colour = _COLOURS[bodies.index(stick.name) % len(_COLOURS)] if known else "#999"
            (x1, y1), (x2, y2) = self.at(stick.start), self.at(stick.end)
            found.append(
                f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="{colour}" '
                f"{styles[stick.kind]}><title>{escape(stick.name)}</title></line>"
            )
        return found

    def bearings(self) -> list[str]:
        """The usual sign for a support on the ground."""
        return [
            f'<path d="M{x} {y} l-9 14 h18 z" fill="#ddd" stroke="#333"/>'
            for x, y in map(self.at, self.figure.bearings)
        ]

    def masses(self) -> list[str]:
        return [
            f'<circle cx="{x}" cy="{y}" r="4" fill="#fff" stroke="#333" stroke-width="1.5">'
            f"<title>{escape(name)}: centre of mass</title></circle>"
            for name, (x, y) in ((name, self.at(p)) for name, p in self.figure.masses.items())
        ]

    def joints(self) -> list[str]:
        found = []
        for name, point in self.figure.joints.items():
            x, y = self.at(point)
            found.append(
                f'<circle cx="{x}" cy="{y}" r="4.5" fill="#333">'
                f"<title>{escape(name)}</title></circle>"
            )
        for name in self.labels():
            x, y = self.at(self.figure.joints[name])
            found.append(f'<text x="{x}" y="{y}" dx="8" dy="-6" fill="#333">{escape(name)}</text>')
        return found

    def labels(self) -> list[str]:
        """The joints whose names are written: all, where that can be read."""
        names = list(self.figure.joints)
        return names if len(names) <= _LABELS else []

    def axes(self) -> list[str]:
        x, y = 10.0, self.height - 10.0
        across, up = self.figure.plane[0], self.figure.plane[1]
        return [
            f'<path d="M{x} {y - 22:.0f} V{y:.0f} H{x + 22}" fill="none" stroke="#999"/>',
            f'<text x="{x + 25}" y="{y + 3:.0f}" fill="#999">{across}</text>',
            f'<text x="{x - 3}" y="{y - 26:.0f}" fill="#999">{up}</text>',
        ]
