"""Mathematical functions for laws, alike on expressions, numbers, and arrays of either."""

from typing import TypeVar, overload

from touchback.symbolic.lookup_table import Table
from touchback.symbolic.operator_overloading import Number, call

A = TypeVar("A", bound=Number)
B = TypeVar("B", bound=Number)
C = TypeVar("C", bound=Number)


def sin(x: A) -> A:
    """Sine of an angle in radians."""
    return call("sin", x)


def cos(x: A) -> A:
    """Cosine of an angle in radians."""
    return call("cos", x)


def tan(x: A) -> A:
    """Tangent of an angle in radians."""
    return call("tan", x)


def asin(x: A) -> A:
    """Angle in [−π/2, π/2] whose sine is x."""
    return call("asin", x)


def acos(x: A) -> A:
    """Angle in [0, π] whose cosine is x."""
    return call("acos", x)


def atan(x: A) -> A:
    """Angle in (−π/2, π/2) whose tangent is x."""
    return call("atan", x)


def atan2(y: A, x: B) -> A | B:
    """Angle in [−π, π] of the point (x, y) from the x axis."""
    return call("atan2", y, x)


def sqrt(x: A) -> A:
    """Square root; NaN below zero."""
    return call("sqrt", x)


def exp(x: A) -> A:
    """e to the power x."""
    return call("exp", x)


def log(x: A) -> A:
    """Natural logarithm; NaN below zero."""
    return call("log", x)


def sinh(x: A) -> A:
    """Hyperbolic sine."""
    return call("sinh", x)


def cosh(x: A) -> A:
    """Hyperbolic cosine."""
    return call("cosh", x)


def tanh(x: A) -> A:
    """Hyperbolic tangent: a smooth step from −1 to 1."""
    return call("tanh", x)


def hypot(x: A, y: B) -> A | B:
    """√(x² + y²); infinite where a square overflows (beyond 1e154)."""
    return call("hypot", x, y)


def clip(x: A, low: B, high: C) -> A | B | C:
    """x held between `low` and `high`: the smaller of `high` and the larger of x and `low`."""
    return call("clip", x, low, high)


def minimum(x: A, y: B) -> A | B:
    """x where x < y, else y."""
    return call("minimum", x, y)


def maximum(x: A, y: B) -> A | B:
    """x where x > y, else y."""
    return call("maximum", x, y)


def sign(x: A) -> A:
    """1 above zero, −1 below, 0 at zero."""
    return call("sign", x)


def floor(x: A) -> A:
    """The largest whole number that is not above x."""
    return call("floor", x)


def select(condition: Number, yes: A, no: B) -> A | B:
    """`yes` where the condition holds (is not zero), else `no`; the side not taken may be NaN."""
    return call("select", condition, yes, no)


@overload
def lookup(table: Table, x: A) -> A: ...
@overload
def lookup(table: Table, x: A, y: B) -> A | B: ...
def lookup(table: Table, x: A, y: B | None = None) -> A | B:
    """Interpolated value of a table at x, or at (x, y) for a table in two variables."""
    return call("lookup", table, x) if y is None else call("lookup", table, x, y)
