"""Places for a graph in columns (Sugiyama, Tagawa, Toda 1981): nodes are ordered in each so that
few lines cross, and moved so that lines run level."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Point = tuple[float, float]
_SWEEPS = 24  # through all columns, to order and to level them
_LANE = 12.0  # height of a line that passes a column [px]


@dataclass
class Layered:
    """Where nodes stand (`places`, by their middle), how wide each column is, and how lines lead:
    from node to node by the points where they enter and leave columns between."""

    places: list[Point]
    widths: list[float]
    routes: list[list[Point]]


def layered(
    sizes: Sequence[Point],
    columns: Sequence[int],
    edges: Sequence[tuple[int, int]],
    across: float,
    down: float,
) -> Layered:
    """Places for nodes of these sizes [px] in given columns; an edge leads from a column to a later
    one. `across` and `down` are the spaces between columns and between nodes."""
    column, size = list(columns), list(sizes)
    paths: list[list[int]] = []
    for first, last in edges:
        path = [first]
        for between in range(columns[first] + 1, columns[last]):
            column.append(between)
            size.append((0.0, _LANE))
            path.append(len(column) - 1)
        paths.append([*path, last])
    pairs = [pair for path in paths for pair in itertools.pairwise(path)]
    orders = _ordered(column, pairs)
    heights = _levelled(orders, pairs, [h for _, h in size], down)
    widths = [max((size[node][0] for node in order), default=0.0) for order in orders]
    middles = np.cumsum([0.0, *((a + b) / 2 + across for a, b in itertools.pairwise(widths))])
    place = [(float(middles[column[i]]), heights[i]) for i in range(len(column))]
    routes = []
    for first, *passed, last in paths:
        level = [
            (place[i][0] + side * widths[column[i]] / 2, place[i][1])
            for i in passed
            for side in (-1, 1)
        ]
        routes.append([place[first], *level, place[last]])
    return Layered(place[: len(sizes)], widths, routes)


def _ordered(column: Sequence[int], pairs: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Nodes of each column from top to bottom: by the mean place of their neighbours before and
    after, in turns; the order with the fewest crossings is taken."""
    orders: list[list[int]] = [[] for _ in range(max(column, default=0) + 1)]
    for node, at in enumerate(column):
        orders[at].append(node)
    best, least = [list(order) for order in orders], _crossings(orders, column, pairs)
    for sweep in range(_SWEEPS):
        forward = sweep % 2 == 0
        near: dict[int, list[int]] = {}
        for a, b in pairs:
            near.setdefault(b if forward else a, []).append(a if forward else b)
        for order in orders if forward else reversed(orders):
            rank = {node: i for each in orders for i, node in enumerate(each)}
            order.sort(
                key=lambda node: (
                    float(np.mean([rank[x] for x in near[node]])) if node in near else rank[node]
                )
            )
        crossed = _crossings(orders, column, pairs)
        if crossed < least:
            best, least = [list(order) for order in orders], crossed
    return best


def _crossings(
    orders: Sequence[Sequence[int]], column: Sequence[int], pairs: Sequence[tuple[int, int]]
) -> int:
    rank = {node: i for each in orders for i, node in enumerate(each)}
    total = 0
    for at in range(len(orders) - 1):
        ends = np.array([(rank[a], rank[b]) for a, b in pairs if column[a] == at])
        if len(ends):
            first, last = (ends[:, None] - ends[None])[..., 0], (ends[:, None] - ends[None])[..., 1]
            total += int(np.sum(first * last < 0)) // 2
    return total


def _levelled(
    orders: Sequence[Sequence[int]],
    pairs: Sequence[tuple[int, int]],
    heights: Sequence[float],
    down: float,
) -> list[float]:
    """The middle of each node, as near as their order allows to the mean of all its neighbours."""
    near: dict[int, list[int]] = {}
    for a, b in pairs:
        near.setdefault(a, []).append(b)
        near.setdefault(b, []).append(a)
    y = [0.0] * len(heights)
    for sweep in range(_SWEEPS):
        for order in orders if sweep % 2 == 0 else orders[::-1]:
            wished = [float(np.mean([y[x] for x in near[i]])) if i in near else y[i] for i in order]
            gaps = [(heights[a] + heights[b]) / 2 + down for a, b in itertools.pairwise(order)]
            below = np.cumsum([0.0, *gaps]) if len(order) else np.zeros(0)
            for node, at in zip(order, _rising(np.array(wished) - below) + below, strict=True):
                y[node] = float(at)
    return y


def _rising(wished: np.ndarray) -> np.ndarray:
    """The numbers nearest to those wished for of which none is less than the one before: pooling
    adjacent violators."""
    blocks: list[tuple[float, int]] = []
    for number in wished:
        blocks.append((float(number), 1))
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            (a, m), (b, n) = blocks[-2:]
            blocks[-2:] = [((a * m + b * n) / (m + n), m + n)]
    return np.repeat([mean for mean, _ in blocks], [count for _, count in blocks])
