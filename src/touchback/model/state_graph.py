"""The modes of a model as a state graph: ovals of names with arrows between them, as SVG."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from touchback.model.automata import Automaton, automata_of
from touchback.model.episodes import Transition
from touchback.model.part import flatten
from touchback.model.show import value_text

if TYPE_CHECKING:
    from touchback.model.model import Model

Point = tuple[float, float]
_LETTER, _LINE = 6.3, 14.0  # width of a letter and height of a line [px]
_MARGIN = 16.0  # around a drawing [px]
_ROUND = 34.0  # of a mode's corners at most [px]
_BEND = 0.22  # of a chord: how far an arrow swings out
_PASSES = 60  # over all labels, to find them room
_LONGEST = 34  # characters of a cause
_INK, _SOFT, _FILL, _FIRST = "#3d405b", "#6b6f8d", "#eef1f8", "#dfe9dc"


def state_graph_svg(model: Model) -> str:
    """A picture of the modes: an oval for each with its constraints, the first with a dot before
    it, an arrow for each transition with its cause; dashed where contacts come to rest."""
    flat = flatten(model)
    drawings = [_Drawing(flat, automaton) for automaton in automata_of(flat)]
    width = max((drawing.width for drawing in drawings), default=10.0)
    height = sum(drawing.height for drawing in drawings)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" font-family="sans-serif" '
        'font-size="11" text-anchor="middle">',
        f"<title>Modes of {escape(model.name)}</title>",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        f'markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="{_INK}"/></marker>'
        "</defs>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
    ]
    top = 0.0
    for drawing in drawings:
        parts.append(f'<g transform="{drawing.placed(top)}">')
        parts += [*drawing.arrows(), *drawing.ovals(), *drawing.labels(), "</g>"]
        top += drawing.height
    return "\n".join([*parts, "</svg>", ""])


def cause_text(each: Transition) -> str:
    """When a transition happens, in few words."""
    sides = {-1: "falls to 0", 0: "crosses 0", 1: "rises to 0"}
    text = re.sub(r"'v:([^']*)'", r"\1 rate", value_text(each.when))
    text = re.sub(r"'(?:q:)?([^']*)'", r"\1", text)
    return f"{text} {sides[each.direction]}"


@dataclass(frozen=True)
class _Oval:
    """A mode on the page."""

    name: str
    lines: tuple[str, ...]  # its constraints
    x: float
    y: float

    @property
    def half(self) -> Point:
        """Half its width and height."""
        longest = max(len(self.name) * 1.1, *(len(line) for line in (*self.lines, "")))
        return longest * _LETTER / 2 + 16.0, (1 + len(self.lines)) * _LINE / 2 + 10.0

    def corners(self) -> list[Point]:
        w, h = self.half
        return [(self.x - w, self.y - h), (self.x + w, self.y + h)]

    def holds(self, point: Point) -> bool:
        half = self.half
        return abs(point[0] - self.x) < half[0] and abs(point[1] - self.y) < half[1]


@dataclass(frozen=True)
class _Arrow:
    """A transition on the page: its curve with the middle of it, and the label beside that, on the
    side `outwards`."""

    path: str
    middle: Point
    outwards: Point
    lines: tuple[str, ...]
    dashed: bool

    @property
    def size(self) -> Point:
        """Width and height of the label."""
        return max(map(len, self.lines)) * _LETTER, len(self.lines) * _LINE

    @property
    def label(self) -> Point:
        """Where the middle of the label stands."""
        (w, h), (x, y), (dx, dy) = self.size, self.middle, self.outwards
        return x + dx * (w / 2 + 6.0), y + dy * (h / 2 + 5.0)


class _Drawing:
    """One automaton: modes on an ellipse, clockwise from the left."""

    def __init__(self, model: Model, automaton: Automaton) -> None:
        self.automaton = automaton
        names = automaton.modes
        boxes = [_Oval(name, _constraints(model, automaton, name), 0.0, 0.0) for name in names]
        widest = max(box.half[0] for box in boxes)
        highest = max(box.half[1] for box in boxes)
        count = len(names)
        across = 0.0 if count == 1 else max(1.25 * widest + 95.0, 34.0 * count)
        down = 0.0 if count < 3 else max(2.1 * highest + 40.0, 0.55 * across)
        if self._crosses():  # room in the middle
            across, down = 1.2 * across, 1.5 * down
        self.places: dict[str, _Oval] = {}
        for k, box in enumerate(boxes):
            angle = math.pi * (1.0 + 2.0 * k / count)
            x, y = across * math.cos(angle), down * math.sin(angle)
            self.places[box.name] = _Oval(box.name, box.lines, x, y)
        self.curves = list(self._curves())
        self.label_places = _apart(self.curves, list(self.places.values()))
        corners = [*(c for oval in self.places.values() for c in oval.corners())]
        for arrow, (x, y) in zip(self.curves, self.label_places, strict=True):
            w, h = arrow.size
            corners += [arrow.middle, (x - w / 2, y - h / 2), (x + w / 2, y + h / 2)]
        first = self.places[automaton.initial]
        corners.append((first.x - first.half[0] - 28.0, first.y))
        (left, self.top), (right, bottom) = (
            (pick(x for x, _ in corners), pick(y for _, y in corners)) for pick in (min, max)
        )
        self.left = left
        self.width, self.height = right - left + 2 * _MARGIN, bottom - self.top + 2 * _MARGIN

    def placed(self, top: float) -> str:
        """The move that brings the drawing below `top`."""
        return f"translate({_MARGIN - self.left:.1f} {top + _MARGIN - self.top:.1f})"

    def _far(self, source: str, target: str) -> bool:
        """Whether an arrow leads past a neighbour."""
        names = self.automaton.modes
        apart = (names.index(source) - names.index(target)) % len(names)
        return apart not in (0, 1, len(names) - 1)

    def _crosses(self) -> bool:
        return any(
            self._far(source, target)
            for each in self.automaton.transitions.values()
            for source in each.source
            for target in (each.after(source), each.rest or source)
        )

    def _curves(self) -> Iterator[_Arrow]:
        met: dict[tuple[str, str], int] = {}
        for name, each in self.automaton.transitions.items():
            short = name.removeprefix(self.automaton.prefix)
            text = _cut(cause_text(each))
            for source in each.source:
                ends: list[tuple[str, tuple[str, ...], bool]] = [
                    (each.after(source), (short, text), False)
                ]
                if each.rest is not None:
                    ends.append((each.rest, (f"{short}, to rest",), True))
                for target, lines, dashed in ends:
                    turn = met[source, target] = met.get((source, target), -1) + 1
                    a, b = self.places[source], self.places[target]
                    sideways = len(self.places) > 2 and a.x > 1.0
                    across = self._far(source, target)
                    drawn = _loop(a, turn, sideways) if a is b else _swing(a, b, turn, across)
                    yield _Arrow(*drawn, lines, dashed)

    def arrows(self) -> Iterator[str]:
        first = self.places[self.automaton.initial]
        left = first.x - first.half[0]
        yield f'<circle cx="{left - 24:.1f}" cy="{first.y:.1f}" r="4" fill="{_INK}"/>'
        yield _path(f"M{left - 24:.1f},{first.y:.1f} L{left - 1:.1f},{first.y:.1f}", False)
        for arrow in self.curves:
            yield _path(arrow.path, arrow.dashed)

    def ovals(self) -> Iterator[str]:
        for oval in self.places.values():
            w, h = oval.half
            fill = _FIRST if oval.name == self.automaton.initial else _FILL
            yield (
                f'<rect x="{oval.x - w:.1f}" y="{oval.y - h:.1f}" width="{2 * w:.1f}" '
                f'height="{2 * h:.1f}" rx="{min(_ROUND, h):.1f}" fill="{fill}" stroke="{_INK}" '
                'stroke-width="1.4"/>'
            )
            y = oval.y - len(oval.lines) * _LINE / 2 + 4.0
            yield _text(oval.name, oval.x, y, 'font-size="12" font-weight="bold"')
            for k, line in enumerate(oval.lines, 1):
                yield _text(line, oval.x, y + k * _LINE, f'fill="{_SOFT}"')

    def labels(self) -> Iterator[str]:
        # A white rim under each label; drawn apart, since not every viewer knows paint-order.
        halo = 'fill="#ffffff" stroke="#ffffff" stroke-width="4" stroke-linejoin="round"'
        for arrow, (x, y) in zip(self.curves, self.label_places, strict=True):
            y -= (len(arrow.lines) - 1) * _LINE / 2 - 4.0
            for k, line in enumerate(arrow.lines):
                weight = ' font-weight="bold"' if k == 0 else ""
                yield _text(line, x, y + k * _LINE, halo + weight)
                colour = _INK if k == 0 else _SOFT
                yield _text(line, x, y + k * _LINE, f'fill="{colour}"{weight}')


def _apart(curves: list[_Arrow], ovals: list[_Oval]) -> list[Point]:
    """Places of the labels, pushed off each other and off the modes."""
    places = [list(arrow.label) for arrow in curves]
    sizes = [arrow.size for arrow in curves]
    fixed = [((oval.x, oval.y), (2 * oval.half[0], 2 * oval.half[1])) for oval in ovals]
    for _ in range(_PASSES):
        for i, place in enumerate(places):
            others = [(places[j], sizes[j]) for j in range(i)]
            for k, (other, size) in enumerate([*others, *fixed]):
                gaps = [
                    (sizes[i][c] + size[c]) / 2 + 4.0 - abs(place[c] - other[c]) for c in range(2)
                ]
                if min(gaps) <= 0.0:
                    continue
                c = 1 if gaps[1] <= gaps[0] else 0
                push = math.copysign(gaps[c], place[c] - other[c])
                if k < i:  # another label gives way, too
                    places[k][c] -= push / 2
                    push /= 2
                place[c] += push
    return [(x, y) for x, y in places]


def _constraints(model: Model, automaton: Automaton, mode: str) -> tuple[str, ...]:
    named = [name.removeprefix(automaton.prefix) for name in model.modes[mode].active]
    return tuple(_cut(name) for name in named)


Curve = tuple[str, Point, Point]  # its path, its middle, and to which side of it labels stand


def _swing(a: _Oval, b: _Oval, turn: int, across: bool) -> Curve:
    """An arrow that swings out to its left, farther for each one more between the same two; one
    `across` the ellipse hardly does."""
    dx, dy = b.x - a.x, b.y - a.y
    bend = _BEND * (1.0 + 0.9 * turn) * 2.0 * (0.25 if across and not turn else 1.0)
    control = a.x + dx / 2 + bend * dy, a.y + dy / 2 - bend * dx

    def at(t: float) -> Point:
        one, two, three = (1 - t) ** 2, 2 * t * (1 - t), t * t
        return (
            one * a.x + two * control[0] + three * b.x,
            one * a.y + two * control[1] + three * b.y,
        )

    steps = [k / 400 for k in range(401)]
    start = next((t for t in steps if not a.holds(at(t))), 0.0)
    end = next((t for t in reversed(steps) if not b.holds(at(t))), 1.0)
    inner = tuple(
        (1 - start) * (1 - end) * p + ((1 - start) * end + start * (1 - end)) * q + start * end * r
        for p, q, r in zip((a.x, a.y), control, (b.x, b.y), strict=True)
    )
    (x0, y0), (x1, y1) = at(start), at(end)
    path = f"M{x0:.1f},{y0:.1f} Q{inner[0]:.1f},{inner[1]:.1f} {x1:.1f},{y1:.1f}"
    length = math.hypot(dx, dy)
    return path, at((start + end) / 2), (dy / length, -dx / length)


def _loop(a: _Oval, turn: int, sideways: bool) -> Curve:
    """An arrow from a mode back to itself: above it, or to its right."""
    reach, wide = 56.0 + 34.0 * turn, 40.0 + 16.0 * turn
    if sideways:
        side = a.x + a.half[0]
        path = (
            f"M{side:.1f},{a.y - 12:.1f} C{side + reach:.1f},{a.y - wide:.1f} "
            f"{side + reach:.1f},{a.y + wide:.1f} {side + 1:.1f},{a.y + 12:.1f}"
        )
        return path, (side + 0.75 * reach, a.y), (1.0, 0.0)
    top = a.y - a.half[1]
    path = (
        f"M{a.x - 18:.1f},{top:.1f} C{a.x - wide:.1f},{top - reach:.1f} "
        f"{a.x + wide:.1f},{top - reach:.1f} {a.x + 18:.1f},{top - 1:.1f}"
    )
    return path, (a.x, top - 0.75 * reach), (0.0, -1.0)


def _path(path: str, dashed: bool) -> str:
    dashes = ' stroke-dasharray="5 4"' if dashed else ""
    return (
        f'<path d="{path}" fill="none" stroke="{_INK}" stroke-width="1.3"{dashes} '
        'marker-end="url(#head)"/>'
    )


def _text(text: str, x: float, y: float, style: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {style}>{escape(text)}</text>'


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
