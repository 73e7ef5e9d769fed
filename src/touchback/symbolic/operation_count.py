"""Operation counts: what an evaluation costs, in ROBOTRAN's flops and by kind.

How far the operations of a program wait for one another: its steps, their width, and what any
number of units that compute at once could gain.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import compress

from touchback.symbolic import ops
from touchback.symbolic.program import Program
from touchback.symbolic.tape import Tape


@dataclass(frozen=True)
class Counts:
    """How many operations of each kind. A fused multiply-add is counted under `fused` only."""

    additions: int = 0
    subtractions: int = 0
    multiplications: int = 0
    divisions: int = 0
    fused: int = 0
    negations: int = 0
    sines: int = 0
    cosines: int = 0
    roots: int = 0
    comparisons: int = 0
    selections: int = 0
    calls: int = 0
    lookups: int = 0

    @property
    def flops(self) -> int:
        """ROBOTRAN's count: multiplications, additions, subtractions, unary minus, sines, cosines.

        A fused multiply-add counts two. ROBOTRAN's count has no row for division; we count one as a
        multiplication. Sine and cosine of an angle count one each. Roots, comparisons, selections,
        calls and lookups have no row either and count nothing.
        """
        sums = self.additions + self.subtractions + self.negations
        products = self.multiplications + self.divisions
        return sums + products + 2 * self.fused + self.sines + self.cosines

    @property
    def operations(self) -> int:
        """All operations, a fused multiply-add counting one."""
        return sum(number for _, number in self._rows())

    def __add__(self, other: "Counts") -> "Counts":
        """Of one evaluation after another."""
        return Counts(*(x + y for (_, x), (_, y) in zip(self._rows(), other._rows(), strict=True)))

    def _rows(self) -> list[tuple[str, int]]:
        return [(field.name, getattr(self, field.name)) for field in fields(self)]

    def __str__(self) -> str:
        """One line: the flops and every kind that occurs."""
        rows = [(name, number) for name, number in self._rows() if number]
        kinds = ", ".join(f"{number} {_noun(name, number)}" for name, number in rows)
        return f"{self.flops} flops ({kinds or 'no operations'})"

    def table(self) -> str:
        """A table with a line for each kind that occurs, and the flops."""
        rows = [row for row in self._rows() if row[1]] + [("flops", self.flops)]
        width = len(str(max(number for _, number in rows)))
        return "\n".join(f"{name:<15} {number:>{width}}" for name, number in rows)


def _noun(name: str, number: int) -> str:
    return name if number != 1 or name == "fused" else name.removesuffix("s")


_KINDS = {
    ops.ADD: "additions", ops.SUB: "subtractions", ops.MUL: "multiplications", ops.DIV: "divisions",
    ops.FMA: "fused", ops.FNMA: "fused", ops.FMS: "fused", ops.NEG: "negations",
    ops.SIN: "sines", ops.COS: "cosines", ops.SQRT: "roots",
    ops.LT: "comparisons", ops.LE: "comparisons", ops.EQ: "comparisons",
    ops.ABS: "selections", ops.MIN: "selections", ops.MAX: "selections", ops.SELECT: "selections",
    ops.FLOOR: "calls", ops.ASIN: "calls", ops.ACOS: "calls", ops.EXP: "calls", ops.LOG: "calls",
    ops.SINH: "calls", ops.COSH: "calls", ops.TANH: "calls",
    ops.ATAN2: "calls", ops.POW: "calls", ops.LOOKUP1: "lookups", ops.LOOKUP2: "lookups",
}  # fmt: skip


def count(program: Program) -> Counts:
    """Counts of a program; an output −k, the negative of a computed value, costs a unary minus."""
    return _counts(program.op, program.op, program.outputs)


def count_tape(tape: Tape, outputs: Sequence[int]) -> Counts:
    """Counts of what the outputs need on a tape, before any fusion, which leaves the flops as they
    are."""
    return _counts(compress(tape.op, tape.live(outputs)), tape.op, outputs)


def _counts(performed: Iterable[int], op: Sequence[int], outputs: Sequence[int]) -> Counts:
    numbers: Counter[str] = Counter()
    for kind, number in Counter(performed).items():
        if kind in _KINDS:
            numbers[_KINDS[kind]] += number
    numbers["negations"] += sum(1 for output in outputs if output < 0 and op[-output] != ops.CONST)
    return Counts(**numbers)


@dataclass(frozen=True)
class Depth:
    """Operations sorted into steps, each as soon as its operands are there: as many vectorial
    steps as the longest way from an input to an output has operations (Docquier 2021, section 6).
    """

    operations: int
    steps: int
    widest: int  # operations of the fullest step
    longest: tuple[int, ...]  # nodes of a longest way, in order

    @property
    def gain(self) -> float:
        """Operations a step: no number of units gains more over one operation after the other."""
        return self.operations / max(self.steps, 1)


def depth(program: Program) -> Depth:
    """Steps of a program."""
    step = [0] * len(program.op)
    before = [0] * len(program.op)  # the operand that was there last
    sizes: dict[int, int] = {}
    for i, op in enumerate(program.op):
        operands = (program.a[i], program.b[i], program.c[i])[: ops.ARITY[op]]
        if operands:
            before[i] = max(operands, key=step.__getitem__)
            step[i] = step[before[i]] + 1
            sizes[step[i]] = sizes.get(step[i], 0) + 1
    node = max(range(len(step)), key=step.__getitem__)
    way: list[int] = []
    while step[node]:
        way.append(node)
        node = before[node]
    return Depth(sum(sizes.values()), len(sizes), max(sizes.values(), default=0), tuple(way[::-1]))


def critical_path_program(program: Program, way: tuple[int, ...]) -> Program:
    """The operations of a way and no others, each with the result before it; other operands are
    x[0]. What it takes is what is left of the program where all else is computed beside it."""
    alone = Program([0] * 3, [0] * 3, [0] * 3, [0] * 3, {0: 0.0, 1: 1.0}, {2: ("x", 0)}, [], [])
    alone.op[:] = [ops.CONST, ops.CONST, ops.INPUT]
    last, other = 2, 2
    for k, node in enumerate(way):
        columns = (program.a, program.b, program.c)[: ops.ARITY[program.op[node]]]
        known = [column[node] for column in columns]
        at = known.index(way[k - 1]) if k else 0
        operands = [last if j == at else other for j in range(len(known))]
        operands += [0] * (3 - len(operands))
        alone.op.append(program.op[node])
        for column, operand in zip((alone.a, alone.b, alone.c), operands, strict=True):
            column.append(operand)
        last = len(alone.op) - 1
    alone.outputs = [last]
    return alone
