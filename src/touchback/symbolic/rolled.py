"""A program as straight parts and loops, which compute the same bits in far fewer instructions.
Values pass from loop to loop through arrays."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from touchback.symbolic.loop_arrays import Entries, LoopArrays
from touchback.symbolic.ops import ADD, CONST, FMA, FMS, INPUT, LOOKUP1, LOOKUP2, SUB
from touchback.symbolic.program import Program
from touchback.symbolic.reading import operands
from touchback.symbolic.repeats import BEFORE, HERE, NUMBER, TERMS, Repeat, Repeats
from touchback.symbolic.signs import Contradiction
from touchback.symbolic.stretches import computed

COLUMN = "column"  # the input array of a loop's body


@dataclass(frozen=True)
class Numbers:
    """A number for each iteration."""

    values: tuple[float, ...]


@dataclass(frozen=True)
class Handed:
    """What an operation of the body gave in the iteration before; at first a node of the program,
    or its negative."""

    operation: int
    start: int
    negative: bool


@dataclass(frozen=True)
class Fixed:
    """A node of the program, or its negative."""

    node: int
    negative: bool


Column = Numbers | Handed | Entries | Fixed


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
class Rolled:
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
                if isinstance(each, Fixed):
                    yield each.node
                elif isinstance(each, Handed):
                    yield each.start
        else:
            for node in part:
                yield from operands(self.program, node)


def roll(program: Program) -> Rolled | None:
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

    def rolled(self) -> Rolled:
        """All of it."""
        given = self._give()
        rolled = Rolled(
            self._program, list(self._parts()), self._arrays.arrays, {}, self._minus, given
        )
        self._arrays.complete()
        rolled.kept.update(self._needed(rolled))
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
            loop.made.append(_put(body, op, *given))
        return loop

    def _operand(self, loop: Loop, repeat: Repeat, j: int, k: int, known: dict[Column, int]) -> int:
        """The body's node of an operand."""
        origin = repeat.origins[j][k]
        if origin.kind == HERE:
            return loop.made[origin.operation]
        column = self._column(repeat, j, k)
        if column not in known:
            if isinstance(column, Numbers) and len(set(map(repr, column.values))) == 1:
                known[column] = _put(loop.body, CONST)
                loop.body.values[known[column]] = column.values[0]
            else:
                known[column] = _put(loop.body, INPUT)
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
            return Handed(origin.operation, nodes[0], minus)
        if len(set(nodes)) == 1:
            return Fixed(nodes[0], nodes[0] in self._minus)
        return self._arrays.column(nodes)

    def _give(self) -> set[int]:
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
        for node in computed(self._program):
            at = self._repeats.place.get(node)
            if at is None:
                straight.append(node)
            elif at[1:] == (0, 0):
                yield straight
                yield self._loops[at[0]]
                straight = []
        yield straight

    def _needed(self, rolled: Rolled) -> Iterator[tuple[int, tuple[int, int]]]:
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


def _put(body: Program, op: int, a: int = 0, b: int = 0, c: int = 0) -> int:
    for column, value in zip((body.op, body.a, body.b, body.c), (op, a, b, c), strict=True):
        column.append(value)
    return len(body.op) - 1
