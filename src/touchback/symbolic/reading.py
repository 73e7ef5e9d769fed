"""Reading a program: its values' names, alike in listings and printed languages, and their uses."""

from touchback.symbolic.ops import ARITY, CONST, COS, INPUT, LOOKUP1, LOOKUP2, SIN
from touchback.symbolic.program import Program
from touchback.symbolic.table import Table


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
