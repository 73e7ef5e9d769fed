"""The modes of a model as a state graph: ovals of names with arrows between them, as SVG."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from touchback.model.automata import Automaton, automata_of
from touchback.model.part import flatten
from touchback.model.state_map import StateMap, arrow_count
from touchback.model.state_shapes import (
    INK,
    LETTER,
    LINE,
    SOFT,
    Oval,
    Point,
    cause_text,
    cut,
    path_svg,
    rimmed_svg,
)

if TYPE_CHECKING:
    from touchback.model.model import Model

_MARGIN = 16.0  # around a drawing [px]
_BEND = 0.22  # of a chord: how far an arrow swings out
_PASSES = 60  # over all labels, to find them room
_MOST = 18  # arrows with words beside them; more have numbers, and a list below


def state_graph_svg(model: Model) -> str:
    """A picture of the modes: an oval for each with its constraints, the first with a dot before
    it, an arrow for each transition with its cause; dashed where contacts come to rest. Where there
    are many, arrows have numbers, and transitions are listed below."""
    flat = flatten(model)
    drawings = [
        (StateMap if arrow_count(automaton) > _MOST else _Drawing)(flat, automaton)
        for automaton in automata_of(flat)
    ]
    width = max((drawing.width for drawing in drawings), default=10.0)
    height = sum(drawing.height for drawing in drawings)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" font-family="sans-serif" '
        'font-size="11" text-anchor="middle">',
        f"<title>Modes of {escape(model.name)}</title>",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        f'markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="{INK}"/></marker>'
        "</defs>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
    ]
    top = 0.0
    for drawing in drawings:
        parts.append(f'<g transform="{drawing.placed(top)}">')
        parts += [*drawing.drawn(), "</g>"]
        top += drawing.height
    return "\n".join([*parts, "</svg>", ""])


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
        return max(map(len, self.lines)) * LETTER, len(self.lines) * LINE

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
        boxes = [Oval((name,), _constraints(model, automaton, name), 0.0, 0.0) for name in names]
        widest = max(box.half[0] for box in boxes)
        highest = max(box.half[1] for box in boxes)
        count = len(names)
        across = 0.0 if count == 1 else max(1.25 * widest + 95.0, 34.0 * count)
        down = 0.0 if count < 3 else max(2.1 * highest + 40.0, 0.55 * across)
        if self._crosses():  # room in the middle
            across, down = 1.2 * across, 1.5 * down
        self.places: dict[str, Oval] = {}
        for k, (name, box) in enumerate(zip(names, boxes, strict=True)):
            angle = math.pi * (1.0 + 2.0 * k / count)
            x, y = across * math.cos(angle), down * math.sin(angle)
            self.places[name] = Oval(box.names, box.lines, x, y)
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
            text = cut(cause_text(each))
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

    def drawn(self) -> Iterator[str]:
        """Arrows, modes above them, and words above both."""
        for arrow in self.curves:
            yield path_svg(arrow.path, arrow.dashed)
        for name, oval in self.places.items():
            yield from oval.drawn(name == self.automaton.initial)
        for arrow, (x, y) in zip(self.curves, self.label_places, strict=True):
            y -= (len(arrow.lines) - 1) * LINE / 2 - 4.0
            for k, line in enumerate(arrow.lines):
                style = f'fill="{INK}" font-weight="bold"' if k == 0 else f'fill="{SOFT}"'
                yield from rimmed_svg(line, x, y + k * LINE, style)


def _apart(curves: list[_Arrow], ovals: list[Oval]) -> list[Point]:
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
    return tuple(cut(name) for name in named)


Curve = tuple[str, Point, Point]  # its path, its middle, and to which side of it labels stand


def _swing(a: Oval, b: Oval, turn: int, across: bool) -> Curve:
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


def _loop(a: Oval, turn: int, sideways: bool) -> Curve:
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
