"""Which values of a long program wait outside of registers until they are needed again.

A recursion over a tree leaves values of each body for later passes: hundreds are alive at a time.
Of those that are read within some two hundred statements there are a few dozen.
"""

import heapq
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise

from touchback.symbolic.program import Program
from touchback.symbolic.reading import operands

AFRESH = 200  # statements after whose passing without a use a value is read again

Statements = Sequence[tuple[int, ...]]


@dataclass
class Kept:
    """Places of nodes that wait, and which nodes are read again before a statement."""

    places: dict[int, int] = field(default_factory=dict)
    again: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))


def keep(program: Program, ordered: Statements, first: Mapping[int, int], room: int) -> Kept:
    """Nodes of `first` lie in their places before the first statement; others take what is free of
    `room` places, for as long as they wait. Who finds none stays in registers: mostly those that
    are needed again first, as the next pass goes back the way that the last one came."""
    used = _uses(program, ordered)
    kept = Kept()
    free = sorted(set(range(room)) - set(first.values()))
    leaving: list[tuple[int, int]] = []  # (statement, place)

    def wait(node: int, made: int, place: int) -> None:
        read = _late(made, used[node])
        kept.places[node] = place
        for number in read:
            kept.again[number].append(node)
        heapq.heappush(leaving, (read[-1] if read else -1, place))

    for node, place in first.items():
        wait(node, -AFRESH - 1, place)
    for number, nodes in enumerate(ordered):
        while leaving and leaving[0][0] <= number:
            heapq.heappush(free, heapq.heappop(leaving)[1])
        for node in nodes:
            if node not in first and free and _late(number, used[node]):
                wait(node, number, heapq.heappop(free))
    return kept


def most_alive(program: Program, ordered: Statements) -> int:
    """How many values that statements compute are still to be used, where these are most."""
    used, changes = _uses(program, ordered), [0] * (len(ordered) + 1)
    for number, nodes in enumerate(ordered):
        for node in nodes:
            if used[node]:
                changes[number] += 1
                changes[used[node][-1]] -= 1
    return max(accumulate(changes))


def _late(made: int, used: Sequence[int]) -> list[int]:
    """The uses before which a value waits for long."""
    return [b for a, b in pairwise([made, *used]) if b - a > AFRESH]


def _uses(program: Program, ordered: Statements) -> dict[int, list[int]]:
    """Node → numbers of the statements that use it; sines that are results are used at the end."""
    used: dict[int, list[int]] = defaultdict(list)
    for number, nodes in enumerate(ordered):
        for node in set(operands(program, nodes[0])):
            used[node].append(number)
    made = {node for nodes in ordered for node in nodes}
    for node in {abs(output) for output in program.outputs} - made:
        used[node].append(len(ordered))
    return used
