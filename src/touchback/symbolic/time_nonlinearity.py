"""Whether a program reads time in another way than along lines that are straight between switches
which are known before a run: by a bump, a sine, a product of times. What such an expression does
within a step nothing tells beforehand."""

from __future__ import annotations

from collections.abc import Collection

from touchback.symbolic import ops
from touchback.symbolic.program import Program

_LINEAR = (ops.ADD, ops.SUB, ops.NEG)
_PRODUCTS = (ops.MUL, ops.FMA, ops.FNMA, ops.FMS)
_KINKED = (ops.MIN, ops.MAX, ops.ABS)
_STEPPED = (ops.LT, ops.LE, ops.FLOOR)
_TABLES = (ops.LOOKUP1, ops.LOOKUP2)


def is_nonlinear_in_time(program: Program, known: Collection[int]) -> bool:
    """Whether it does; `known` are the places in u of what is known before a run. Comparisons,
    kinks and tables of time and of something else are switches that aren't known."""
    places = program.inputs
    if ("u", 0) not in places.values():
        return False
    timed, unknown = bytearray(len(program.op)), bytearray(len(program.op))
    for node, (array, index) in places.items():
        timed[node] = (array, index) == ("u", 0)
        unknown[node] = array == "x" or (array == "u" and index not in known)
    for node, op in enumerate(program.op):
        operands = (program.a[node], program.b[node], program.c[node])[: ops.ARITY[op]]
        for operand in operands:
            unknown[node] |= unknown[operand]
        of_time = [bool(timed[operand]) for operand in operands]
        if not any(of_time):
            continue
        if not _stays_straight(op, of_time, bool(unknown[node])):
            return True
        timed[node] = op not in _STEPPED and op != ops.EQ
    return False


def _stays_straight(op: int, of_time: list[bool], unknown: bool) -> bool:
    """Whether an operation on lines of time gives one, in pieces; `unknown` are some operands."""
    if op in _LINEAR or op == ops.EQ:
        return True
    if op in _PRODUCTS:
        return not all(of_time[:2])
    if op == ops.DIV:
        return not of_time[1]
    if op == ops.SELECT:
        return not of_time[0]
    if op in _KINKED or op in _STEPPED:
        return not unknown
    return op in _TABLES and not unknown and sum(of_time) == 1
