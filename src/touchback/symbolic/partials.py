"""Partial derivatives: for each operation of the tape, that of its value by each operand."""

from collections.abc import Callable

from touchback.symbolic import ops
from touchback.symbolic.table import Want
from touchback.symbolic.tape import Tape

_SMALLEST = 1e-154  # the root of the smallest normal double, about

Choice = tuple[int, int, int]  # condition, the operand where it holds, the operand where not


def choice(tape: Tape, node: int) -> Choice | None:
    """How a node picks one of its operands, None for a node that computes."""
    op, a, b, c = tape.op[node], tape.a[node], tape.b[node], tape.c[node]
    if op == ops.SELECT:
        return a, b, c
    if op == ops.MIN:
        return tape.less(a, b), a, b
    if op == ops.MAX:
        return tape.less(b, a), a, b
    return None


def partial(tape: Tape, node: int, index: int) -> int:
    """The derivative of a computing node by its operand number `index`, as a node of the tape."""
    rows = _PARTIALS.get(tape.op[node], ())
    return rows[index](tape, node) if index < len(rows) else 0


def _quotient_by_divisor(t: Tape, r: int) -> int:
    return -t.mul(r, t.div(1, t.b[r]))


def _root(t: Tape, r: int) -> int:
    """1/(2 r). A length has no derivative at 0, but all of its slopes there are bounded, and
    their mean is 0: that is taken, for 1/0 times the derivative 0 of its square would be NaN, and
    with it that of |u| u, which is smooth."""
    divisor = t.maximum(r, t.const(_SMALLEST)) if _sum_of_squares(t, t.a[r]) else r
    return t.div(t.const(0.5), divisor)


def _sum_of_squares(t: Tape, node: int) -> bool:
    """Whether a node adds up squares, and nothing that keeps it from 0."""
    a, b = t.a[node], t.b[node]
    if t.op[node] == ops.ADD:
        return _sum_of_squares(t, a) and _sum_of_squares(t, b)
    scale = t.values.get(a, 0.0)
    return t.op[node] == ops.MUL and (a == b or (scale > 0.0 and _sum_of_squares(t, b)))


def _one_minus_square(t: Tape, r: int) -> int:
    return t.sub(1, t.mul(t.a[r], t.a[r]))


def _squares(t: Tape, r: int) -> int:
    return t.add(t.mul(t.a[r], t.a[r]), t.mul(t.b[r], t.b[r]))


def _power_by_base(t: Tape, r: int) -> int:
    exponent = t.b[r]
    return t.mul(exponent, t.pow(t.a[r], t.sub(exponent, 1)))


def _power_by_exponent(t: Tape, r: int) -> int:
    """a^b·log a, which tends to 0 with a (for b > 0): 0·log 0 would be NaN."""
    base = t.a[r]
    return t.select(t.equal(base, 0), 0, t.mul(r, t.log(base)))


_SLOPES = {  # what is wanted of the table → what its derivatives by x and by y want
    Want.VALUE: (Want.DX, Want.DY),
    Want.DX: (None, Want.DXY),
    Want.DY: (Want.DXY, None),
    Want.DXY: (None, None),
}


def _slope(index: int) -> Callable[[Tape, int], int]:
    def partial_of_lookup(t: Tape, r: int) -> int:
        use = t.lookups[t.c[r]]
        want = _SLOPES[use.want][index]
        y = t.b[r] if t.op[r] == ops.LOOKUP2 else None
        return 0 if want is None else t.lookup(use.table, t.a[r], y, want)

    return partial_of_lookup


_PARTIALS: dict[int, tuple[Callable[[Tape, int], int], ...]] = {
    ops.ADD: (lambda t, r: 1, lambda t, r: 1),
    ops.SUB: (lambda t, r: 1, lambda t, r: -1),
    ops.MUL: (lambda t, r: t.b[r], lambda t, r: t.a[r]),
    ops.DIV: (lambda t, r: t.div(1, t.b[r]), _quotient_by_divisor),
    ops.NEG: (lambda t, r: -1,),
    ops.SQRT: (_root,),
    ops.ABS: (lambda t, r: t.sign(t.a[r]),),
    ops.SIN: (lambda t, r: t.cos(t.a[r]),),
    ops.COS: (lambda t, r: -t.sin(t.a[r]),),
    ops.ASIN: (lambda t, r: t.div(1, t.sqrt(_one_minus_square(t, r))),),
    ops.ACOS: (lambda t, r: -t.div(1, t.sqrt(_one_minus_square(t, r))),),
    ops.EXP: (lambda t, r: r,),
    ops.LOG: (lambda t, r: t.div(1, t.a[r]),),
    ops.SINH: (lambda t, r: t.cosh(t.a[r]),),
    ops.COSH: (lambda t, r: t.sinh(t.a[r]),),
    ops.TANH: (lambda t, r: t.mul(t.sub(1, r), t.add(1, r)),),
    ops.ATAN2: (
        lambda t, r: t.div(t.b[r], _squares(t, r)),
        lambda t, r: -t.div(t.a[r], _squares(t, r)),
    ),
    ops.POW: (_power_by_base, _power_by_exponent),
    ops.LOOKUP1: (_slope(0),),
    ops.LOOKUP2: (_slope(0), _slope(1)),
}
"""Comparisons and floor have no row: their derivative is zero wherever they have one."""
