"""A readable listing of a program: an operation to a line, in infix, with the inputs' names.

Reading a program: its values' names, alike in listings and printed languages, and their uses.
"""

from collections.abc import Mapping

from touchback.symbolic import ops
from touchback.symbolic.lookup_table import Table, Want
from touchback.symbolic.ops import ARITY, CONST, COS, INPUT, LOOKUP1, LOOKUP2, SIN
from touchback.symbolic.program import Place, Program


def name_values(program: Program) -> dict[int, str]:
    """Node → name of each computed value: S1, C1 for sine and cosine of angle 1, else t1, t2 …"""
    names: dict[int, str] = {}
    angles: dict[int, int] = {}
    others = 0
    for node, op in enumerate(program.op):
        if op in (SIN, COS):
            angle = angles.setdefault(program.a[node], len(angles) + 1)
            names[node] = f"{'S' if op == SIN else 'C'}{angle}"
        elif op not in (CONST, INPUT):
            others += 1
            names[node] = f"t{others}"
    return names


def operands(program: Program, node: int) -> tuple[int, ...]:
    """The operand nodes of a node (not the index of a lookup)."""
    return (program.a[node], program.b[node], program.c[node])[: ARITY[program.op[node]]]


def count_uses(program: Program) -> list[int]:
    """How many operands and outputs refer to each node."""
    uses = [0] * len(program.op)
    for node in range(len(program.op)):
        for operand in operands(program, node):
            uses[operand] += 1
    for output in program.outputs:
        uses[abs(output)] += 1
    return uses


def number_tables(program: Program) -> dict[Table, int]:
    """The tables that the program reads, numbered from 1 in order of use."""
    numbers: dict[Table, int] = {}
    for op, c in zip(program.op, program.c, strict=True):
        if op in (LOOKUP1, LOOKUP2):
            numbers.setdefault(program.lookups[c].table, len(numbers) + 1)
    return numbers


# How tightly an expression binds, loosest first: too loose for its place, it gets parentheses.
_CHOICE, _COMPARISON, _SUM, _PRODUCT, _SIGN, _ATOM = range(6)


# Operation → how tightly it binds, its text, and how tightly each operand has to.
_INFIX: dict[int, tuple[int, str, tuple[int, ...]]] = {
    ops.ADD: (_SUM, "{} + {}", (_SUM, _SUM)),
    ops.SUB: (_SUM, "{} - {}", (_SUM, _PRODUCT)),
    ops.MUL: (_PRODUCT, "{}*{}", (_PRODUCT, _ATOM)),
    ops.DIV: (_PRODUCT, "{}/{}", (_PRODUCT, _ATOM)),
    ops.FMA: (_SUM, "{}*{} + {}", (_PRODUCT, _ATOM, _SUM)),
    ops.FNMA: (_SUM, "{2} - {0}*{1}", (_PRODUCT, _ATOM, _SUM)),
    ops.FMS: (_SUM, "{}*{} - {}", (_PRODUCT, _ATOM, _PRODUCT)),
    ops.NEG: (_SIGN, "-{}", (_ATOM,)),
    ops.LT: (_COMPARISON, "{} < {}", (_SUM, _SUM)),
    ops.LE: (_COMPARISON, "{} <= {}", (_SUM, _SUM)),
    ops.EQ: (_COMPARISON, "{} == {}", (_SUM, _SUM)),
    ops.SELECT: (_CHOICE, "{1} if {0} else {2}", (_COMPARISON, _COMPARISON, _COMPARISON)),
}


# Operations that, used once, read better where they are used than on a line of their own.
_INLINED = (ops.NEG, ops.LT, ops.LE, ops.EQ, ops.ABS)


def listing(
    program: Program, names: Mapping[Place, str] | None = None, limit: int | None = 100
) -> str:
    """Lines such as `t12 = t3*t4 + t5`; `names` says what inputs are called (`("x", 0): "q[0]"`).

    Beyond `limit` lines the middle is left out; None lists everything.
    """
    lines = _Lister(program, names or {}).lines()
    if limit is None or len(lines) <= limit:
        return "\n".join(lines)
    head, tail = (limit + 1) // 2, limit // 2
    left_out = f"… {len(lines) - head - tail} lines left out (limit=None lists all {len(lines)}) …"
    return "\n".join([*lines[:head], left_out, *lines[len(lines) - tail :]])


class _Lister:
    """The texts of one program's nodes."""

    def __init__(self, program: Program, inputs: Mapping[Place, str]) -> None:
        self.program = program
        self.inputs = inputs
        self.names = name_values(program)
        self.tables = number_tables(program)
        uses = count_uses(program)
        asked = {abs(output) for output in program.outputs}
        self.own_line = [
            node
            for node in self.names
            if not (uses[node] == 1 and (node in asked or program.op[node] in _INLINED))
        ]
        self._named = set(self.own_line)

    def lines(self) -> list[str]:
        values = [f"{self.names[node]} = {self._expression(node)[1]}" for node in self.own_line]
        outputs = [
            f"out[{index}] = {self._signed(output)}"
            for index, output in enumerate(self.program.outputs)
        ]
        return values + outputs

    def _signed(self, output: int) -> str:
        if output >= 0:
            return self._operand(output, _CHOICE)
        return f"-{self._operand(-output, _ATOM)}"

    def _operand(self, node: int, least: int) -> str:
        """A node inside an expression: its number, input or name, or its own expression."""
        op = self.program.op[node]
        binding = _ATOM
        if op == CONST:
            text = repr(self.program.values[node]).removesuffix(".0")
            binding = _ATOM if not text.startswith("-") else _SIGN
        elif op == INPUT:
            array, index = place = self.program.inputs[node]
            text = self.inputs.get(place, f"{array}[{index}]")
        elif node in self._named:
            text = self.names[node]
        else:
            binding, text = self._expression(node)
        return text if binding >= least else f"({text})"

    def _expression(self, node: int) -> tuple[int, str]:
        """How tightly an operation binds, and its text."""
        op = self.program.op[node]
        infix = _INFIX.get(op)
        if infix is not None:
            binding, text, least = infix
            return binding, text.format(*map(self._operand, operands(self.program, node), least))
        arguments = [self._operand(operand, _CHOICE) for operand in operands(self.program, node)]
        name = ops.NAME[op]
        if op in (ops.LOOKUP1, ops.LOOKUP2):
            lookup = self.program.lookups[self.program.c[node]]
            wanted = "" if lookup.want == Want.VALUE else f".{lookup.want.name.lower()}"
            name = f"table{self.tables[lookup.table]}{wanted}"
        return _ATOM, f"{name}({', '.join(arguments)})"
