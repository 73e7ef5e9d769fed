"""Iterations of a program that are one loop: which operand of one is which of the next, and with
which signs.

The operations of iterations are the same but for signs: where a number is negative, a sum may have
become a difference. Negation is exact, so that a loop may compute the negative of a value from the
negatives of others; which ones is found by equations between signs (see `signs`)."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

import numpy as np

from touchback.symbolic.chains import SUM_SIGNS
from touchback.symbolic.ops import (
    ADD,
    CONST,
    DIV,
    FMA,
    FMS,
    FNMA,
    INPUT,
    MUL,
    NEG,
    SIN,
    SUB,
)
from touchback.symbolic.program import Program
from touchback.symbolic.reading import operands
from touchback.symbolic.signs import PLUS, Sign, Signs, times
from touchback.symbolic.stretches import LEAST_COUNT, Stretch, computed, find_stretches

# Whether a sum's two terms are negative, or a fused operation's product and what is added to it.
TERMS = {op: (int(one < 0), int(other < 0)) for op, (one, other) in SUM_SIGNS.items()}
HERE, BEFORE, NUMBER, THERE = range(4)
Key = TypeVar("Key")


class Origin(NamedTuple):
    """Where an operand comes from: from an operation of the same iteration (HERE) or of the one
    before (BEFORE), it is a NUMBER, or from elsewhere (THERE): from an operation of another
    `loop`."""

    kind: int
    operation: int = -1
    loop: int = -1


class Ordered(NamedTuple):
    """Operands in the places of the model's, and the signs of terms."""

    operands: tuple[int, ...]
    signs: tuple[int, int]


@dataclass
class Repeat:
    """A loop: `nodes[t][j]` is operation j of iteration t, `rows[t][j]` its operands, in the order
    of those of the iteration `model`, whose origins are `origins[j]`. Signs that are open: of the
    numbers that operation j has in a place, an iteration after the other, of what BEFORE means in
    the first iteration (by operation and node), and between the terms of operation j."""

    nodes: list[list[int]]
    rows: list[list[Ordered]]
    origins: list[tuple[Origin, ...]]
    model: int
    numbers: dict[tuple[int, int], list[Sign]] = field(default_factory=dict)
    initial: dict[tuple[int, int], Sign] = field(default_factory=dict)
    between: dict[int, Sign] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """Of iterations."""
        return len(self.nodes)


class Repeats:
    """The loops of a program. `place`: of each node in one its loop, iteration and operation;
    `sign`: with which sign loops have it; `given`: (loop, operation) → outputs that its iterations
    give one after the other. Raises `Contradiction` where signs can't be met."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.loops: list[Repeat] = []
        self.place: dict[int, tuple[int, int, int]] = {}
        nodes = computed(program)
        for stretch in find_stretches(program):
            found = self._matched(stretch, nodes)
            if found is not None:
                for t, each in enumerate(found.nodes):
                    self.place.update({n: (len(self.loops), t, j) for j, n in enumerate(each)})
                self.loops.append(found)
        self.signs = Signs()
        self.sign: dict[int, Sign] = {}
        for loop in self.loops:
            self._sign(loop)
        self.given = dict(self._outputs())

    # ---- structure -----------------------------------------------------------------------------

    def _matched(self, stretch: Stretch, nodes: list[int]) -> Repeat | None:
        """The iterations around the middle one that are as it is."""
        first, length, count = stretch.first, stretch.length, stretch.count
        rows = [nodes[first + t * length : first + (t + 1) * length] for t in range(count)]
        at = {node: (t, j) for t, row in enumerate(rows) for j, node in enumerate(row)}
        model = count // 2
        wanted = [
            tuple(self._origin(each, at, model) for each in operands(self.program, node))
            for node in rows[model]
        ]
        found: dict[int, list[Ordered]] = {}
        for t in range(model, -1, -1):
            ordered, begins = self._iteration(rows[t], wanted, at, t)
            if ordered is None or (begins and t == model):
                break
            found[t] = ordered
            if begins:
                break
        for t in range(model + 1, count):
            ordered, begins = self._iteration(rows[t], wanted, at, t)
            if ordered is None or begins:
                break
            found[t] = ordered
        if len(found) < LEAST_COUNT:
            return None
        kept = sorted(found)
        return Repeat([rows[t] for t in kept], [found[t] for t in kept], wanted, model - kept[0])

    def _origin(self, node: int, at: Mapping[int, tuple[int, int]], t: int) -> Origin:
        iteration, operation = at.get(node, (-2, -1))
        if iteration == t:
            return Origin(HERE, operation)
        if iteration == t - 1:
            return Origin(BEFORE, operation)
        if self.program.op[node] == CONST:
            return Origin(NUMBER)
        loop, _, operation = self.place.get(node, (-1, -1, -1))
        return Origin(THERE, operation, loop)

    def _iteration(
        self, row: Sequence[int], wanted: Sequence[tuple[Origin, ...]],
        at: Mapping[int, tuple[int, int]], t: int,
    ) -> tuple[list[Ordered] | None, bool]:  # fmt: skip
        """Operands in the places of the model's, if they fit, and whether what the model takes from
        the iteration before comes from elsewhere, as where a loop begins."""
        found, begins = [], False
        for node, origins in zip(row, wanted, strict=True):
            best, best_fit = None, 0
            for ordered in self._orders(node):
                fits = [
                    _fit(self._origin(each, at, t), origin)
                    for each, origin in zip(ordered.operands, origins, strict=True)
                ]
                if min(fits, default=0) > 0 and sum(fits) > best_fit:
                    best, best_fit, first = ordered, sum(fits), _BEGINS in fits
            if best is None:
                return None, False
            found.append(best)
            begins = begins or first
        return found, begins

    def _orders(self, node: int) -> list[Ordered]:
        """All orders that mean the same."""
        op, given = self.program.op[node], operands(self.program, node)
        signs = TERMS.get(op, (0, 0))
        if op in (ADD, SUB, MUL):
            return [Ordered(given, signs), Ordered(given[::-1], signs[::-1])]
        if op in (FMA, FNMA, FMS):
            a, b, c = given
            return [Ordered((a, b, c), signs), Ordered((b, a, c), signs)]
        return [Ordered(given, signs)]

    # ---- signs ---------------------------------------------------------------------------------

    def _sign(self, loop: Repeat) -> None:
        """Of all values, of the numbers of each iteration, and of what comes from elsewhere."""
        for t, row in enumerate(loop.nodes):
            for j, node in enumerate(row):
                given = [self._given(loop, t, j, k) for k in range(len(loop.origins[j]))]
                if self.program.op[node] in TERMS:
                    between = self._open(loop.between, j)
                    self.sign[node] = self._of_terms(given, loop.rows[t][j].signs, between)
                else:
                    self.sign[node] = self._of_others(self.program.op[node], given)

    def _given(self, loop: Repeat, t: int, j: int, k: int) -> Sign:
        """With which sign an operand enters."""
        node, origin = loop.rows[t][j].operands[k], loop.origins[j][k]
        if origin.kind == NUMBER:
            loop.numbers.setdefault((j, k), []).append(self.signs.unknown())
            return loop.numbers[j, k][-1]
        if origin.kind == BEFORE and t == 0:
            return self._open(loop.initial, (origin.operation, node))
        if self.program.op[node] == INPUT:
            return PLUS  # arguments are copied as they are
        return self._open(self.sign, node)

    def _open(self, known: dict[Key, Sign], key: Key) -> Sign:
        if key not in known:
            known[key] = self.signs.unknown()
        return known[key]

    def _of_terms(self, given: list[Sign], signs: tuple[int, int], between: Sign) -> Sign:
        """What is added enters with the first term's sign, times the one `between` them in the
        loop."""
        *factors, added = given
        first = times(*factors, (0, signs[0]))
        self.signs.require(times(first, added, (0, signs[1]), between))
        return first

    def _of_others(self, op: int, given: list[Sign]) -> Sign:
        if op in (MUL, DIV, NEG, SIN):
            return times(*given)
        for each in given:
            self.signs.require(each)
        return PLUS

    def _outputs(self) -> Iterator[tuple[tuple[int, int], list[int]]]:
        program = self.program
        outputs: dict[tuple[int, int], dict[int, int]] = defaultdict(dict)
        for index, output in enumerate(program.outputs):
            if abs(output) in self.place:
                loop, t, j = self.place[abs(output)]
                outputs[loop, j].setdefault(t, index)
        for (loop, j), found in outputs.items():
            places = [found[t] for t in sorted(found)]
            if len(found) < self.loops[loop].count or len(set(np.diff(places))) > 1:
                continue
            signs = [
                times(self.sign[abs(program.outputs[k])], (0, int(program.outputs[k] < 0)))
                for k in places
            ]
            for each in signs[1:]:
                self.signs.require(times(each, signs[0]))
            yield (loop, j), places


_BEGINS = 1  # fits as a beginning


def _fit(origin: Origin, wanted: Origin) -> int:
    """How well an operand's origin fits: not at all (0), as a beginning, or better."""
    if origin == wanted:
        return 3
    if wanted.kind == BEFORE:
        return _BEGINS if origin.kind != HERE else 0
    return 2 if origin.kind == wanted.kind == THERE else 0
