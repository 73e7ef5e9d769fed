"""The rule table: every simplification beyond 0, ±1 and constant folding is one row here.

A row applies to one operation, `when` its first two operands are of some kind: an operation, or for
products the finer kinds below. It gets the operands of the node about to be made (for a sum the
second one is signed: x + y or x − y; in sums and products the first is the older node) and returns
an equal node, or None. Equal: for every argument it gives what plain evaluation gives, within
rounding, or the exact value where plain evaluation loses it (log(exp(1000)) is 1000), but for the
exceptions that docs/formulation.md lists. `example` builds a pair (what a user writes, what must
come out) from the symbols x, y; tests check both the identity of the nodes and, on special and
random arguments, that of the values.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from touchback.symbolic import ops
from touchback.symbolic.evaluate import apply_op
from touchback.symbolic.ops import (
    ABS,
    ADD,
    CONST,
    COS,
    EXP,
    LOG,
    LOOKUP1,
    LOOKUP2,
    MUL,
    NEG,
    POW,
    SELECT,
    SIN,
    SQRT,
    SUB,
)

if TYPE_CHECKING:
    from touchback.symbolic.tape import Tape

Apply = Callable[["Tape", int, int, int], "int | None"]
Example = Callable[["Tape", int, int], tuple[int, int]]
When = Callable[[int, int], bool]


@dataclass(frozen=True)
class Rule:
    """One simplification: where it applies, what it does, why it is worth having, an example."""

    name: str
    op: int
    when: When
    apply: Apply
    why: str
    example: Example


SQUARE, SCALED = len(ops.OPS), len(ops.OPS) + 1
"""Kinds of nodes beside the operations: x·x, and a number times something."""
_KINDS = len(ops.OPS) + 2

Dispatch = dict[int, list[list[tuple[Apply, ...]]]]


@lru_cache(maxsize=8)
def dispatch(rules: tuple[Rule, ...]) -> Dispatch:
    """What to try: operation → kind of the first operand → kind of the second → rules.

    A tape makes hundreds of thousands of nodes, and most have no rule to try. Between constants
    folding comes first (an operand that is not there counts as one).
    """
    kinds = range(_KINDS)
    tries: Dispatch = {}
    for op in range(len(ops.OPS)):
        own = [rule for rule in rules if rule.op == op]
        tries[op] = [[tuple(r.apply for r in own if r.when(a, b)) for b in kinds] for a in kinds]
        fold = {ADD: _fold_sum, MUL: _fold_product}.get(op) or _fold(op)
        tries[op][CONST][CONST] = (fold, *tries[op][CONST][CONST])
    return tries


def _fold(op: int) -> Apply:
    """The operation on numbers by plain evaluation; what is not finite stays a node."""

    def fold(t: Tape, a: int, b: int, c: int) -> int | None:
        numbers = [t.value(operand) for operand in (a, b, c)[: ops.ARITY[op]]]
        known = [number for number in numbers if number is not None]
        if len(known) < len(numbers):
            return None
        result = apply_op(op, known, t.lookups[c] if op in (LOOKUP1, LOOKUP2) else None)
        return t.const(result) if math.isfinite(result) else None

    return fold


def _fold_sum(t: Tape, x: int, y: int, _: int) -> int | None:
    """Numbers added: the case of folding that must be quick."""
    total = t.values[x] + (t.values[y] if y > 0 else -t.values[-y])
    return t.const(total) if math.isfinite(total) else None


def _fold_product(t: Tape, a: int, b: int, _: int) -> int | None:
    """Numbers multiplied, likewise."""
    product = t.values[a] * t.values[b]
    return t.const(product) if math.isfinite(product) else None


def _always(_a: int, _b: int) -> bool:
    return True


def _first(*kinds: int) -> When:
    return lambda a, _: a in kinds


def _second(*kinds: int) -> When:
    return lambda _, b: b in kinds


def _both(*kinds: int) -> When:
    return lambda a, b: a in kinds and b in kinds


def _pair(one: int, other: int) -> When:
    return lambda a, b: (a, b) == (one, other) or (a, b) == (other, one)


def _signed(t: Tape, node: int) -> int:
    """An operand of an operation that can't absorb a sign, with the sign taken out again."""
    if t.op[node] == NEG:
        return -t.a[node]
    return t.const(t.values[node]) if node in t.values else node


def _pythagoras(t: Tape, x: int, y: int, _: int) -> int | None:
    """s·s + c·c where s, c are sine and cosine of the same angle."""
    s, c = t.a[x], t.a[y]
    if y < 0 or t.a[s] != t.a[c]:
        return None
    return 1 if {t.op[s], t.op[c]} == {SIN, COS} else None


def _like_terms(t: Tape, x: int, y: int, _: int) -> int | None:
    """c1·z ± c2·z → (c1 ± c2)·z, unless the numbers overflow where the terms may not."""
    (first, z), (second, other) = _number_times(t, x), _number_times(t, abs(y))
    factor = first + second if y > 0 else first - second
    return t.mul(t.const(factor), z) if z == other and math.isfinite(factor) else None


def _number_times(t: Tape, product: int) -> tuple[float, int]:
    """(c, z) of a product c·z, whichever of the two is older."""
    a, b = t.a[product], t.b[product]
    return (t.values[a], b) if a in t.values else (t.values[b], a)


def _cancel(t: Tape, x: int, y: int, _: int) -> int | None:
    """x − (x + b), x + (a − x), x − (x − b): the term with opposite signs goes.

    The sum is always the second operand, since it is newer than its own terms.
    """
    if y < 0:
        a, b = t.a[-y], t.b[-y]
        if t.op[-y] == ADD:
            return -b if a == x else -a if b == x else None
        return b if a == x else None
    return t.a[y] if t.op[y] == SUB and t.b[y] == x else None


def _constants_together(t: Tape, a: int, b: int, _: int) -> int | None:
    """c1·(c2·z) → (c1·c2)·z, unless the numbers leave the range where c1·(c2·z) may not."""
    factor, product = (a, b) if a in t.values else (b, a)
    inner, rest = _number_times(t, product)
    together = t.values[factor] * inner
    return t.mul(t.const(together), rest) if is_normal(together) else None


def is_normal(number: float) -> bool:
    """Whether a number has all of its digits: not zero, denormal, infinite or NaN."""
    return sys.float_info.min <= abs(number) <= sys.float_info.max


_WHOLE_EXPONENTS = tuple(float(n) for n in range(-8, 9))


def _whole_power(t: Tape, a: int, b: int, _: int) -> int | None:
    exponent = t.values[b]
    if exponent not in _WHOLE_EXPONENTS:
        return None
    result = _multiplied(t, _signed(t, a), int(abs(exponent)))
    return result if exponent >= 0 else t.div(1, result)


def _multiplied(t: Tape, x: int, n: int) -> int:
    """xⁿ by squaring."""
    result = 1
    while n:
        if n & 1:
            result = t.mul(result, x)
        x, n = t.mul(x, x) if n > 1 else x, n >> 1
    return result


def _half_power(t: Tape, a: int, b: int, _: int) -> int | None:
    exponent = t.values[b]
    if exponent not in (-0.5, 0.5, 1.5, 2.5, 3.5):
        return None
    root = t.sqrt(a)
    if exponent < 0.0:
        return t.div(1, root)
    return t.mul(_multiplied(t, _signed(t, a), int(exponent)), root)


def _root_of_square(t: Tape, a: int, _b: int, _c: int) -> int | None:
    return t.abs(t.a[a])


def _already_positive(t: Tape, a: int, _b: int, _c: int) -> int | None:
    return a


def _undone(t: Tape, a: int, _b: int, _c: int) -> int | None:
    return _signed(t, t.a[a])


def _same_both_ways(t: Tape, a: int, b: int, _: int) -> int | None:
    return _signed(t, a) if a == b else None


def _known_condition(t: Tape, condition: int, yes: int, no: int) -> int | None:
    number = t.values.get(condition)
    if number is not None:
        return _signed(t, yes if number != 0.0 else no)
    return _signed(t, yes) if yes == no else None


def _never_below_itself(t: Tape, a: int, b: int, _: int) -> int | None:
    return 0 if a == b else None


RULES: tuple[Rule, ...] = (
    Rule("pythagoras", ADD, _both(SQUARE), _pythagoras,
         "rotations by one angle keep lengths",
         lambda t, x, y: (t.add(t.mul(t.sin(x), t.sin(x)), t.mul(t.cos(x), t.cos(x))), 1)),
    Rule("like terms", ADD, _both(SCALED), _like_terms,
         "two numeric properties of a body act along one acceleration",
         lambda t, x, y: (t.add(t.mul(t.const(2.0), x), t.mul(t.const(3.0), x)),
                          t.mul(t.const(5.0), x))),
    Rule("cancel", ADD, _second(ADD, SUB), _cancel,
         "a term with opposite signs must not survive as rounding noise",
         lambda t, x, y: (t.sub(t.add(x, y), y), x)),
    Rule("constants together", MUL, _pair(CONST, SCALED), _constants_together,
         "numeric data meets in chains of products",
         lambda t, x, y: (t.mul(t.const(3.0), t.mul(t.const(2.0), x)), t.mul(t.const(6.0), x))),
    Rule("whole power", POW, _second(CONST), _whole_power,
         "multiplications are cheaper than pow, and differentiable at 0",
         lambda t, x, y: (t.pow(x, t.const(3.0)), t.mul(x, t.mul(x, x)))),
    Rule("half power", POW, _second(CONST), _half_power,
         "a square root is one instruction",
         lambda t, x, y: (t.pow(x, t.const(1.5)), t.mul(x, t.sqrt(x)))),
    Rule("root of square", SQRT, _first(SQUARE), _root_of_square,
         "lengths along one axis",
         lambda t, x, y: (t.sqrt(t.mul(x, x)), t.abs(x))),
    Rule("already positive", ABS, _first(ABS, EXP, SQUARE), _already_positive,
         "squares need no abs",
         lambda t, x, y: (t.abs(t.mul(x, x)), t.mul(x, x))),
    Rule("log of exp", LOG, _first(EXP), _undone,
         "inverse functions meet in users' laws",
         lambda t, x, y: (t.log(t.exp(x)), x)),
    Rule("min of same", ops.MIN, _always, _same_both_ways,
         "laws that meet at a bound",
         lambda t, x, y: (t.minimum(x, x), x)),
    Rule("max of same", ops.MAX, _always, _same_both_ways,
         "laws that meet at a bound",
         lambda t, x, y: (t.maximum(x, x), x)),
    Rule("known condition", SELECT, _always, _known_condition,
         "a switch on a number, or with equal sides, is no switch",
         lambda t, x, y: (t.select(t.less(x, y), x, x), x)),
    Rule("never below itself", ops.LT, _always, _never_below_itself,
         "x < x is false even for NaN",
         lambda t, x, y: (t.less(x, x), 0)),
)  # fmt: skip
