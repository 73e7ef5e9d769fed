"""The operations of the tape: one row each, with what every back end must compute.

All values are double precision. Comparisons give 1.0 or 0.0. `min` and `max` are defined by a
comparison, so that NaN and signed zeros come out alike everywhere: min(a, b) = a if a < b else b.
"""

from typing import NamedTuple


class Op(NamedTuple):
    """One operation: its name in listings, its number of operands, whether a and b commute."""

    name: str
    arity: int
    commutes: bool = False


OPS = (
    Op("const", 0),
    Op("input", 0),
    Op("add", 2, True),  # a + b
    Op("sub", 2),  # a - b
    Op("mul", 2, True),  # a * b
    Op("div", 2),  # a / b
    Op("fma", 3),  # a * b + c, rounded once
    Op("fnma", 3),  # c - a * b, rounded once
    Op("fms", 3),  # a * b - c, rounded once
    Op("neg", 1),  # -a: only as the operand of an operation that can't absorb a sign
    Op("sqrt", 1),
    Op("abs", 1),
    Op("floor", 1),
    Op("min", 2),  # a if a < b else b
    Op("max", 2),  # a if a > b else b
    Op("lt", 2),  # 1.0 if a < b else 0.0
    Op("le", 2),  # 1.0 if a <= b else 0.0
    Op("eq", 2, True),  # 1.0 if a == b else 0.0
    Op("select", 3),  # b if a != 0 else c  (a NaN condition counts as true)
    Op("sin", 1),  # ours: see sincos.py
    Op("cos", 1),
    Op("asin", 1),  # the rest are the C library's
    Op("acos", 1),
    Op("exp", 1),
    Op("log", 1),
    Op("sinh", 1),
    Op("cosh", 1),
    Op("tanh", 1),
    Op("atan2", 2),  # atan2(a, b)
    Op("pow", 2),  # a ** b
    Op("lookup1", 1),  # operand a; c is an index into `lookups`, not a node
    Op("lookup2", 2),  # operands a, b; c is an index into `lookups`
)

(CONST, INPUT, ADD, SUB, MUL, DIV, FMA, FNMA, FMS, NEG, SQRT, ABS, FLOOR, MIN, MAX, LT, LE, EQ,
 SELECT, SIN, COS, ASIN, ACOS, EXP, LOG, SINH, COSH, TANH, ATAN2, POW, LOOKUP1, LOOKUP2) = (
     range(len(OPS)))  # fmt: skip

NAME = tuple(op.name for op in OPS)
ARITY = tuple(op.arity for op in OPS)
COMMUTES = tuple(op.commutes for op in OPS)
