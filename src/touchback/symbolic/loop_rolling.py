"""A program as straight parts and loops, which compute the same bits in far fewer instructions.

Stretches that repeat are found first: the same kinds of operations again and again, as the joints
of a chain make them. Then iterations are matched: which operand of one is which of the next, and
with which sign. Values pass from loop to loop through arrays.

The operations of iterations are the same but for signs: where a number is negative, a sum may have
become a difference. Negation is exact, so that a loop may compute the negative of a value from the
negatives of others. Which ones is found by equations modulo 2 (`Signs`): each open sign is a sum of
unknowns and a known bit.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

import numpy as np

from touchback.symbolic.fma_chains import SUM_SIGNS
from touchback.symbolic.ops import (
    ADD,
    CONST,
    DIV,
    FMA,
    FMS,
    FNMA,
    INPUT,
    LOOKUP1,
    LOOKUP2,
    MUL,
    NEG,
    OPS,
    SIN,
    SUB,
)
from touchback.symbolic.program import Program
from touchback.symbolic.program_listing import operands

Sign = tuple[int, int]  # unknowns as bits of a number, and the known bit


PLUS: Sign = (0, 0)


class Contradiction(ValueError):
    """No choice of signs meets the equations."""


def multiply_signs(*signs: Sign) -> Sign:
    """The sign of a product."""
    unknowns = known = 0
    for each in signs:
        unknowns, known = unknowns ^ each[0], known ^ each[1]
    return unknowns, known


@dataclass
class Signs:
    """Unknowns, and equations: rows whose newest unknowns differ."""

    count: int = 0
    rows: dict[int, Sign] = field(default_factory=dict)  # by their newest unknown

    def unknown(self) -> Sign:
        """One more."""
        self.count += 1
        return 1 << (self.count - 1), 0

    def require(self, sign: Sign) -> None:
        """That it be plus."""
        unknowns, known = self._reduce_sign(sign)
        if unknowns:
            self.rows[unknowns.bit_length() - 1] = unknowns, known
        elif known:
            raise Contradiction

    def _reduce_sign(self, sign: Sign) -> Sign:
        unknowns, known = sign
        left = unknowns
        while left:
            top = left.bit_length() - 1
            if top in self.rows:
                unknowns, known = unknowns ^ self.rows[top][0], known ^ self.rows[top][1]
                left = unknowns & ((1 << top) - 1)
            else:
                left &= (1 << top) - 1
        return unknowns, known

    def is_minus(self, sign: Sign) -> bool:
        """Of a choice that meets all equations; unknowns that are free are plus."""
        return bool(self._reduce_sign(sign)[1])


LEAST_COUNT, LEAST_SPAN = 6, 60  # iterations and operations that are worth a loop


_LONGEST = 1000  # operations of one iteration


_KIND = {SUB: ADD, FNMA: FMA, FMS: FMA}  # of operations that differ in signs alone


@dataclass(frozen=True)
class RepeatedSection:
    """Places in the list of computed nodes: `count` times `length` of them from `first` on."""

    first: int
    length: int
    count: int


def computed_nodes(program: Program) -> list[int]:
    """Nodes that are neither numbers nor inputs."""
    return [node for node, op in enumerate(program.op) if op not in (CONST, INPUT)]


def find_repeated_sections(program: Program) -> list[RepeatedSection]:
    """The longest first choice, then what is left on both sides of it; in the program's order."""
    nodes = computed_nodes(program)
    kinds = np.array([_operation_kind(program, node) for node in nodes])
    crossings = _Crossings(program, nodes)

    def within(low: int, high: int) -> Iterator[RepeatedSection]:
        found = _longest_repetition(kinds[low:high])
        if found is None:
            return
        first, length, span = found
        best = crossings.best_cut(low + first, length, span)
        yield from within(low, best.first)
        yield best
        yield from within(best.first + best.length * best.count, high)

    return list(within(0, len(nodes)))


def _operation_kind(program: Program, node: int) -> int:
    op = program.op[node]
    if op in (LOOKUP1, LOOKUP2):
        return len(OPS) + program.c[node]  # of the same table
    return _KIND.get(op, op)


def _longest_repetition(kinds: np.ndarray) -> tuple[int, int, int] | None:
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

    def best_cut(self, first: int, length: int, span: int) -> RepeatedSection:
        """Begin an iteration where least is handed on to the next."""
        middle = first + span // 2 // length * length
        handed = [0] * length
        for place in range(max(first, middle - length), middle + length):
            reach = min(self._last[place], place + length)
            for cut in range(max(place + 1, middle), min(reach + 1, middle + length)):
                handed[cut - middle] += 1
        offset = min(range(length), key=handed.__getitem__)
        return RepeatedSection(first + offset, length, (span - offset) // length)


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


class OrderedOperands(NamedTuple):
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
    rows: list[list[OrderedOperands]]
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
        nodes = computed_nodes(program)
        for stretch in find_repeated_sections(program):
            found = self._match_iterations(stretch, nodes)
            if found is not None:
                for t, each in enumerate(found.nodes):
                    self.place.update({n: (len(self.loops), t, j) for j, n in enumerate(each)})
                self.loops.append(found)
        self.signs = Signs()
        self.sign: dict[int, Sign] = {}
        for loop in self.loops:
            self._assign_signs(loop)
        self.given = dict(self._loop_outputs())

    # ---- structure -----------------------------------------------------------------------------

    def _match_iterations(self, stretch: RepeatedSection, nodes: list[int]) -> Repeat | None:
        """The iterations around the middle one that are as it is."""
        first, length, count = stretch.first, stretch.length, stretch.count
        rows = [nodes[first + t * length : first + (t + 1) * length] for t in range(count)]
        at = {node: (t, j) for t, row in enumerate(rows) for j, node in enumerate(row)}
        model = count // 2
        wanted = [
            tuple(self._origin_of(each, at, model) for each in operands(self.program, node))
            for node in rows[model]
        ]
        found: dict[int, list[OrderedOperands]] = {}
        for t in range(model, -1, -1):
            ordered, begins = self._match_operands(rows[t], wanted, at, t)
            if ordered is None or (begins and t == model):
                break
            found[t] = ordered
            if begins:
                break
        for t in range(model + 1, count):
            ordered, begins = self._match_operands(rows[t], wanted, at, t)
            if ordered is None or begins:
                break
            found[t] = ordered
        if len(found) < LEAST_COUNT:
            return None
        kept = sorted(found)
        return Repeat([rows[t] for t in kept], [found[t] for t in kept], wanted, model - kept[0])

    def _origin_of(self, node: int, at: Mapping[int, tuple[int, int]], t: int) -> Origin:
        iteration, operation = at.get(node, (-2, -1))
        if iteration == t:
            return Origin(HERE, operation)
        if iteration == t - 1:
            return Origin(BEFORE, operation)
        if self.program.op[node] == CONST:
            return Origin(NUMBER)
        loop, _, operation = self.place.get(node, (-1, -1, -1))
        return Origin(THERE, operation, loop)

    def _match_operands(
        self, row: Sequence[int], wanted: Sequence[tuple[Origin, ...]],
        at: Mapping[int, tuple[int, int]], t: int,
    ) -> tuple[list[OrderedOperands] | None, bool]:  # fmt: skip
        """Operands in the places of the model's, if they fit, and whether what the model takes from
        the iteration before comes from elsewhere, as where a loop begins."""
        found, begins = [], False
        for node, origins in zip(row, wanted, strict=True):
            best, best_fit = None, 0
            for ordered in self._equivalent_orders(node):
                fits = [
                    _rate_origin_match(self._origin_of(each, at, t), origin)
                    for each, origin in zip(ordered.operands, origins, strict=True)
                ]
                if min(fits, default=0) > 0 and sum(fits) > best_fit:
                    best, best_fit, first = ordered, sum(fits), _BEGINS in fits
            if best is None:
                return None, False
            found.append(best)
            begins = begins or first
        return found, begins

    def _equivalent_orders(self, node: int) -> list[OrderedOperands]:
        """All orders that mean the same."""
        op, given = self.program.op[node], operands(self.program, node)
        signs = TERMS.get(op, (0, 0))
        if op in (ADD, SUB, MUL):
            return [OrderedOperands(given, signs), OrderedOperands(given[::-1], signs[::-1])]
        if op in (FMA, FNMA, FMS):
            a, b, c = given
            return [OrderedOperands((a, b, c), signs), OrderedOperands((b, a, c), signs)]
        return [OrderedOperands(given, signs)]

    # ---- signs ---------------------------------------------------------------------------------

    def _assign_signs(self, loop: Repeat) -> None:
        """Of all values, of the numbers of each iteration, and of what comes from elsewhere."""
        for t, row in enumerate(loop.nodes):
            for j, node in enumerate(row):
                given = [self._given(loop, t, j, k) for k in range(len(loop.origins[j]))]
                if self.program.op[node] in TERMS:
                    between = self._open_sign(loop.between, j)
                    self.sign[node] = self._sign_of_sum(given, loop.rows[t][j].signs, between)
                else:
                    self.sign[node] = self._sign_of_operation(self.program.op[node], given)

    def _given(self, loop: Repeat, t: int, j: int, k: int) -> Sign:
        """With which sign an operand enters."""
        node, origin = loop.rows[t][j].operands[k], loop.origins[j][k]
        if origin.kind == NUMBER:
            loop.numbers.setdefault((j, k), []).append(self.signs.unknown())
            return loop.numbers[j, k][-1]
        if origin.kind == BEFORE and t == 0:
            return self._open_sign(loop.initial, (origin.operation, node))
        if self.program.op[node] == INPUT:
            return PLUS  # arguments are copied as they are
        return self._open_sign(self.sign, node)

    def _open_sign(self, known: dict[Key, Sign], key: Key) -> Sign:
        if key not in known:
            known[key] = self.signs.unknown()
        return known[key]

    def _sign_of_sum(self, given: list[Sign], signs: tuple[int, int], between: Sign) -> Sign:
        """What is added enters with the first term's sign, times the one `between` them in the
        loop."""
        *factors, added = given
        first = multiply_signs(*factors, (0, signs[0]))
        self.signs.require(multiply_signs(first, added, (0, signs[1]), between))
        return first

    def _sign_of_operation(self, op: int, given: list[Sign]) -> Sign:
        if op in (MUL, DIV, NEG, SIN):
            return multiply_signs(*given)
        for each in given:
            self.signs.require(each)
        return PLUS

    def _loop_outputs(self) -> Iterator[tuple[tuple[int, int], list[int]]]:
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
                multiply_signs(self.sign[abs(program.outputs[k])], (0, int(program.outputs[k] < 0)))
                for k in places
            ]
            for each in signs[1:]:
                self.signs.require(multiply_signs(each, signs[0]))
            yield (loop, j), places


_BEGINS = 1  # fits as a beginning


def _rate_origin_match(origin: Origin, wanted: Origin) -> int:
    """How well an operand's origin fits: not at all (0), as a beginning, or better."""
    if origin == wanted:
        return 3
    if wanted.kind == BEFORE:
        return _BEGINS if origin.kind != HERE else 0
    return 2 if origin.kind == wanted.kind == THERE else 0


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
                    if self._has_room(nodes, found):
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
                    if self._has_room([node], place):
                        self._put([node], place)
                        return place.at(0)
        return None

    def complete(self) -> None:
        """Loops store in every iteration: so there is an entry for each."""
        for number in range(len(self.arrays)):
            for loop, j in self._producers(number):
                where = self._stored_at(number, loop, j)
                nodes = [row[j] for row in self._repeats.loops[loop].nodes]
                if not self._has_room(nodes, where):
                    raise Contradiction
                self._put(nodes, where)

    def stored(self, loop: int) -> Iterator[tuple[int, Entries]]:
        """What a loop stores: (operation, where)."""
        for number in range(len(self.arrays)):
            for each, j in self._producers(number):
                if each == loop:
                    yield j, self._stored_at(number, loop, j)

    def _has_room(self, nodes: list[int], where: Entries) -> bool:
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

    def _stored_at(self, number: int, loop: int, j: int) -> Entries:
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


COLUMN = "column"  # the input array of a loop's body


@dataclass(frozen=True)
class Numbers:
    """A number for each iteration."""

    values: tuple[float, ...]


@dataclass(frozen=True)
class LoopCarried:
    """What an operation of the body gave in the iteration before; at first a node of the program,
    or its negative."""

    operation: int
    start: int
    negative: bool


@dataclass(frozen=True)
class LoopInvariant:
    """A node of the program, or its negative."""

    node: int
    negative: bool


Column = Numbers | LoopCarried | Entries | LoopInvariant


@dataclass
class Loop:
    """`count` times `body`, whose inputs are `columns`; `made[j]` is the body's node of operation
    j. Nodes of the body go into arrays (`stores`) and to outputs (`gives`: first, step, and whether
    with the other sign); `leaves` are those of the last iteration that others need, by their node
    in the program."""

    body: Program
    count: int
    columns: list[Column] = field(default_factory=list)
    made: list[int] = field(default_factory=list)
    stores: list[tuple[int, Entries]] = field(default_factory=list)
    gives: list[tuple[int, int, int, bool]] = field(default_factory=list)
    leaves: dict[int, int] = field(default_factory=dict)

    @property
    def fetched(self) -> list[Entries]:
        """Columns that come from arrays."""
        return [each for each in self.columns if isinstance(each, Entries)]


Part = list[int] | Loop


@dataclass
class RolledProgram:
    """Parts in order: nodes one after the other, or a loop. `arrays` have a node at each index;
    what loops have and straight parts need is in one of them (`kept`: array and index) or leaves
    the loop at its end. `minus` are nodes that loops and arrays have with the other sign; `given`
    outputs that loops give."""

    program: Program
    parts: list[Part]
    arrays: list[dict[int, int]]
    kept: dict[int, tuple[int, int]]
    minus: set[int]
    given: set[int]

    @property
    def loops(self) -> list[Loop]:
        """Of the parts."""
        return [part for part in self.parts if isinstance(part, Loop)]

    @property
    def looped(self) -> int:
        """How many of the program's operations are in loops."""
        return sum(len(each.made) * each.count for each in self.loops)

    def named(self, part: Part) -> Iterator[int]:
        """Nodes of the program that a part takes by their names."""
        if isinstance(part, Loop):
            for each in part.columns:
                if isinstance(each, LoopInvariant):
                    yield each.node
                elif isinstance(each, LoopCarried):
                    yield each.start
        else:
            for node in part:
                yield from operands(self.program, node)


def roll_loops(program: Program) -> RolledProgram | None:
    """The same outputs to the last bit, but for signs of zeros, and so of what is divided by zero:
    differences that vanish are +0 either way round. Nothing where no loop is found."""
    try:
        repeats = Repeats(program)
        return _Writer(repeats).rolled() if repeats.loops else None
    except Contradiction:
        return None


class _Writer:
    def __init__(self, repeats: Repeats) -> None:
        self._repeats, self._program = repeats, repeats.program
        self._arrays = LoopArrays(repeats)
        self._minus = {node for node, sign in repeats.sign.items() if repeats.signs.is_minus(sign)}
        self._loops = [self._loop(each) for each in repeats.loops]

    def rolled(self) -> RolledProgram:
        """All of it."""
        given = self._assign_outputs()
        rolled = RolledProgram(
            self._program, list(self._parts()), self._arrays.arrays, {}, self._minus, given
        )
        self._arrays.complete()
        rolled.kept.update(self._values_for_others(rolled))
        self._arrays.complete()
        for number, loop in enumerate(self._loops):
            loop.stores = [(loop.made[j], where) for j, where in self._arrays.stored(number)]
        return rolled

    def _loop(self, repeat: Repeat) -> Loop:
        start = {0: 0.0, 1: 1.0}
        body = Program([CONST] * 2, [0, 0], [0, 0], [0, 0], start, {}, [], self._program.lookups)
        loop = Loop(body, repeat.count)
        known: dict[Column, int] = {}
        for j, node in enumerate(repeat.nodes[repeat.model]):
            given = [
                self._operand(loop, repeat, j, k, known) for k in range(len(repeat.origins[j]))
            ]
            op = self._program.op[node]
            if op in TERMS:
                minus = self._repeats.signs.is_minus(repeat.between[j])
                op = (SUB if minus else ADD) if len(given) == 2 else (FMS if minus else FMA)
            elif op in (LOOKUP1, LOOKUP2):
                given = [given[0], given[-1], self._program.c[node]]
            loop.made.append(_append_operation(body, op, *given))
        return loop

    def _operand(self, loop: Loop, repeat: Repeat, j: int, k: int, known: dict[Column, int]) -> int:
        """The body's node of an operand."""
        origin = repeat.origins[j][k]
        if origin.kind == HERE:
            return loop.made[origin.operation]
        column = self._column(repeat, j, k)
        if column not in known:
            if isinstance(column, Numbers) and len(set(map(repr, column.values))) == 1:
                known[column] = _append_operation(loop.body, CONST)
                loop.body.values[known[column]] = column.values[0]
            else:
                known[column] = _append_operation(loop.body, INPUT)
                loop.body.inputs[known[column]] = COLUMN, len(loop.columns)
                loop.columns.append(column)
        return known[column]

    def _column(self, repeat: Repeat, j: int, k: int) -> Column:
        nodes, signs = [row[j].operands[k] for row in repeat.rows], self._repeats.signs
        origin, values = repeat.origins[j][k], self._program.values
        if origin.kind == NUMBER:
            turned = [signs.is_minus(sign) for sign in repeat.numbers[j, k]]
            pairs = zip(nodes, turned, strict=True)
            return Numbers(tuple(-values[node] if minus else values[node] for node, minus in pairs))
        if origin.kind == BEFORE:
            minus = signs.is_minus(repeat.initial[origin.operation, nodes[0]])
            return LoopCarried(origin.operation, nodes[0], minus)
        if len(set(nodes)) == 1:
            return LoopInvariant(nodes[0], nodes[0] in self._minus)
        return self._arrays.column(nodes)

    def _assign_outputs(self) -> set[int]:
        """Outputs that loops give, one an iteration."""
        given: set[int] = set()
        for (number, j), places in self._repeats.given.items():
            loop, output = self._loops[number], self._program.outputs[places[0]]
            negative = (output < 0) != (abs(output) in self._minus)
            loop.gives.append((loop.made[j], places[0], places[1] - places[0], negative))
            given.update(places)
        return given

    def _parts(self) -> Iterator[Part]:
        straight: list[int] = []
        for node in computed_nodes(self._program):
            at = self._repeats.place.get(node)
            if at is None:
                straight.append(node)
            elif at[1:] == (0, 0):
                yield straight
                yield self._loops[at[0]]
                straight = []
        yield straight

    def _values_for_others(self, rolled: RolledProgram) -> Iterator[tuple[int, tuple[int, int]]]:
        """What of loops others need: it leaves with the last iteration, or is in an array, and so
        are arguments whose neighbours are."""
        outputs = enumerate(self._program.outputs)
        needed = {abs(output) for k, output in outputs if k not in rolled.given}
        for part in rolled.parts:
            needed.update(rolled.named(part))
        for node in sorted(needed):
            if self._program.op[node] == INPUT:
                found = self._arrays.beside(node)
                if found is not None:
                    yield node, found
            elif node in self._repeats.place:
                number, t, j = self._repeats.place[node]
                loop = self._loops[number]
                if t == loop.count - 1:
                    loop.leaves[node] = loop.made[j]
                else:
                    yield node, self._arrays.column([node]).at(0)


def _append_operation(body: Program, op: int, a: int = 0, b: int = 0, c: int = 0) -> int:
    for column, value in zip((body.op, body.a, body.b, body.c), (op, a, b, c), strict=True):
        column.append(value)
    return len(body.op) - 1
