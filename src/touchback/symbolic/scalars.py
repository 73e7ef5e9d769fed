"""Scalars: the interface over which mechanics is written once, and its version for Python numbers.

A tape is one such interface (its scalars are node ids). `Operators` is another: its scalars are
floats, complex numbers, arrays, duals or expressions. In both, 0 and 1 are the structural zero and
one: what is multiplied by 0 vanishes, also NaN and infinity, so that sparse mechanics costs alike
everywhere.
"""

import operator
from typing import Any, Protocol, TypeVar

from touchback.symbolic.lookup_table import Table, Want
from touchback.symbolic.operator_overloading import Number, call

T = TypeVar("T")


class Scalars(Protocol[T]):
    """Operations on scalars of some kind. 0 and 1 (ints) are scalars of every kind."""

    def const(self, value: float, /) -> T: ...
    def neg(self, a: T, /) -> T: ...
    def add(self, a: T, b: T, /) -> T: ...
    def sub(self, a: T, b: T, /) -> T: ...
    def mul(self, a: T, b: T, /) -> T: ...
    def div(self, a: T, b: T, /) -> T: ...
    def sqrt(self, a: T, /) -> T: ...
    def abs(self, a: T, /) -> T: ...
    def sign(self, a: T, /) -> T: ...
    def floor(self, a: T, /) -> T: ...
    def minimum(self, a: T, b: T, /) -> T: ...
    def maximum(self, a: T, b: T, /) -> T: ...
    def less(self, a: T, b: T, /) -> T: ...
    def less_equal(self, a: T, b: T, /) -> T: ...
    def equal(self, a: T, b: T, /) -> T: ...
    def select(self, condition: T, yes: T, no: T, /) -> T: ...
    def sincos(self, a: T, /) -> tuple[T, T]: ...
    def sin(self, a: T, /) -> T: ...
    def cos(self, a: T, /) -> T: ...
    def tan(self, a: T, /) -> T: ...
    def asin(self, a: T, /) -> T: ...
    def acos(self, a: T, /) -> T: ...
    def atan(self, a: T, /) -> T: ...
    def atan2(self, y: T, x: T, /) -> T: ...
    def exp(self, a: T, /) -> T: ...
    def log(self, a: T, /) -> T: ...
    def sinh(self, a: T, /) -> T: ...
    def cosh(self, a: T, /) -> T: ...
    def tanh(self, a: T, /) -> T: ...
    def hypot(self, a: T, b: T, /) -> T: ...
    def clip(self, a: T, low: T, high: T, /) -> T: ...
    def pow(self, a: T, b: T, /) -> T: ...
    def lookup(self, table: Table, x: T, y: T | None = None, want: Want = Want.VALUE, /) -> T: ...


def settled(k: Scalars[T], a: T) -> T:
    """0 + a as numbers add it, which turns −0 into +0: what `atan2` takes of a sum (`tape.py`).

    The zero is no structural one, which would leave `a` as it is; a tape, whose `atan2` does this
    by itself, has no other."""
    zero: Any = 0.0
    return k.add(zero, a)


class Operators:
    """Scalars that are Python numbers: float, complex (complex steps), NumPy arrays, Dual, Expr."""

    def const(self, value: float) -> Number:
        """The number; zero and one become the structural ones."""
        return int(value) if value == 0.0 or value == 1.0 else value

    def neg(self, a: Number) -> Number:
        return -a

    def add(self, a: Number, b: Number) -> Number:
        if type(a) is int and a == 0:
            return b
        if type(b) is int and b == 0:
            return a
        return operator.add(a, b)

    def sub(self, a: Number, b: Number) -> Number:
        if type(a) is int and a == 0:
            return -b
        if type(b) is int and b == 0:
            return a
        return operator.sub(a, b)

    def mul(self, a: Number, b: Number) -> Number:
        if type(a) is int and -1 <= a <= 1:
            return b if a == 1 else -b if a else 0
        if type(b) is int and -1 <= b <= 1:
            return a if b == 1 else -a if b else 0
        return operator.mul(a, b)

    def div(self, a: Number, b: Number) -> Number:
        if type(a) is int and a == 0 and not (type(b) is int and b == 0):
            return 0
        if type(b) is int and (b == 1 or b == -1):
            return a if b == 1 else -a
        return call("div", a, b)

    def sqrt(self, a: Number) -> Number:
        return call("sqrt", a)

    def abs(self, a: Number) -> Number:
        return call("abs", a)

    def sign(self, a: Number) -> Number:
        return call("sign", a)

    def floor(self, a: Number) -> Number:
        return call("floor", a)

    def minimum(self, a: Number, b: Number) -> Number:
        return call("minimum", a, b)

    def maximum(self, a: Number, b: Number) -> Number:
        return call("maximum", a, b)

    def less(self, a: Number, b: Number) -> Number:
        return call("less", a, b)

    def less_equal(self, a: Number, b: Number) -> Number:
        return call("less_equal", a, b)

    def equal(self, a: Number, b: Number) -> Number:
        return call("equal", a, b)

    def select(self, condition: Number, yes: Number, no: Number) -> Number:
        return call("select", condition, yes, no)

    def sincos(self, a: Number) -> tuple[Number, Number]:
        return self.sin(a), self.cos(a)

    def sin(self, a: Number) -> Number:
        return 0 if type(a) is int and a == 0 else call("sin", a)

    def cos(self, a: Number) -> Number:
        return 1 if type(a) is int and a == 0 else call("cos", a)

    def tan(self, a: Number) -> Number:
        return 0 if type(a) is int and a == 0 else call("tan", a)

    def asin(self, a: Number) -> Number:
        return call("asin", a)

    def acos(self, a: Number) -> Number:
        return call("acos", a)

    def atan(self, a: Number) -> Number:
        return call("atan", a)

    def atan2(self, y: Number, x: Number) -> Number:
        return call("atan2", y, x)

    def exp(self, a: Number) -> Number:
        return call("exp", a)

    def log(self, a: Number) -> Number:
        return call("log", a)

    def sinh(self, a: Number) -> Number:
        return call("sinh", a)

    def cosh(self, a: Number) -> Number:
        return call("cosh", a)

    def tanh(self, a: Number) -> Number:
        return call("tanh", a)

    def hypot(self, a: Number, b: Number) -> Number:
        return call("hypot", a, b)

    def clip(self, a: Number, low: Number, high: Number) -> Number:
        return call("clip", a, low, high)

    def pow(self, a: Number, b: Number) -> Number:
        return call("pow", a, b)

    def lookup(
        self, table: Table, x: Number, y: Number | None = None, want: Want = Want.VALUE
    ) -> Number:
        return call("lookup", table, x, y, want)
