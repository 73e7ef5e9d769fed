"""Stretches of a program that repeat: the same kinds of operations again and again, as the joints
of a chain make them. Signs don't count here: they depend on those of the mechanism's numbers."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from touchback.symbolic.ops import ADD, CONST, FMA, FMS, FNMA, INPUT, LOOKUP1, LOOKUP2, OPS, SUB
from touchback.symbolic.program import Program
from touchback.symbolic.reading import operands

LEAST_COUNT, LEAST_SPAN = 6, 60  # iterations and operations that are worth a loop
_LONGEST = 1000  # operations of one iteration
_KIND = {SUB: ADD, FNMA: FMA, FMS: FMA}  # of operations that differ in signs alone


@dataclass(frozen=True)
class Stretch:
    """Places in the list of computed nodes: `count` times `length` of them from `first` on."""

    first: int
    length: int
    count: int


def computed(program: Program) -> list[int]:
    """Nodes that are neither numbers nor inputs."""
    return [node for node, op in enumerate(program.op) if op not in (CONST, INPUT)]


def find_stretches(program: Program) -> list[Stretch]:
    """The longest first choice, then what is left on both sides of it; in the program's order."""
    nodes = computed(program)
    kinds = np.array([_kind(program, node) for node in nodes])
    crossings = _Crossings(program, nodes)

    def within(low: int, high: int) -> Iterator[Stretch]:
        found = _longest(kinds[low:high])
        if found is None:
            return
        first, length, span = found
        best = crossings.best_cut(low + first, length, span)
        yield from within(low, best.first)
        yield best
        yield from within(best.first + best.length * best.count, high)

    return list(within(0, len(nodes)))


def _kind(program: Program, node: int) -> int:
    op = program.op[node]
    if op in (LOOKUP1, LOOKUP2):
        return len(OPS) + program.c[node]  # of the same table
    return _KIND.get(op, op)


def _longest(kinds: np.ndarray) -> tuple[int, int, int] | None:
    """First place, period and span of what repeats for longest; the shortest of equal periods."""
    best = None
    size = len(kinds)
    for length in range(1, min(_LONGEST, size // LEAST_COUNT) + 1):
        differ = np.flatnonzero(kinds[length:] != kinds[: size - length])
        edges = np.concatenate([[-1], differ, [size - length]])
        runs = np.diff(edges) - 1
        longest = int(np.argmax(runs))
        span = int(runs[longest]) + length
        if span >= max(LEAST_SPAN, LEAST_COUNT * length) and (best is None or span > best[2]):
            best = int(edges[longest]) + 1, length, span
    return best


class _Crossings:
    """How many values are handed on at each place of a program."""

    def __init__(self, program: Program, nodes: list[int]) -> None:
        place = {node: k for k, node in enumerate(nodes)}
        self._last = list(range(len(nodes)))  # where each is needed last
        for k, node in enumerate(nodes):
            for each in operands(program, node):
                if each in place:
                    self._last[place[each]] = k

    def best_cut(self, first: int, length: int, span: int) -> Stretch:
        """Begin an iteration where least is handed on to the next."""
        middle = first + span // 2 // length * length
        handed = [0] * length
        for place in range(max(first, middle - length), middle + length):
            reach = min(self._last[place], place + length)
            for cut in range(max(place + 1, middle), min(reach + 1, middle + length)):
                handed[cut - middle] += 1
        offset = min(range(length), key=handed.__getitem__)
        return Stretch(first + offset, length, (span - offset) // length)
