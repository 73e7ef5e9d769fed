"""A crowded state graph: modes in a honeycomb, arrows with numbers, transitions listed below."""

from __future__ import annotations

import itertools
import math
import random
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from touchback.draw.state_shapes import Oval, Point, cause_text, cut, path_svg
from touchback.figure_style import INK, LETTER, LINE, SOFT, rimmed_svg, text_svg
from touchback.model import ModeGroup

if TYPE_CHECKING:
    from touchback import Model


Cell = tuple[float, float]  # column and row


_CROSSING, _THROUGH = 2.0, 40.0  # what they cost, in lengths of one cell


_STARTS = 16  # orders from which exchanges begin


_LOOKS = 3.2e7  # exchanges that are tried, times the square of arrows: about a second


_MOST = 40  # modes that are arranged; more stand in the order of their description


_NEAR = 0.42  # of a cell: an arrow that passes a cell nearer than this leads through it


def arranged(count: int, edges: Sequence[tuple[int, int]]) -> list[Cell]:
    """A cell for each of the nodes. Two of them are exchanged as long as that helps; the best of
    several beginnings is taken, always the same ones."""
    across = math.ceil(math.sqrt(count))
    columns, rows = across + 1, math.ceil(count / across) + 1  # more than needed: room to turn
    cells = [(x + 0.5 * (y % 2), float(y)) for y in range(rows) for x in range(columns)]
    if count > _MOST:
        return cells[:count]
    board, chance = _Board(cells, edges), random.Random(1)
    best, least = list(range(len(cells))), math.inf
    for start in range(_STARTS):
        order = list(range(len(cells)))
        if start:
            chance.shuffle(order)
        cost = board.improve(order, count)
        if cost < least - 1e-9:
            best, least = order, cost
    return [cells[place] for place in best[:count]]


class _Board:
    """Costs of arrows between cells, known ahead for every two cells and every two arrows."""

    def __init__(self, cells: list[Cell], edges: Sequence[tuple[int, int]]) -> None:
        ends = np.array(list(itertools.combinations(range(len(cells)), 2)))
        i, j = ends.T
        self.number = np.zeros((len(cells), len(cells)), dtype=int)
        self.number[i, j] = self.number[j, i] = np.arange(len(ends))
        at = np.array(cells)
        along = at[j] - at[i]
        self.length = np.hypot(*along.T)
        to = at[None] - at[i][:, None]  # from where an arrow begins to each cell
        side = along[:, :1] * to[..., 1] - along[:, 1:] * to[..., 0]
        parted = side[:, i] * side[:, j] < 0.0  # its line parts the ends of the other
        self.crossing = (parted & parted.T).astype(float)
        forward = (along[:, None] * to).sum(axis=2) / self.length[:, None]
        inside = (forward > 0.0) & (forward < self.length[:, None])
        near = np.abs(side) / self.length[:, None] < _NEAR
        own = np.arange(len(cells)) == ends[..., None]
        self.through = (inside & near & ~own.any(axis=1)).astype(float)
        self.sources = np.array([i for i, _ in edges], dtype=int)
        self.targets = np.array([j for _, j in edges], dtype=int)
        self.looks = int(_LOOKS / max(len(edges), 40) ** 2)

    def cost(self, order: list[int], count: int) -> float:
        """Lengths, crossings, and arrows that lead through others' cells."""
        place = np.array(order)
        arrows = self.number[place[self.sources], place[self.targets]]
        crossings = self.crossing[np.ix_(arrows, arrows)].sum() / 2
        through = self.through[np.ix_(arrows, place[:count])].sum()
        return float(self.length[arrows].sum() + _CROSSING * crossings + _THROUGH * through)

    def improve(self, order: list[int], count: int) -> float:
        """Exchanges until none helps."""
        cost, better = self.cost(order, count), True
        while better:
            better = False
            for i, j in itertools.combinations(range(len(order)), 2):
                if i >= count or self.looks <= 0:
                    continue
                self.looks -= 1
                order[i], order[j] = order[j], order[i]
                changed = self.cost(order, count)
                if changed < cost - 1e-9:
                    cost, better = changed, True
                else:
                    order[i], order[j] = order[j], order[i]
        return cost


_MARGIN = 16.0  # around a drawing [px]


_BETWEEN = 74.0, 62.0  # modes, sideways and downwards [px]


_BESIDE = 4.0  # how far the two directions between two modes run from their middle [px]


_FROM = 15.0  # along an arrow from its mode to its number [px]


_WIDE = 20  # characters of a mode's name in one line


_ENTRY = 66  # characters of an entry in the list, at most


_COLUMNS = 3  # of the list


@dataclass(frozen=True)
class _Listed:
    """A transition out of one mode: its number and where it leads."""

    number: int
    text: str
    cause: str
    source: str
    target: str
    dashed: bool


def arrow_count(group: ModeGroup) -> int:
    """How many arrows a group of modes has."""
    return sum(
        len(each.source) * (1 if each.rest is None else 2) for each in group.transitions.values()
    )


class StateMap:
    """One group: modes that arrows join stand near each other, and both directions between two
    modes run side by side."""

    def __init__(self, model: Model, group: ModeGroup) -> None:
        self.group = group
        self.listed = list(_listed(group))
        modes = group.modes
        edges = {
            tuple(sorted((modes.index(each.source), modes.index(each.target))))
            for each in self.listed
            if each.source != each.target
        }
        cells = arranged(len(modes), sorted((i, j) for i, j in edges))
        boxes = [_box(model, group, name) for name in modes]
        across, down = (
            2.0 * max(box.half[axis] for box in boxes) + _BETWEEN[axis] for axis in (0, 1)
        )
        self.places = {
            name: Oval(box.names, box.lines, across * x, down * y)
            for name, box, (x, y) in zip(modes, boxes, cells, strict=True)
        }
        corners = [corner for oval in self.places.values() for corner in oval.corners()]
        self.left = min(x for x, _ in corners) - 40.0
        self.top = min(y for _, y in corners) - 40.0
        self.below = max(y for _, y in corners) + 64.0
        longest = max(len(word) for each in self.listed for word in (each.text, f"   {each.cause}"))
        self.entry = LETTER * (min(longest, _ENTRY) + 3.0)  # the width of a column [px]
        self.list = list(self._columns())
        lowest = max(y for _, _, y, _ in self.list)
        right = max(max(x for x, _ in corners) + 60.0, self.left + _COLUMNS * self.entry)
        self.width = right - self.left + 2 * _MARGIN
        self.height = lowest + LINE - self.top + 2 * _MARGIN

    def placed(self, top: float) -> str:
        """The move that brings the drawing below `top`."""
        return f"translate({_MARGIN - self.left:.1f} {top + _MARGIN - self.top:.1f})"

    def drawn(self) -> Iterator[str]:
        """Arrows, modes above them, numbers above both, and the list."""
        numbers: list[tuple[str, Point]] = []
        for (source, target, dashed), led in self._bundles().items():
            shown = ", ".join(str(each.number) for each in led)
            a, b = self.places[source], self.places[target]
            path, places = _loop(a, self._arrow_ends(source)) if a is b else _straight(a, b, dashed)
            yield path_svg(path, dashed)
            numbers.append((shown, _free(shown, places, numbers, list(self.places.values()))))
        for name, oval in self.places.items():
            yield from oval.drawn(name == self.group.initial, name)
        for shown, (x, y) in numbers:
            yield from rimmed_svg(shown, x, y + 4.0, f'fill="{INK}" font-weight="bold"')
        for text, x, y, style in self.list:
            yield text_svg(text, x, y, f'{style} text-anchor="start"')

    def _arrow_ends(self, mode: str) -> list[Point]:
        """Where arrows leave and meet a mode."""
        own = self.places[mode]
        return [
            _ends(own, self.places[other], 0.0)[0]
            for source, target, _ in self._bundles()
            for other in {source, target} - {mode}
            if mode in (source, target)
        ]

    def _bundles(self) -> dict[tuple[str, str, bool], list[_Listed]]:
        """Transitions that share an arrow."""
        found: dict[tuple[str, str, bool], list[_Listed]] = {}
        for each in self.listed:
            found.setdefault((each.source, each.target, each.dashed), []).append(each)
        return found

    def _columns(self) -> Iterator[tuple[str, float, float, str]]:
        """The list: text, place and style of each line; a mode's transitions stay together."""
        blocks = [
            [each for each in self.listed if each.source == mode] for mode in self.group.modes
        ]
        heights = [(2 * len(block) + 2) * LINE for block in blocks]
        limit, column, y = sum(heights) / _COLUMNS, 0, 0.0
        for mode, block, height in zip(self.group.modes, blocks, heights, strict=True):
            if y > 0.0 and y + 0.5 * height > limit and column < _COLUMNS - 1:
                column, y = column + 1, 0.0
            x = self.left + column * self.entry
            name = mode.removeprefix(self.group.prefix)
            yield name, x, self.below + y, 'font-size="12" font-weight="bold"'
            for k, each in enumerate(block):
                at = self.below + y + (2 * k + 1) * LINE
                yield cut(each.text, _ENTRY), x, at, ""
                yield cut(each.cause, _ENTRY - 3), x + 3 * LETTER, at + LINE, f'fill="{SOFT}"'
            y += height


def _listed(group: ModeGroup) -> Iterator[_Listed]:
    """Transitions mode by mode, numbered."""
    number = 0
    for source in group.modes:
        for name, each in group.leaving(source).items():
            number += 1
            short = name.removeprefix(group.prefix)
            short = short.removesuffix(f"; {source.removeprefix(group.prefix)}")
            ends = [(each.after(source), short, False)]
            ends += [] if each.rest is None else [(each.rest, f"{short}, to rest", True)]
            for target, words, dashed in ends:
                text = f"{number}  {words} → {target.removeprefix(group.prefix)}"
                yield _Listed(number, text, cause_text(each), source, target, dashed)


def _box(model: Model, group: ModeGroup, mode: str) -> Oval:
    named = [cut(x.removeprefix(group.prefix), _WIDE + 4) for x in model.modes[mode].active]
    words = textwrap.wrap(mode.removeprefix(group.prefix), _WIDE)
    return Oval(tuple(words), tuple(named), 0.0, 0.0)


Drawn = tuple[str, list[Point]]  # a path, and places for its number, the best first


def _ends(a: Oval, b: Oval, aside: float) -> tuple[Point, Point]:
    """Where a straight arrow leaves one mode and meets another, to the right of the middle as one
    goes."""
    length = math.dist((a.x, a.y), (b.x, b.y))
    dx, dy = (b.x - a.x) / length, (b.y - a.y) / length

    def at(s: float) -> Point:
        return a.x - dy * aside + dx * s, a.y + dx * aside + dy * s

    start, end = 0.0, length
    while start < length and a.holds(at(start)):
        start += 1.0
    while end > start and b.holds(at(end)):
        end -= 1.0
    return at(start), at(end)


def _straight(a: Oval, b: Oval, dashed: bool) -> Drawn:
    """From border to border; what comes to rest runs farther out."""
    (x, y), (u, v) = _ends(a, b, _BESIDE * (3.0 if dashed else 1.0))
    length = max(math.dist((x, y), (u, v)), 1.0)
    along = [(_FROM + 6.0 * k) / length for k in range(8)]
    return f"M{x:.1f},{y:.1f} L{u:.1f},{v:.1f}", [(x + s * (u - x), y + s * (v - y)) for s in along]


def _loop(a: Oval, met: list[Point]) -> Drawn:
    """From a mode back to itself, at the corner that is farthest from what it meets."""
    w, h = a.half
    corners = [(i * (w - 22.0), j * h) for j in (-1, 1) for i in (1, -1)]
    dx, dy = max(
        corners,
        key=lambda c: min((math.dist((a.x + c[0], a.y + c[1]), point) for point in met), default=0),
    )
    x, y, up = a.x + dx, a.y + dy, math.copysign(1.0, dy)
    path = f"M{x - 10:.1f},{y:.1f} C{x - 16:.1f},{y + 34 * up:.1f} {x + 22:.1f},{y + 34 * up:.1f} "
    return path + f"{x + 10:.1f},{y:.1f}", [(x + 2.0, y + 31.0 * up), (x + 24.0, y + 22.0 * up)]


def _free(
    shown: str, places: list[Point], taken: list[tuple[str, Point]], ovals: list[Oval]
) -> Point:
    """The first place where a number touches no other one and no mode."""
    for x, y in places:
        near = any(
            abs(x - u) < (len(shown) + len(other)) * LETTER / 2 + 2.0 and abs(y - v) < LINE - 2.0
            for other, (u, v) in taken
        )
        if not near and not any(oval.holds((x, y)) for oval in ovals):
            return x, y
    return places[0]
