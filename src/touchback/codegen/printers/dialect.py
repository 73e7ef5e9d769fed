"""What printed languages share: the spelling of operations, numbers and inputs, and their order."""

import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from touchback.errors import InputError
from touchback.symbolic import (
    CONST,
    COS,
    INPUT,
    LOOKUP1,
    LOOKUP2,
    SIN,
    Program,
    name_values,
    number_tables,
)


@dataclass(frozen=True)
class Dialect:
    """The spelling of one language.

    A template holds {a}, {b}, {c} for the operands; those of lookups also {table} (its number),
    {nx}, {ny} (how many breakpoints) and {want} (0 value, 1 ∂/∂x, 2 ∂/∂y, 3 ∂²/∂x∂y).
    """

    templates: Mapping[int, str]
    element: str  # of an input array, with {array} and {index}
    first_index: int
    infinity: str
    nan: str
    reserved: Collection[str]

    def number(self, value: float) -> str:
        """The shortest text that reads back as the same double; negative ones in parentheses."""
        if math.isnan(value):
            return self.nan
        text = repr(abs(value)) if math.isfinite(value) else self.infinity
        return f"(-{text})" if math.copysign(1.0, value) < 0.0 else text

    def numbers(self, values: Iterable[float]) -> str:
        """The elements of an array literal."""
        return ", ".join(self.number(value).strip("()") for value in values)

    def check_name(self, name: str) -> None:
        """Refuses a function name that the language would not take."""
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,62}", name) or name in self.reserved:
            raise InputError(
                f"Printer: {name!r} can't name a function; use up to 63 letters, digits and "
                "underscores, a letter first, and no word of the language."
            )


class Speller:
    """The texts of one program's nodes in one dialect."""

    def __init__(self, program: Program, dialect: Dialect) -> None:
        self.program = program
        self.dialect = dialect
        self.names = name_values(program)
        self.tables = number_tables(program)

    def operand(self, node: int) -> str:
        """A node as an operand: a number, an element of an input array, or a name."""
        op = self.program.op[node]
        if op == CONST:
            return self.dialect.number(self.program.values[node])
        if op == INPUT:
            array, index = self.program.inputs[node]
            return self.dialect.element.format(array=array, index=index + self.dialect.first_index)
        return self.names[node]

    def output(self, index: int) -> str:
        """The value of an output, with its sign."""
        node = self.program.outputs[index]
        return self.operand(node) if node >= 0 else self.negative(-node)

    def negative(self, node: int) -> str:
        """The negative of a node as an operand."""
        return f"-{self.operand(node)}"

    def expression(self, node: int) -> str:
        """What a node computes."""
        program = self.program
        op = program.op[node]
        template = self.dialect.templates[op]
        a, b = self.operand(program.a[node]), self.operand(program.b[node])
        if op in (LOOKUP1, LOOKUP2):
            lookup = program.lookups[program.c[node]]
            sizes = {"nx": len(lookup.table.x), "ny": len(lookup.table.y)}
            number = self.tables[lookup.table]
            return template.format(a=a, b=b, table=number, want=int(lookup.want), **sizes)
        return template.format(a=a, b=b, c=self.operand(program.c[node]))


def statements(program: Program) -> list[tuple[int, ...]]:
    """The computed nodes in order, except that sine and cosine of one angle come together."""
    turns: dict[int, list[int]] = {}
    for node, op in enumerate(program.op):
        if op in (SIN, COS):
            turns.setdefault(program.a[node], []).append(node)
    found: list[tuple[int, ...]] = []
    for node, op in enumerate(program.op):
        if op in (SIN, COS):
            group = turns[program.a[node]]
            if node == group[0]:
                found.append(tuple(sorted(group, key=lambda turn: program.op[turn])))
        elif op not in (CONST, INPUT):
            found.append((node,))
    return found


def comment_lines(text: str) -> list[str]:
    """The lines of a header text, without anything that could end a comment early."""
    return [line.rstrip().replace("*/", "* /") for line in text.splitlines()]
