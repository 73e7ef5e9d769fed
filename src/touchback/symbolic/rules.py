"""The rule table: every simplification beyond 0, ±1 and constant folding is one row here.

A row applies to one operation. It gets the operands of the node about to be made (for a sum the second one is
signed: x + y or x − y) and returns an equal node, or None. `example` builds a pair (what a user writes, what
must come out) from symbols x, y; the tests check both the identity of the nodes and, by random evaluation on a
tape without rules, the identity of the values.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from touchback.symbolic import ops
from touchback.symbolic.ops import ABS, ADD, ATAN2, COS, DIV, EXP, LOG, MUL, POW, SELECT, SIN, SQRT, SUB

if TYPE_CHECKING:
    from touchback.symbolic.tape import Tape

Apply = Callable[["Tape", int, int, int], "int | None"]
Example = Callable[["Tape", int, int], tuple[int, int]]


@dataclass(frozen=True)
class Rule:
    """One simplification: where it applies, what it does, why it is worth having, and an example."""

    name: str
    op: int
    apply: Apply
    why: str
    example: Example


def _pythagoras(t: Tape, x: int, y: int, _: int) -> int | None:
    """s·s + c·c where s, c are sine and cosine of the same angle."""
    if y < 0 or t.op[x] != MUL or t.op[y] != MUL or t.a[x] != t.b[x] or t.a[y] != t.b[y]:
        return None
    s, c = t.a[x], t.a[y]
    return 1 if {t.op[s], t.op[c]} == {SIN, COS} and t.a[s] == t.a[c] else None


def _cancel(t: Tape, x: int, y: int, _: int) -> int | None:
    """(a + b) − b, (a − b) + b, b − (a + b) …: the term that stands twice with opposite signs goes."""
    for whole, part, sign in ((x, y, 1), (abs(y), x, 1 if y > 0 else -1)):
        kind = t.op[whole]
        if kind != ADD and kind != SUB:
            continue
        a, b = t.a[whole], t.b[whole] if kind == ADD else -t.b[whole]
        if sign < 0:
            a, b = -a, -b
        if a == -part:
            return b
        if b == -part:
            return a
    return None


def _constants_together(t: Tape, a: int, b: int, _: int) -> int | None:
    """c1·(c2·y) → (c1·c2)·y."""
    for factor, product in ((a, b), (b, a)):
        if factor in t.values and t.op[product] == MUL:
            for inner, rest in ((t.a[product], t.b[product]), (t.b[product], t.a[product])):
                if inner in t.values:
                    return t.mul(t.const(t.values[factor] * t.values[inner]), rest)
    return None


def _root_times_root(t: Tape, a: int, b: int, _: int) -> int | None:
    return t.a[a] if a == b and t.op[a] == SQRT else None


def _quotient_times_divisor(t: Tape, a: int, b: int, _: int) -> int | None:
    for quotient, factor in ((a, b), (b, a)):
        if t.op[quotient] == DIV and t.b[quotient] == factor:
            return t.a[quotient]
    return None


def _same_over_same(t: Tape, a: int, b: int, _: int) -> int | None:
    return 1 if a == b else None


def _product_over_factor(t: Tape, a: int, b: int, _: int) -> int | None:
    if t.op[a] == MUL:
        if t.a[a] == b:
            return t.b[a]
        if t.b[a] == b:
            return t.a[a]
    return None


def _whole_power(t: Tape, a: int, b: int, _: int) -> int | None:
    exponent = t.values.get(b)
    if exponent is None or exponent != int(exponent) or abs(exponent) > 8:
        return None
    result, square, n = 1, a, int(abs(exponent))
    while n:
        if n & 1:
            result = t.mul(result, square)
        square, n = t.mul(square, square) if n > 1 else square, n >> 1
    return result if exponent >= 0 else t.div(1, result)


def _half_power(t: Tape, a: int, b: int, _: int) -> int | None:
    exponent = t.values.get(b)
    if exponent not in (0.5, -0.5, 1.5):
        return None
    root = t.sqrt(a)
    return root if exponent == 0.5 else t.mul(a, root) if exponent == 1.5 else t.div(1, root)


def _root_of_square(t: Tape, a: int, _b: int, _c: int) -> int | None:
    return t.abs(t.a[a]) if t.op[a] == MUL and t.a[a] == t.b[a] else None


def _already_positive(t: Tape, a: int, _b: int, _c: int) -> int | None:
    return a if t.op[a] in (ABS, SQRT, EXP) or (t.op[a] == MUL and t.a[a] == t.b[a]) else None


def _log_of_exp(t: Tape, a: int, _b: int, _c: int) -> int | None:
    return t.a[a] if t.op[a] == EXP else None


def _exp_of_log(t: Tape, a: int, _b: int, _c: int) -> int | None:
    return t.a[a] if t.op[a] == LOG else None


def _sine_of_inverse(t: Tape, a: int, _b: int, _c: int) -> int | None:
    if t.op[a] == ops.ASIN:
        return t.a[a]
    if t.op[a] == ATAN2:
        y, x = t.a[a], t.b[a]
        return t.div(y, t.sqrt(t.add(t.mul(x, x), t.mul(y, y))))
    return None


def _cosine_of_inverse(t: Tape, a: int, _b: int, _c: int) -> int | None:
    if t.op[a] == ops.ACOS:
        return t.a[a]
    if t.op[a] == ATAN2:
        y, x = t.a[a], t.b[a]
        return t.div(x, t.sqrt(t.add(t.mul(x, x), t.mul(y, y))))
    return None


def _same_both_ways(t: Tape, a: int, b: int, _: int) -> int | None:
    return a if a == b else None


def _known_condition(t: Tape, condition: int, yes: int, no: int) -> int | None:
    number = t.values.get(condition)
    if number is not None:
        return yes if number != 0.0 else no
    return yes if yes == no else None


def _never_below_itself(t: Tape, a: int, b: int, _: int) -> int | None:
    return 0 if a == b else None


RULES: tuple[Rule, ...] = (
    Rule("pythagoras", ADD, _pythagoras, "rotations by one angle keep lengths",
         lambda t, x, y: (t.add(t.mul(t.sin(x), t.sin(x)), t.mul(t.cos(x), t.cos(x))), 1)),
    Rule("cancel", ADD, _cancel, "a term with opposite signs must not survive as rounding noise",
         lambda t, x, y: (t.sub(t.add(x, y), y), x)),
    Rule("constants together", MUL, _constants_together, "numeric data meets in chains of products",
         lambda t, x, y: (t.mul(t.const(3.0), t.mul(t.const(2.0), x)), t.mul(t.const(6.0), x))),
    Rule("root times root", MUL, _root_times_root, "squared lengths of normalised vectors",
         lambda t, x, y: (t.mul(t.sqrt(x), t.sqrt(x)), x)),
    Rule("quotient times divisor", MUL, _quotient_times_divisor, "undoing a normalisation",
         lambda t, x, y: (t.mul(t.div(x, y), y), x)),
    Rule("same over same", DIV, _same_over_same, "a pivot divided by itself",
         lambda t, x, y: (t.div(x, -x), -1)),
    Rule("product over factor", DIV, _product_over_factor, "undoing a scaling",
         lambda t, x, y: (t.div(t.mul(x, y), y), x)),
    Rule("whole power", POW, _whole_power, "multiplications are cheaper than pow, and differentiable at 0",
         lambda t, x, y: (t.pow(x, t.const(3.0)), t.mul(x, t.mul(x, x)))),
    Rule("half power", POW, _half_power, "a square root is one instruction",
         lambda t, x, y: (t.pow(x, t.const(1.5)), t.mul(x, t.sqrt(x)))),
    Rule("root of square", SQRT, _root_of_square, "lengths along one axis",
         lambda t, x, y: (t.sqrt(t.mul(x, x)), t.abs(x))),
    Rule("already positive", ABS, _already_positive, "lengths and squares need no abs",
         lambda t, x, y: (t.abs(t.mul(x, x)), t.mul(x, x))),
    Rule("log of exp", LOG, _log_of_exp, "inverse functions meet in users' laws",
         lambda t, x, y: (t.log(t.exp(x)), x)),
    Rule("exp of log", EXP, _exp_of_log, "inverse functions meet in users' laws",
         lambda t, x, y: (t.exp(t.log(x)), x)),
    Rule("sine of an inverse", SIN, _sine_of_inverse, "placements by live directions: no trigonometry needed",
         lambda t, x, y: (t.sin(t.asin(x)), x)),
    Rule("cosine of an inverse", COS, _cosine_of_inverse, "placements by live directions",
         lambda t, x, y: (t.cos(t.acos(x)), x)),
    Rule("min of same", ops.MIN, _same_both_ways, "laws that meet at a bound",
         lambda t, x, y: (t.minimum(x, x), x)),
    Rule("max of same", ops.MAX, _same_both_ways, "laws that meet at a bound",
         lambda t, x, y: (t.maximum(x, x), x)),
    Rule("known condition", SELECT, _known_condition, "a switch on a number, or with equal sides, is no switch",
         lambda t, x, y: (t.select(t.less(x, y), x, x), x)),
    Rule("never below itself", ops.LT, _never_below_itself, "x < x is false even for NaN",
         lambda t, x, y: (t.less(x, x), 0)),
)  # fmt: skip
