"""Where the arrays of a program with loops lie on a card: near, in memory that a block shares, or
far, in a thread's own."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from touchback.symbolic.rolled import Loop, Rolled

Time = tuple[int, int]  # part, and iteration
Life = tuple[Time, Time]  # of an entry: when it comes, and when it is needed last
AHEAD = 5  # iterations at most by which loops read far arrays ahead, also beyond the last
_WIDER = 4  # places by which a row grows for an array more
_AT_FIRST: Time = (-1, 0)
_TO_THE_END = 1 << 30  # of a part


class Placed(NamedTuple):
    """Where an array lies: entry k at `first` + `step` · k, near or far."""

    near: bool
    first: int
    step: int


@dataclass(frozen=True)
class Layout:
    """Of each array where it lies, and how many places there are, near and far."""

    places: list[Placed]
    near: int
    far: int

    def place(self, array: int, first: int, step: int = 0) -> str:
        """The text of the entry `first` + `step` · t: loops move pointers to both sides."""
        near, start, way = self.places[array]
        at, moved = start + way * first, way * step
        if near:
            return f"{('own', 'up', 'down')[moved]}[{at} * BLOCK]"
        return f"{('far', 'far_up', 'far_down')[moved]}[{at}]"


def lay_out(rolled: Rolled, room: int) -> Layout:
    """Near ones in at most so many places, first those that the shortest loops read, which have
    least to do while they wait. At both ends of either memory places are free, since loops read
    ahead."""
    places = [Placed(False, 0, 1)] * len(rolled.arrays)
    size = {True: 1, False: AHEAD}
    length = {
        each.array: len(loop.made)
        for loop in sorted(rolled.loops, key=lambda loop: -len(loop.made))
        for each in loop.fetched
    }
    rows = _shared_rows(_lives(rolled))
    for row in sorted(rows, key=lambda row: min(length.get(k, 0) for k in row.arrays)):
        near = size[True] + row.size < room
        for number, (first, step) in row.arrays.items():
            places[number] = Placed(near, size[near] + first - row.low, step)
        size[near] += row.size
    return Layout(places, size[True] + 1, size[False] + AHEAD)


class _Row:
    """Places that arrays share: an entry may come where another one was read for the last time.
    Loops read before they write."""

    def __init__(self) -> None:
        self.low, self.high = 0, 0
        self.arrays: dict[int, tuple[int, int]] = {}  # place of entry 0, and step
        self._taken: dict[int, list[Life]] = defaultdict(list)

    @property
    def size(self) -> int:
        """How many places."""
        return self.high - self.low

    def takes(self, number: int, life: dict[int, Life]) -> bool:
        """Forwards or backwards, if there is room, or with a few places more."""
        low, high = min(life), max(life)
        size = high - low + 1
        spare = max(self.size - size, 0)
        wider = [at for k in range(1, _WIDER + 1) for at in (-k, spare + k)] if self.arrays else []
        for start in (self.low + at for at in (*range(spare + 1), *wider)):
            for first, step in ((start - low, 1), (start + high, -1)):
                if all(self._free(first + step * k, span) for k, span in life.items()):
                    for k, span in life.items():
                        self._taken[first + step * k].append(span)
                    self.low, self.high = min(self.low, start), max(self.high, start + size)
                    self.arrays[number] = first, step
                    return True
        return False

    def _free(self, place: int, life: Life) -> bool:
        return all(life[1] <= start or end <= life[0] for start, end in self._taken[place])


def _shared_rows(lives: list[dict[int, Life]]) -> list[_Row]:
    rows: list[_Row] = []
    for number in sorted(range(len(lives)), key=lambda k: min(lives[k].values())):
        if not any(row.takes(number, lives[number]) for row in rows):
            rows.append(_Row())
            rows[-1].takes(number, lives[number])
    return rows


def _lives(rolled: Rolled) -> list[dict[int, Life]]:
    """Of each entry of each array when it comes and when it is needed last."""
    came = {node: (number, 0) for number, part in enumerate(rolled.parts)
            if not isinstance(part, Loop) for node in part}  # fmt: skip
    stored = dict(_times(rolled, stores=True))
    last: dict[tuple[int, int], Time] = {}
    for entry, time in _times(rolled, stores=False):  # by several columns of a loop
        last[entry] = max(time, last.get(entry, time))
    lives: list[dict[int, Life]] = []
    for number, array in enumerate(rolled.arrays):
        lives.append({})
        for index, node in array.items():
            start = stored.get((number, index), came.get(node, _AT_FIRST))
            unread = start[0], start[1] + 1  # it is written all the same
            lives[-1][index] = start, max(unread, last.get((number, index), unread))
    return lives


def _times(rolled: Rolled, stores: bool) -> Iterator[tuple[tuple[int, int], Time]]:
    """When loops store entries, or when entries are read."""
    for number, part in enumerate(rolled.parts):
        if isinstance(part, Loop):
            for where in [each for _, each in part.stores] if stores else part.fetched:
                for t in range(part.count):
                    yield where.at(t), (number, t)
        if not stores:
            for node in rolled.named(part):
                if node in rolled.kept:
                    yield rolled.kept[node], (number, _TO_THE_END)
    if not stores:
        for output in rolled.program.outputs:
            if abs(output) in rolled.kept:
                yield rolled.kept[abs(output)], (len(rolled.parts), 0)
