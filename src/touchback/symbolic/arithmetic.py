"""Sums and products of a tape as closures: a node costs about a microsecond, half of what methods
take."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from touchback.symbolic.ops import ADD, CONST, MUL, SUB
from touchback.symbolic.rules import SCALED, SQUARE

if TYPE_CHECKING:
    from touchback.symbolic.tape import Id, Tape


def addition(tape: Tape) -> Callable[[Id, Id], Id]:
    """a + b of signed nodes: found, folded, simplified, or new."""
    op, kind, not_finite, mul = tape.op, tape.kind, tape.not_finite, tape.mul
    op_append, kind_append = op.append, kind.append
    a_append, b_append, c_append = tape.a.append, tape.b.append, tape.c.append
    sums: dict[int, int] = {}  # by x · 2^32 + y: one number is a cheaper key than a pair
    known, tries = sums.get, tape.tries[ADD]

    def add(a: Id, b: Id) -> Id:
        if not a:
            return b
        if not b:
            return a
        x = a if a > 0 else -a
        y = b if b > 0 else -b
        if x > y:
            a, b, x, y = b, a, y, x
        elif x == y:
            if a != b:
                return 0 if x not in not_finite else tape.const(math.nan)
            return mul(tape.const(2.0), a)
        if a < 0:
            b = -b
        key = (x << 32) + b
        r = known(key)
        if r is None:
            for rule in tries[kind[x]][kind[y]]:
                r = rule(tape, x, b, 0)
                if r is not None:
                    break
            else:
                r = len(op)
                operation = ADD if b > 0 else SUB
                op_append(operation)
                kind_append(operation)
                a_append(x)
                b_append(y)
                c_append(0)
            sums[key] = r
        return r if a > 0 else -r

    return add


def multiplication(tape: Tape) -> Callable[[Id, Id], Id]:
    """a · b of signed nodes: found, folded, simplified, or new."""
    op, kind, not_finite = tape.op, tape.kind, tape.not_finite
    op_append, kind_append = op.append, kind.append
    a_append, b_append, c_append = tape.a.append, tape.b.append, tape.c.append
    products: dict[int, int] = {}
    known, tries = products.get, tape.tries[MUL]

    def mul(a: Id, b: Id) -> Id:
        if not a or not b:
            return 0 if not not_finite or abs(a + b) not in not_finite else tape.const(math.nan)
        x = a if a > 0 else -a
        y = b if b > 0 else -b
        if x > y:
            x, y = y, x
        if x == 1:
            return y if (a > 0) is (b > 0) else -y
        key = (x << 32) + y
        r = known(key)
        if r is None:
            kind_x, kind_y = kind[x], kind[y]
            for rule in tries[kind_x][kind_y]:
                r = rule(tape, x, y, 0)
                if r is not None:
                    break
            else:
                r = len(op)
                op_append(MUL)
                scaled = kind_x == CONST or kind_y == CONST
                kind_append(SQUARE if x == y else SCALED if scaled else MUL)
                a_append(x)
                b_append(y)
                c_append(0)
            products[key] = r
        return r if (a > 0) is (b > 0) else -r

    return mul
