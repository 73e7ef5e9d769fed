"""Arrays through which values pass from loop to loop."""

from collections.abc import Iterator
from typing import NamedTuple

from touchback.symbolic.repeats import Repeats
from touchback.symbolic.signs import Contradiction


class Entries(NamedTuple):
    """Entry `first` + t · `step` of an array in iteration t."""

    array: int
    first: int
    step: int

    def at(self, t: int) -> tuple[int, int]:
        """Array and index in iteration t."""
        return self.array, self.first + t * self.step


class LoopArrays:
    """`arrays[k]` has a node at each index. Loops read one entry in an iteration, forwards or
    backwards, and store one of a kind in each."""

    def __init__(self, repeats: Repeats) -> None:
        self._repeats = repeats
        self.arrays: list[dict[int, int]] = []
        self._at: dict[int, list[tuple[int, int]]] = {}

    def column(self, nodes: list[int]) -> Entries:
        """Where these are, one after the other; what isn't there yet is put there."""
        for t, node in enumerate(nodes):
            for number, index in self._at.get(node, ()):
                for step in (1, -1):
                    found = Entries(number, index - step * t, step)
                    if self._fits(nodes, found):
                        self._put(nodes, found)
                        return found
        self.arrays.append({})
        fresh = Entries(len(self.arrays) - 1, 0, 1)
        self._put(nodes, fresh)
        return fresh

    def beside(self, node: int) -> tuple[int, int] | None:
        """Where an argument is, or the place next to two neighbours of its own input array."""
        if node in self._at:
            return self._at[node][0]
        inputs = self._repeats.program.inputs
        array, index = inputs[node]
        for number in reversed(range(len(self.arrays))):
            known = {inputs[each]: at for at, each in self.arrays[number].items() if each in inputs}
            for way in (1, -1):
                one, two = known.get((array, index + way)), known.get((array, index + 2 * way))
                if one is not None and two is not None and abs(two - one) == 1:
                    place = Entries(number, 2 * one - two, 1)
                    if self._fits([node], place):
                        self._put([node], place)
                        return place.at(0)
        return None

    def complete(self) -> None:
        """Loops store in every iteration: so there is an entry for each."""
        for number in range(len(self.arrays)):
            for loop, j in self._producers(number):
                where = self._line(number, loop, j)
                nodes = [row[j] for row in self._repeats.loops[loop].nodes]
                if not self._fits(nodes, where):
                    raise Contradiction
                self._put(nodes, where)

    def stored(self, loop: int) -> Iterator[tuple[int, Entries]]:
        """What a loop stores: (operation, where)."""
        for number in range(len(self.arrays)):
            for each, j in self._producers(number):
                if each == loop:
                    yield j, self._line(number, loop, j)

    def _fits(self, nodes: list[int], where: Entries) -> bool:
        array = self.arrays[where.array]
        there = set(array.values())
        for t, node in enumerate(nodes):
            found = array.get(where.at(t)[1])
            if found != node and (found is not None or node in there):
                return False
        return True

    def _put(self, nodes: list[int], where: Entries) -> None:
        for t, node in enumerate(nodes):
            number, index = where.at(t)
            if index not in self.arrays[number]:
                self.arrays[number][index] = node
                self._at.setdefault(node, []).append((number, index))

    def _producers(self, number: int) -> list[tuple[int, int]]:
        place = self._repeats.place
        found = (place[node] for node in self.arrays[number].values() if node in place)
        return list({(loop, j): None for loop, _, j in found})

    def _line(self, number: int, loop: int, j: int) -> Entries:
        """Where a loop stores operation j, by two of its iterations."""
        place = self._repeats.place
        points = [
            (place[node][1], index)
            for index, node in self.arrays[number].items()
            if node in place and place[node][0::2] == (loop, j)
        ]
        (t, index), (then, other) = points[0], points[-1]
        step = (other - index) // (then - t) if then != t else 1
        return Entries(number, index - step * t, step)
