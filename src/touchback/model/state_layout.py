"""Places for the modes of a crowded state graph: cells of a honeycomb, so that few arrows cross."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence

import numpy as np

Cell = tuple[float, float]  # column and row
_CROSSING, _THROUGH = 2.0, 40.0  # what they cost, in lengths of one cell
_STARTS = 16  # orders from which exchanges begin
_NEAR = 0.42  # of a cell: an arrow that passes a cell nearer than this leads through it


def arranged(count: int, edges: Sequence[tuple[int, int]]) -> list[Cell]:
    """A cell for each of the nodes. Two of them are exchanged as long as that helps; the best of
    several beginnings is taken, always the same ones."""
    across = math.ceil(math.sqrt(count))
    columns, rows = across + 1, math.ceil(count / across) + 1  # more than needed: room to turn
    cells = [(x + 0.5 * (y % 2), float(y)) for y in range(rows) for x in range(columns)]
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
        pairs = list(itertools.combinations(range(len(cells)), 2))
        self.number = np.zeros((len(cells), len(cells)), dtype=int)
        for k, (i, j) in enumerate(pairs):
            self.number[i, j] = self.number[j, i] = k
        ends = [(cells[i], cells[j]) for i, j in pairs]
        self.length = np.array([math.dist(a, b) for a, b in ends])
        self.crossing = np.array([[_cross(a, b) for b in ends] for a in ends], dtype=float)
        self.through = np.array([[_passes(a, cell) for cell in cells] for a in ends], dtype=float)
        self.sources = np.array([i for i, _ in edges], dtype=int)
        self.targets = np.array([j for _, j in edges], dtype=int)

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
                if i >= count:
                    continue
                order[i], order[j] = order[j], order[i]
                changed = self.cost(order, count)
                if changed < cost - 1e-9:
                    cost, better = changed, True
                else:
                    order[i], order[j] = order[j], order[i]
        return cost


def _side(a: Cell, b: Cell, c: Cell) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _cross(one: tuple[Cell, Cell], other: tuple[Cell, Cell]) -> bool:
    """Whether two arrows cross between their ends."""
    if set(one) & set(other):
        return False
    (a, b), (c, d) = one, other
    return _side(a, b, c) * _side(a, b, d) < 0.0 and _side(c, d, a) * _side(c, d, b) < 0.0


def _passes(arrow: tuple[Cell, Cell], cell: Cell) -> bool:
    """Whether an arrow leads through a cell that is none of its ends."""
    a, b = arrow
    if cell in arrow:
        return False
    length = math.dist(a, b)
    along = ((cell[0] - a[0]) * (b[0] - a[0]) + (cell[1] - a[1]) * (b[1] - a[1])) / length
    return 0.0 < along < length and abs(_side(a, b, cell)) / length < _NEAR
