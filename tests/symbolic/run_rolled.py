"""Loops of a program run one iteration after the other, by plain evaluation."""

from collections.abc import Callable, Mapping, Sequence

from touchback.symbolic.evaluate import apply_op
from touchback.symbolic.loop_rolling import (
    Entries,
    Loop,
    LoopCarried,
    LoopInvariant,
    Numbers,
    RolledProgram,
)
from touchback.symbolic.ops import CONST, INPUT, LOOKUP1, LOOKUP2
from touchback.symbolic.program import Program
from touchback.symbolic.program_listing import operands


def run_rolled(rolled: RolledProgram, arguments: Mapping[str, Sequence[float]]) -> list[float]:
    """Outputs."""
    program, run = rolled.program, Run(rolled)
    for node, (name, index) in program.inputs.items():
        run.know(node, arguments[name][index])
    for node, number in program.values.items():
        run.know(node, number)
    for part in rolled.parts:
        if isinstance(part, Loop):
            run.loop(part)
        else:
            for node in part:
                run.know(node, _applied(program, node, run.value))
    for index, output in enumerate(program.outputs):
        if index not in rolled.given:
            value = run.value(abs(output))
            run.outputs[index] = value if output >= 0 else -value
    return [run.outputs[k] for k in range(len(program.outputs))]


def _applied(program: Program, node: int, value: Callable[[int], float]) -> float:
    lookup = program.lookups[program.c[node]] if program.op[node] in (LOOKUP1, LOOKUP2) else None
    return apply_op(program.op[node], [value(each) for each in operands(program, node)], lookup)


class Run:
    def __init__(self, rolled: RolledProgram) -> None:
        self._rolled = rolled
        self.values: dict[int, float] = {}
        self.outputs: dict[int, float] = {}
        self.arrays: list[dict[int, float]] = [{} for _ in rolled.arrays]
        self._entries: dict[int, list[tuple[int, int]]] = {}
        for number, array in enumerate(rolled.arrays):
            for index, node in array.items():
                self._entries.setdefault(node, []).append((number, index))

    def know(self, node: int, value: float) -> None:
        """A value of the program, which arrays have with the sign that they need."""
        self.values[node] = value
        for number, index in self._entries.get(node, ()):
            self.arrays[number][index] = -value if node in self._rolled.minus else value

    def value(self, node: int) -> float:
        """Of a node of the program that is known, or in an array."""
        if node in self.values:
            return self.values[node]
        number, index = self._rolled.kept[node]
        found = self.arrays[number][index]
        return -found if node in self._rolled.minus else found

    def loop(self, loop: Loop) -> None:
        """All iterations, in values of their own."""
        body, values = loop.body, dict[int, float]()
        for t in range(loop.count):
            before, values = values, dict(body.values)
            for node, op in enumerate(body.op):
                if op == INPUT:
                    values[node] = self._column(loop, body.inputs[node][1], t, before)
                elif op != CONST:
                    values[node] = _applied(body, node, values.__getitem__)
            for node, where in loop.stores:
                number, index = where.at(t)
                self.arrays[number][index] = values[node]
            for node, first, step, negative in loop.gives:
                self.outputs[first + step * t] = -values[node] if negative else values[node]
        for node, made in loop.leaves.items():
            self.values[node] = -values[made] if node in self._rolled.minus else values[made]

    def _column(self, loop: Loop, k: int, t: int, before: Mapping[int, float]) -> float:
        column = loop.columns[k]
        if isinstance(column, Numbers):
            return column.values[t]
        if isinstance(column, Entries):
            number, index = column.at(t)
            return self.arrays[number][index]
        if isinstance(column, LoopCarried) and t > 0:
            return before[loop.made[column.operation]]
        value = self.value(column.node if isinstance(column, LoopInvariant) else column.start)
        return -value if column.negative else value
