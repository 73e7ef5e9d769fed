"""Mathematical functions for laws, alike on expressions, numbers, and arrays of either."""

from typing import Any

from touchback.symbolic.operand import call
from touchback.symbolic.table import Table


def sin(x: Any) -> Any:
    """Sine of an angle in radians."""
    return call("sin", x)


def cos(x: Any) -> Any:
    """Cosine of an angle in radians."""
    return call("cos", x)


def tan(x: Any) -> Any:
    """Tangent of an angle in radians."""
    return call("tan", x)


def asin(x: Any) -> Any:
    """Angle in [−π/2, π/2] whose sine is x."""
    return call("asin", x)


def acos(x: Any) -> Any:
    """Angle in [0, π] whose cosine is x."""
    return call("acos", x)


def atan(x: Any) -> Any:
    """Angle in (−π/2, π/2) whose tangent is x."""
    return call("atan", x)


def atan2(y: Any, x: Any) -> Any:
    """Angle in [−π, π] of the point (x, y) from the x axis."""
    return call("atan2", y, x)


def sqrt(x: Any) -> Any:
    """Square root; NaN below zero."""
    return call("sqrt", x)


def exp(x: Any) -> Any:
    """e to the power x."""
    return call("exp", x)


def log(x: Any) -> Any:
    """Natural logarithm; NaN below zero."""
    return call("log", x)


def pow(x: Any, y: Any) -> Any:
    """x to the power y."""
    return call("pow", x, y)


def minimum(x: Any, y: Any) -> Any:
    """x where x < y, else y."""
    return call("minimum", x, y)


def maximum(x: Any, y: Any) -> Any:
    """x where x > y, else y."""
    return call("maximum", x, y)


def sign(x: Any) -> Any:
    """1 above zero, −1 below, 0 at zero."""
    return call("sign", x)


def floor(x: Any) -> Any:
    """The largest whole number that is not above x."""
    return call("floor", x)


def select(condition: Any, yes: Any, no: Any) -> Any:
    """`yes` where the condition holds (is not zero), else `no`; the side not taken may be NaN."""
    return call("select", condition, yes, no)


def lookup(table: Table, x: Any, y: Any = None) -> Any:
    """Interpolated value of a table at x, or at (x, y) for a table in two variables."""
    return call("lookup", table, x) if y is None else call("lookup", table, x, y)
