"""Comparing a language without fused multiply-add, operation by operation.

Rounding differences grow without bound along a random graph (cancellation, comparisons), so each
value is compared with what plain evaluation makes of the language's own operands.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from touchback.symbolic import Program, ops
from touchback.symbolic.evaluate import apply_op
from touchback.symbolic.program_listing import operands

TOLERANCE = 1e-12  # relative: thousands of roundings of one operation, far below any wrong formula


def with_every_node_as_output(program: Program) -> Program:
    return replace(program, outputs=list(range(len(program.op))))


def first_disagreement(program: Program, values: Sequence[float]) -> str | None:
    """The first operation whose value is not what its operands give; None if all agree."""
    for node, op in enumerate(program.op):
        if op in (ops.CONST, ops.INPUT):
            continue
        used = [float(values[operand]) for operand in operands(program, node)]
        lookup = program.lookups[program.c[node]] if op in (ops.LOOKUP1, ops.LOOKUP2) else None
        expected, found = apply_op(op, used, lookup), float(values[node])
        if not _agree(expected, found, _scale(op, used, expected)):
            return f"{ops.NAME[op]}{tuple(used)} gave {found!r} instead of {expected!r}"
    return None


def _scale(op: int, used: Sequence[float], expected: float) -> float:
    """What rounding is relative to: the terms of a sum, else the value."""
    if op in (ops.FMA, ops.FNMA, ops.FMS):
        return max(abs(used[0] * used[1]), abs(used[2]))
    return max(abs(expected), 1.0 if op in (ops.LOOKUP1, ops.LOOKUP2) else 0.0)


def _agree(expected: float, found: float, scale: float) -> bool:
    if math.isinf(scale):
        return True  # the product overflowed before the sum: only the fused form is finite
    if math.isnan(expected) or math.isnan(found):
        return math.isnan(expected) and math.isnan(found)
    return expected == found or abs(expected - found) <= TOLERANCE * scale + 1e-307
