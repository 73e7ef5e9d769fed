"""The modes of a model as a state graph: ovals of names with arrows between them, as SVG."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from touchback.draw.state_graph_honeycomb import StateMap, arrow_count
from touchback.draw.state_shapes import Oval, Point, cause_text, cut, path_svg
from touchback.figure_style import INK, LETTER, LINE, SOFT, rimmed_svg, svg_page
from touchback.model import ModeGroup, flatten, mode_groups

if TYPE_CHECKING:
    from touchback import Model

_MARGIN = 16.0  # around a drawing [px]
_BEND = 0.22  # of a chord: how far an arrow swings out
_CLEAR = 4.0  # around a label [px]
_HEAVY = 1000  # a mode or a label under a label weighs as much as so many points of an arrow
_MOST = 18  # arrows with words beside them; more have numbers, and a list below


def state_graph_svg(model: Model) -> str:
    """A picture of the modes: an oval for each with its constraints, the first with a dot before
    it, an arrow for each transition with its cause; dashed where contacts come to rest. Where there
    are many, arrows have numbers, and transitions are listed below."""
    flat = flatten(model)
    drawings = [
        (StateMap if arrow_count(group) > _MOST else _Drawing)(flat, group)
        for group in mode_groups(flat)
    ]
    width = max((drawing.width for drawing in drawings), default=10.0)
    height = sum(drawing.height for drawing in drawings)
    parts = [
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        f'markerHeight="7" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="{INK}"/></marker>'
        "</defs>",
    ]
    top = 0.0
    for drawing in drawings:
        parts.append(f'<g transform="{drawing.placed(top)}">')
        parts += [*drawing.drawn(), "</g>"]
        top += drawing.height
    return svg_page(width, height, f"Modes of {model.name}", parts)


@dataclass(frozen=True)
class _Arrow:
    """A transition on the page: its curve with points along it, and the label beside its middle, on
    the side `outwards`."""

    path: str
    points: tuple[Point, ...]
    outwards: Point
    lines: tuple[str, ...]
    dashed: bool

    @property
    def size(self) -> Point:
        """Width and height of the label."""
        return max(map(len, self.lines)) * LETTER, len(self.lines) * LINE

    def labels(self) -> Iterator[Point]:
        """Where the middle of the label may stand, the best places first: beside the curve, from
        its middle to its ends, then farther off and on the other side."""
        w, h = self.size
        dx, dy = self.outwards
        half, count = abs(dx) * w / 2 + abs(dy) * h / 2, len(self.points)
        along = sorted(range(count // 6, count - count // 6), key=lambda k: abs(2 * k - count + 1))
        for far in (6.0, 18.0, 34.0, 55.0, 80.0):
            for side in (1.0, -1.0):
                for k in along[::2]:
                    x, y = self.points[k]
                    for aside in (0.0, -0.15 * w, 0.15 * w, -0.3 * w, 0.3 * w):
                        yield x + aside + side * dx * (half + far), y + side * dy * (half + far)


class _Drawing:
    """One group: modes on an ellipse, clockwise from the left."""

    def __init__(self, model: Model, group: ModeGroup) -> None:
        self.group = group
        names = group.modes
        boxes = [Oval((name,), _constraints(model, group, name), 0.0, 0.0) for name in names]
        widest = max(box.half[0] for box in boxes)
        highest = max(box.half[1] for box in boxes)
        count = len(names)
        across = 0.0 if count == 1 else max(1.25 * widest + 95.0, 34.0 * count)
        down = 0.0 if count < 3 else max(2.1 * highest + 40.0, 0.55 * across)
        if count > 2:  # room for words between arrows there and back
            longest = max(len(cut(cause_text(each))) for each in group.transitions.values())
            across, down = max(across, 0.95 * longest * LETTER), max(down, 130.0)
        if self._crosses():  # room in the middle
            across, down = 1.2 * across, 1.5 * down
        self.places: dict[str, Oval] = {}
        for k, (name, box) in enumerate(zip(names, boxes, strict=True)):
            angle = math.pi * (1.0 + 2.0 * k / count)
            x, y = across * math.cos(angle), down * math.sin(angle)
            self.places[name] = Oval(box.names, box.lines, x, y)
        self.curves = list(self._curves())
        self.label_places = _label_places(self.curves, list(self.places.values()))
        corners = [*(c for oval in self.places.values() for c in oval.corners())]
        for arrow, (x, y) in zip(self.curves, self.label_places, strict=True):
            w, h = arrow.size
            corners += [*arrow.points, (x - w / 2, y - h / 2), (x + w / 2, y + h / 2)]
        first = self.places[group.initial]
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
        names = self.group.modes
        apart = (names.index(source) - names.index(target)) % len(names)
        return apart not in (0, 1, len(names) - 1)

    def _crosses(self) -> bool:
        return any(
            self._far(source, target)
            for each in self.group.transitions.values()
            for source in each.source
            for target in (each.after(source), each.rest or source)
        )

    def _curves(self) -> Iterator[_Arrow]:
        met: dict[tuple[str, str], int] = {}
        for name, each in self.group.transitions.items():
            short = name.removeprefix(self.group.prefix)
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
            yield from oval.drawn(name == self.group.initial, name)
        for arrow, (x, y) in zip(self.curves, self.label_places, strict=True):
            y -= (len(arrow.lines) - 1) * LINE / 2 - 4.0
            for k, line in enumerate(arrow.lines):
                style = f'fill="{INK}" font-weight="bold"' if k == 0 else f'fill="{SOFT}"'
                yield from rimmed_svg(line, x, y + k * LINE, style)


def _label_places(curves: list[_Arrow], ovals: list[Oval]) -> list[Point]:
    """Places of the labels, each the first at which it covers no mode, no other label and no arrow;
    where there is none, the place at which it covers least."""
    taken = [(oval.x, oval.y, *oval.half) for oval in ovals]
    ends = np.cumsum([0, *(len(arrow.points) for arrow in curves)])
    points = np.array([point for arrow in curves for point in arrow.points])
    places: list[Point] = []
    for arrow, start, end in zip(curves, ends, ends[1:]):
        w, h = (half / 2 + _CLEAR for half in arrow.size)
        free = list(arrow.labels())
        x, y = np.array(free).T[:, :, None]  # a row for each place, a column for each thing covered
        a, b, c, d = np.array(taken).T
        boxes = np.sum((abs(x - a) < w + c) & (abs(y - b) < h + d), axis=1)
        off = np.maximum(abs(x - points[:, 0]) - w, abs(y - points[:, 1]) - h).clip(min=0.0)
        # Far from its own arrow and near to another one, it would be read as that one's.
        strange = off.min(axis=1) < 0.5 * off[:, start:end].min(axis=1)
        covered = _HEAVY * (boxes + strange) + np.sum(off == 0.0, axis=1)
        best = free[int(covered.argmin())]  # the first of equals
        places.append(best)
        taken.append((*best, w - _CLEAR, h - _CLEAR))
    return places


def _constraints(model: Model, group: ModeGroup, mode: str) -> tuple[str, ...]:
    named = [name.removeprefix(group.prefix) for name in model.modes[mode].active]
    return tuple(cut(name) for name in named)


Curve = tuple[str, tuple[Point, ...], Point]  # path, points along it, side at which labels stand
_ALONG = 60  # points along a curve


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
    points = tuple(at(start + (end - start) * k / _ALONG) for k in range(_ALONG + 1))
    return path, points, (dy / length, -dx / length)


def _loop(a: Oval, turn: int, sideways: bool) -> Curve:
    """An arrow from a mode back to itself: above it, or to its right."""
    reach, wide = 56.0 + 34.0 * turn, 40.0 + 16.0 * turn
    if sideways:
        side = a.x + a.half[0]
        return _bow(
            (side, a.y - 12), (side + reach, a.y - wide), (side + reach, a.y + wide),
            (side + 1, a.y + 12), (1.0, 0.0),
        )  # fmt: skip
    top = a.y - a.half[1]
    return _bow(
        (a.x - 18, top), (a.x - wide, top - reach), (a.x + wide, top - reach),
        (a.x + 18, top - 1), (0.0, -1.0),
    )  # fmt: skip


def _bow(p: Point, q: Point, r: Point, s: Point, outwards: Point) -> Curve:
    """A cubic curve from p to s by way of q and r."""
    path = f"M{p[0]:.1f},{p[1]:.1f} C" + " ".join(f"{x:.1f},{y:.1f}" for x, y in (q, r, s))
    points = []
    for t in (k / _ALONG for k in range(_ALONG + 1)):
        weights = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
        x, y = (sum(w * c for w, c in zip(weights, along)) for along in zip(p, q, r, s))
        points.append((x, y))
    return path, tuple(points), outwards
