"""A model as a graph of objects, as SVG: bodies tell constraints their twists, constraints answer
with wrenches (Kosenko 2015, §2 and figure 1)."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from touchback import Expr, Free, Model
from touchback.draw.layered_layout import Point, layered
from touchback.draw.state_shapes import cut
from touchback.figure_style import (
    ACCENT,
    FILL,
    FIRST,
    GREEN,
    INK,
    LETTER,
    LINE,
    PALE,
    PAPER,
    SOFT,
    WATER,
    svg_page,
    text_svg,
)
from touchback.model import GROUND, coordinate_of, expressions_of, flatten, frames_of, map_fields
from touchback.model.model_text import kind_text, value_text

if TYPE_CHECKING:
    from touchback import Model


_LONGEST = 26  # characters of a line


BODY, JOINT = "body", "joint"


@dataclass
class GraphElement:
    """A body, constraint or force: its kind, its name, a line about it, the bodies that it meets at
    ports (in the order A, B) and the joints in whose coordinates it acts."""

    kind: str
    name: str
    about: str
    bodies: list[str] = field(default_factory=list)
    joints: list[str] = field(default_factory=list)
    active: bool = True

    @property
    def key(self) -> tuple[str, str]:
        """Names are shared by things of different kinds."""
        return self.kind, self.name


def elements_of(model: Model) -> list[GraphElement]:
    """All things of a model: bodies first, the ground before them. A free joint ties nothing, so
    that it is there only where something acts in its coordinates."""
    flat = flatten(model)
    found = [GraphElement(BODY, GROUND, "")]
    for name, body in flat.bodies.items():
        unit = "" if isinstance(body.mass, Expr) else " kg"
        found.append(GraphElement(BODY, name, cut(f"{value_text(body.mass)}{unit}", _LONGEST)))
    others = list(_acting(flat))
    acted = {joint for thing in others for joint in thing.joints}
    for name, joint in flat.joints.items():
        if name in acted or not isinstance(joint.kind, Free):
            ends = [joint.parent.body, joint.child.body]
            found.append(GraphElement(JOINT, name, cut(kind_text(joint.kind), _LONGEST), ends))
    return found + others


def _acting(flat: Model) -> Iterator[GraphElement]:
    """Everything besides bodies and joints, in the order of a model's lists."""
    for name, closure in flat.closures.items():
        ends = [closure.a.body, closure.b.body]
        about = cut(kind_text(closure.kind), _LONGEST)
        yield GraphElement("closure", name, about, ends, [], closure.active)
    for kind in ("coupling", "constraint", "drive", "contact", "force"):
        for name, given in getattr(flat, f"{kind}s").items():
            bodies = list(dict.fromkeys(frame.body for frame in frames_of(given)))
            about = str(getattr(given.__struct_config__, "tag", None) or _written(given))
            joints = list(dict.fromkeys(_joints(flat, given, bool(bodies))))
            active = getattr(given, "active", True)
            yield GraphElement(kind, name, cut(about, _LONGEST), bodies, joints, active)


def _written(given: Any) -> str:
    """What a written constraint or a drive keeps."""
    if given.position is None:
        return "a velocity"
    return f"= {value_text(given.position)}" if hasattr(given, "joint") else "a position"


def _joints(flat: Model, given: Any, on_bodies: bool) -> Iterator[str]:
    """Joints that are named, and, of what acts on no body, those whose coordinates it reads."""
    named: list[str] = []

    def note(joint: str) -> str:
        named.append(coordinate_of(flat.joints, joint)[0])
        return joint

    map_fields(given, lambda x: x, lambda x: x, note)
    yield from named
    if named or on_bodies:
        return
    reading = {f"{letter}:{full}": name for letter in "qv" for full, name in _coordinates(flat)}
    for expression in expressions_of(given):
        yield from (reading[name] for name in _symbols(expression) if name in reading)


def _coordinates(flat: Model) -> Iterator[tuple[str, str]]:
    for name, joint in flat.joints.items():
        for full in {*joint.position_names(name), *joint.velocity_names(name)}:
            yield full, name


def _symbols(expression: Expr) -> Iterator[str]:
    """Names of what an expression is made of."""
    tape = expression.tape
    seen, waiting = {abs(expression.id)}, [abs(expression.id)]
    while waiting:
        part = waiting.pop()
        if part in tape.names:
            yield str(tape.names[part])
        fresh = {abs(operand) for operand in tape.operands(part)} - seen
        seen |= fresh
        waiting += sorted(fresh)


_MARGIN, _ACROSS, _DOWN = 20.0, 78.0, 16.0  # around the page, between columns and nodes [px]


_PORT = 13.0  # between ports on one side [px]


_BESIDE = 2.4  # a twist and its wrench from their middle [px]


_SAME = 0.1  # nearer ones are printed as one place [px]


_NAME, _ABOUT = 24, 30  # characters


_COLOURS = {
    JOINT: INK, "closure": GREEN, "coupling": GREEN, "constraint": GREEN, "drive": ACCENT,
    "contact": SOFT, "force": PALE,
}  # fmt: skip


_MARKS = f"""<defs>
<marker id="twist" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" \
orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="{WATER}"/></marker>
<marker id="wrench" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" \
orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="{ACCENT}"/></marker>
</defs>"""


_LEGEND = (
    (WATER, "twist: a body shows its motion"),
    (ACCENT, "wrench: a constraint answers with force and torque"),
    (SOFT, "rate and effort of one coordinate of a joint"),
)


def object_graph_svg(model: Model) -> str:
    """A picture of bodies (round) and of what acts between them (square), with a twist port and a
    wrench port wherever two of them meet. What acts in a joint's coordinate, as a motor does, hangs
    on the joint. Constraints that rest are dashed; those to the ground that close loops and forces
    from it have a mark instead of a long line."""
    return _Drawing(elements_of(model)).page(f"Objects of {model.name}")


@dataclass(frozen=True)
class _Meeting:
    """Where a thing meets a body, as A or B, or a joint (`side` empty)."""

    thing: int
    other: int
    side: str


class _Drawing:
    """Things in columns: the ground first, then joints and bodies in turns, others right of what
    they act on."""

    def __init__(self, things: Sequence[GraphElement]) -> None:
        self.things = things
        number = {thing.key: i for i, thing in enumerate(things)}
        self.meetings = list(_meetings(things, number))
        self.grounded = {
            i for i, thing in enumerate(things) if _stands(thing) and GROUND in thing.bodies
        }
        self.columns = _columns(things, number)
        self.edges = [
            (x.other, x.thing)
            if self.columns[x.other] < self.columns[x.thing]
            else (x.thing, x.other)
            for x in self.meetings
        ]
        rights, lefts = (Counter(ends) for ends in zip(*self.edges)) if self.edges else ({}, {})
        self.sizes = [
            _size(thing, max(rights.get(i, 0), lefts.get(i, 0)), i in self.grounded)
            for i, thing in enumerate(things)
        ]
        self.layout = layered(self.sizes, self.columns, self.edges, _ACROSS, _DOWN)

    def page(self, title: str) -> str:
        """The drawing with its legend."""
        halves = [(w / 2, h / 2) for w, h in self.sizes]
        places = self.layout.places
        points = [point for route in self.layout.routes for point in route]
        left = min(x - w for (x, _), (w, _) in zip(places, halves)) - _MARGIN
        right = max(x + w for (x, _), (w, _) in zip(places, halves)) + _MARGIN
        tops = [y - h for (_, y), (_, h) in zip(places, halves)] + [y for _, y in points]
        lows = [y + h for (_, y), (_, h) in zip(places, halves)] + [y for _, y in points]
        top, bottom = min(tops) - _MARGIN, max(lows) + _MARGIN
        width = max(right - left, 460.0)
        parts = [_MARKS, f'<g transform="translate({-left:.1f} {-top:.1f})">']
        parts += [*self._lines(), *self._nodes(), "</g>"]
        for k, (colour, words) in enumerate(_LEGEND):
            y = bottom - top + 4.0 + k * (LINE + 2.0)
            parts.append(_line([(_MARGIN, y), (_MARGIN + 26.0, y)], colour, ""))
            parts.append(text_svg(words, _MARGIN + 34.0, y + 4.0, 'text-anchor="start"'))
        return svg_page(width, bottom - top + 3.0 * (LINE + 2.0) + 8.0, title, parts)

    def _lines(self) -> Iterator[str]:
        """Of each meeting a twist and a wrench, or one line for a coordinate."""
        for meeting, edge, route in zip(self.meetings, self.edges, self._routes(), strict=True):
            to_thing = route if edge[1] == meeting.thing else route[::-1]
            dashes = "" if self.things[meeting.thing].active else ' stroke-dasharray="5 4"'
            if not meeting.side:
                yield _line(to_thing, SOFT, dashes)
                yield _dot(to_thing[0], SOFT)
                continue
            twist = [(x, y - _BESIDE) for x, y in to_thing]
            wrench = [(x, y + _BESIDE) for x, y in reversed(to_thing)]
            yield _line(twist, WATER, f'{dashes} marker-end="url(#twist)"')
            yield _line(wrench, ACCENT, f'{dashes} marker-end="url(#wrench)"')
            yield _dot(twist[0], WATER)
            yield _dot(wrench[0], ACCENT)
            x, y = to_thing[-1]
            aside = 8.0 if x < to_thing[-2][0] else -8.0
            yield text_svg(meeting.side, x + aside, y - 5.0, f'fill="{SOFT}" font-size="8"')

    def _routes(self) -> list[list[Point]]:
        """Lines from border to border, level within columns; those that share a side of a node keep
        apart there."""
        layout = self.layout
        ends: list[list[list[Point]]] = [[[], []] for _ in self.edges]
        for node, (x, y) in enumerate(layout.places):
            for place, aside in ((0, 1.0), (1, -1.0)):
                own = [k for k, edge in enumerate(self.edges) if edge[place] == node]
                own.sort(key=lambda k: layout.routes[k][1 if place == 0 else -2][1])
                for i, k in enumerate(own):
                    at = y + _PORT * (i - (len(own) - 1) / 2)
                    reach = self.sizes[node][0], layout.widths[self.columns[node]]
                    ends[k][place] = [(x + aside * width / 2, at) for width in reach]
        return [
            _distinct([*first, *route[1:-1], *reversed(last)])
            for (first, last), route in zip(ends, layout.routes, strict=True)
        ]

    def _nodes(self) -> Iterator[str]:
        for i, (thing, (x, y), (w, h)) in enumerate(
            zip(self.things, self.layout.places, self.sizes, strict=True)
        ):
            body = thing.kind == BODY
            fill = FIRST if thing.name == GROUND and body else FILL if body else PAPER
            dashes = "" if thing.active else ' stroke-dasharray="5 4"'
            yield (
                f'<rect x="{x - w / 2:.1f}" y="{y - h / 2:.1f}" width="{w:.1f}" height="{h:.1f}" '
                f'rx="{min(h / 2, 20.0) if body else 3.0:.1f}" fill="{fill}" '
                f'stroke="{_COLOURS.get(thing.kind, INK)}" stroke-width="1.4"{dashes}/>'
            )
            lines = _texts(thing)
            base = y - (len(lines) - 1) * LINE / 2 + 4.0
            for k, line in enumerate(lines):
                style = f'fill="{SOFT}"' if k else f'fill="{INK}" font-size="12" font-weight="bold"'
                yield text_svg(line, x, base + k * LINE, style)
            if i in self.grounded:
                yield _ground_mark(x, y + h / 2)


def _stands(thing: GraphElement) -> bool:
    """Whether the ground is marked at a thing, instead of a line to it."""
    return thing.kind not in (BODY, JOINT)


def _meetings(
    things: Sequence[GraphElement], number: dict[tuple[str, str], int]
) -> Iterator[_Meeting]:
    for i, thing in enumerate(things):
        sides = "AB" if len(thing.bodies) == 2 else "B" if len(thing.bodies) == 1 else None
        for k, body in enumerate(thing.bodies):
            if (BODY, body) in number and not (_stands(thing) and body == GROUND):
                yield _Meeting(i, number[BODY, body], sides[k] if sides else str(k + 1))
        for joint in thing.joints:
            if (JOINT, joint) in number:
                yield _Meeting(i, number[JOINT, joint], "")


def _columns(things: Sequence[GraphElement], number: dict[tuple[str, str], int]) -> list[int]:
    """Bodies by how many joints away from the ground they are; those that no joint ties stand right
    of the closures that do; what else acts, right of all that it meets."""
    found = {number[BODY, GROUND]: 0}
    waiting = deque([GROUND])
    joints = [(i, thing) for i, thing in enumerate(things) if thing.kind == JOINT]
    while waiting:
        body = waiting.popleft()
        for i, thing in joints:
            child = number[BODY, thing.bodies[1]]
            if thing.bodies[0] == body and child not in found:
                found[i] = found[number[BODY, body]] + 1
                found[child] = found[i] + 1
                waiting.append(thing.bodies[1])
    for late in (False, True):
        for i, thing in enumerate(things):
            if i in found or thing.kind == BODY:
                continue
            met = [number[BODY, x] for x in thing.bodies if (BODY, x) in number]
            met += [number[JOINT, x] for x in thing.joints if (JOINT, x) in number]
            known = [found[x] for x in met if x in found]
            if known or late:
                found[i] = max(known, default=0) + 1
        for i, thing in enumerate(things):
            if i not in found and thing.kind == BODY:
                tied = [
                    found[k]
                    for k, other in enumerate(things)
                    if k in found and thing.name in other.bodies
                ]
                found[i] = max(tied, default=0) + 1
    return [found[i] for i in range(len(things))]


def _texts(thing: GraphElement) -> list[str]:
    """The name in bold, and what it is."""
    about = [thing.about] if thing.about else []
    if thing.kind not in (BODY, JOINT, "force"):
        about = [cut(f"{thing.kind} {thing.about}", _ABOUT)]
    return [cut(thing.name, _NAME), *about]


def _size(thing: GraphElement, ports: int, grounded: bool) -> Point:
    """Width and height of a node with so many ports on its fuller side."""
    lines = _texts(thing)
    widest = max(len(line) * (1.12 if k == 0 else 1.0) for k, line in enumerate(lines))
    return widest * LETTER + 22.0, max(len(lines) * LINE + 12.0, ports * _PORT + 8.0)


def _distinct(points: Sequence[Point]) -> list[Point]:
    """Points without those at the place of the one before: an arrow there had no direction."""
    return [points[0], *(b for a, b in pairwise(points) if math.dist(a, b) > _SAME)]


def _line(points: Sequence[Point], colour: str, more: str) -> str:
    """A smooth line through points, level at each."""
    path = f"M{points[0][0]:.1f},{points[0][1]:.1f}"
    for (x, y), (u, v) in pairwise(points):
        middle = (x + u) / 2
        path += f" C{middle:.1f},{y:.1f} {middle:.1f},{v:.1f} {u:.1f},{v:.1f}"
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.3"{more}/>'


def _dot(point: Point, colour: str) -> str:
    return f'<circle cx="{point[0]:.1f}" cy="{point[1]:.1f}" r="2.2" fill="{colour}"/>'


def _ground_mark(x: float, y: float) -> str:
    """The ground below a thing that stands on it."""
    strokes = " ".join(f"M{x + dx:.1f},{y:.1f} l-4,5" for dx in (-8, -2, 4, 10))
    return (
        f'<path d="M{x - 11:.1f},{y:.1f} h22 {strokes}" stroke="{SOFT}" stroke-width="1.3" '
        'fill="none"/>'
    )
