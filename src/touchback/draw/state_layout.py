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
