"""How far the operations of a program wait for one another: its steps, their width, and what any
number of units that compute at once could gain."""

from dataclasses import dataclass

from touchback.symbolic import ops
from touchback.symbolic.program import Program


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


def way_alone(program: Program, way: tuple[int, ...]) -> Program:
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
