"""Operation counts: what an evaluation costs, in ROBOTRAN's flops and by kind."""

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
