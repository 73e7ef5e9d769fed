"""Elimination of sparse symmetric matrices, worked out once: order, fill, and flat index lists.

The numbers follow in C (sparse.c) along these lists. Davis, Direct Methods for Sparse Linear
Systems (2006), chapters 4 and 7.
"""

import heapq
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int32]


def minimum_degree(
    size: int, pairs: Iterable[tuple[int, int]], after: Mapping[int, Set[int]] | None = None
) -> list[int]:
    """An order of the unknowns 0 … size − 1 in which elimination fills little.

    Always the unknown with the fewest neighbours left, among those for which everything in
    `after` (unknown → unknowns that must come before it) is gone.
    """
    neighbours: list[set[int]] = [set() for _ in range(size)]
    for i, j in pairs:
        if i != j:
            neighbours[i].add(j)
            neighbours[j].add(i)
    waiting = {i: set(before) for i, before in (after or {}).items() if before}
    blocks: dict[int, list[int]] = {}
    for i, before in waiting.items():
        for j in before:
            blocks.setdefault(j, []).append(i)
    heap = [(len(neighbours[i]), i) for i in range(size) if i not in waiting]
    heapq.heapify(heap)
    gone = [False] * size
    order: list[int] = []
    while heap:
        degree, k = heapq.heappop(heap)
        if gone[k] or degree != len(neighbours[k]):
            continue  # an entry that has been overtaken
        gone[k] = True
        order.append(k)
        around = neighbours[k]
        for i in around:
            neighbours[i] |= around
            neighbours[i] -= {i, k}
        for i in blocks.get(k, ()):
            waiting[i].discard(k)
            if not waiting[i]:
                del waiting[i]
                heapq.heappush(heap, (len(neighbours[i]), i))
        for i in around:
            if i not in waiting:
                heapq.heappush(heap, (len(neighbours[i]), i))
    return order


@dataclass(frozen=True)
class Elimination:
    """The static part of L D Lᵀ (tb_ldl of sparse.h): `values` of a factorisation are the diagonal
    by place, then the entries below it column by column."""

    order: Indices  # place → unknown
    place: Indices  # unknown → place
    starts: Indices
    rows: Indices
    targets: Indices
    below: list[dict[int, int]]  # by column: row → index among the entries below the diagonal

    @property
    def size(self) -> int:
        return len(self.order)

    @property
    def value_count(self) -> int:
        return self.size + int(self.starts[-1])

    def value_index(self, i: int, j: int) -> int:
        """Where the entry (i, j) of the matrix belongs in the values; unknowns, not places."""
        first, second = sorted((int(self.place[i]), int(self.place[j])))
        return first if first == second else self.size + self.below[first][second]


def eliminate(pairs: Iterable[tuple[int, int]], order: Sequence[int]) -> Elimination:
    """The lists for a pattern (pairs of unknowns) and an order."""
    size = len(order)
    place = np.empty(size, dtype=np.int32)
    place[np.asarray(order, dtype=np.int64)] = np.arange(size, dtype=np.int32)
    columns: list[set[int]] = [set() for _ in range(size)]
    for i, j in pairs:
        first, second = sorted((int(place[i]), int(place[j])))
        if first != second:
            columns[first].add(second)
    for column in columns:
        if column:
            next_one = min(column)
            columns[next_one] |= column - {next_one}
    sorted_columns = [sorted(column) for column in columns]
    starts = np.cumsum([0, *map(len, sorted_columns)]).astype(np.int32)
    below = [
        {row: int(start) + k for k, row in enumerate(column)}
        for start, column in zip(starts, sorted_columns)
    ]
    targets = [
        a if a == b else size + below[a][b]
        for column in sorted_columns
        for k, a in enumerate(column)
        for b in column[k:]
    ]
    return Elimination(
        np.asarray(order, dtype=np.int32),
        place,
        starts,
        np.array([row for column in sorted_columns for row in column], dtype=np.int32),
        np.array(targets, dtype=np.int32),
        below,
    )
