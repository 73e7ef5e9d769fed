"""Plain evaluation: what each operation means, one number at a time.

It is the reference for every back end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from touchback.symbolic import ops
from touchback.symbolic.lookup_table import Lookup, lookup1, lookup2
from touchback.symbolic.sincos import fma, library_function, sincos


def _divide(a: float, b: float) -> float:
    if b != 0.0:
        return a / b
    if a == 0.0 or a != a:
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _floor(a: float) -> float:
    return float(math.copysign(math.floor(a), a)) if math.isfinite(a) and abs(a) < 2.0**52 else a


_FUNCTIONS: dict[int, Callable[..., float]] = {
    ops.ADD: lambda a, b: a + b,
    ops.SUB: lambda a, b: a - b,
    ops.MUL: lambda a, b: a * b,
    ops.DIV: _divide,
    ops.FMA: fma,
    ops.FNMA: lambda a, b, c: fma(-a, b, c),
    ops.FMS: lambda a, b, c: fma(a, b, -c),
    ops.NEG: lambda a: -a,
    ops.SQRT: lambda a: math.sqrt(a) if a >= 0.0 else math.nan,
    ops.ABS: abs,
    ops.FLOOR: _floor,
    ops.MIN: lambda a, b: a if a < b else b,
    ops.MAX: lambda a, b: a if a > b else b,
    ops.LT: lambda a, b: 1.0 if a < b else 0.0,
    ops.LE: lambda a, b: 1.0 if a <= b else 0.0,
    ops.EQ: lambda a, b: 1.0 if a == b else 0.0,
    ops.SELECT: lambda a, b, c: b if a != 0.0 else c,
    ops.SIN: lambda a: sincos(a)[0],
    ops.COS: lambda a: sincos(a)[1],
    ops.ASIN: library_function("asin", 1),
    ops.ACOS: library_function("acos", 1),
    ops.EXP: library_function("exp", 1),
    ops.LOG: library_function("log", 1),
    ops.SINH: library_function("sinh", 1),
    ops.COSH: library_function("cosh", 1),
    ops.TANH: library_function("tanh", 1),
    ops.ATAN2: library_function("atan2", 2),
    ops.POW: library_function("pow", 2),
}


def apply_op(op: int, operands: Sequence[float], lookup: Lookup | None = None) -> float:
    """The value of one operation on numbers."""
    if op == ops.LOOKUP1 and lookup is not None:
        return lookup1(lookup.table, operands[0], lookup.want)
    if op == ops.LOOKUP2 and lookup is not None:
        return lookup2(lookup.table, operands[0], operands[1], lookup.want)
    return _FUNCTIONS[op](*operands)
