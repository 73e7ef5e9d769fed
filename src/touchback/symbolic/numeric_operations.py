"""The tape's operations on plain numbers: floats as every back end computes them, arrays by NumPy.

Complex numbers are there for complex steps: comparisons look at the real parts, and `abs`,
`minimum` and the like pick a side, so that the imaginary part stays the derivative (Squire and
Trapp 1998).
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from touchback.symbolic import ops
from touchback.symbolic.evaluate import apply_op
from touchback.symbolic.lookup_table import Table, Want, lookup1, lookup2

OPERATIONS: dict[str, int] = {
    "add": ops.ADD,
    "sub": ops.SUB,
    "mul": ops.MUL,
    "div": ops.DIV,
    "neg": ops.NEG,
    "sqrt": ops.SQRT,
    "abs": ops.ABS,
    "floor": ops.FLOOR,
    "minimum": ops.MIN,
    "maximum": ops.MAX,
    "less": ops.LT,
    "less_equal": ops.LE,
    "equal": ops.EQ,
    "select": ops.SELECT,
    "sin": ops.SIN,
    "cos": ops.COS,
    "asin": ops.ASIN,
    "acos": ops.ACOS,
    "exp": ops.EXP,
    "log": ops.LOG,
    "sinh": ops.SINH,
    "cosh": ops.COSH,
    "tanh": ops.TANH,
    "atan2": ops.ATAN2,
    "pow": ops.POW,
}
"""The name of each operation's method in the scalars interface (`scalars.py`)."""


def _lookup(table: Table, x: float, y: float | None = None, want: Want = Want.VALUE) -> float:
    return lookup1(table, x, want) if y is None else lookup2(table, x, y, want)


_COMPOSED: dict[str, Callable[..., float]] = {
    "tan": lambda a: on_floats("div", on_floats("sin", a), on_floats("cos", a)),
    "atan": lambda a: on_floats("atan2", a, 1.0),
    "hypot": lambda a, b: on_floats(
        "sqrt", on_floats("add", on_floats("mul", a, a), on_floats("mul", b, b))
    ),
    "clip": lambda a, low, high: on_floats("minimum", on_floats("maximum", a, low), high),
    "sign": lambda a: float((a > 0.0) - (a < 0.0)),
    "lookup": _lookup,
}


def on_floats(name: str, *operands: float) -> float:
    """The value of a named operation on floats, bit for bit as plain evaluation gives it."""
    composed = _COMPOSED.get(name)
    if composed is not None:
        return composed(*operands)
    return apply_op(OPERATIONS[name], [float(operand) for operand in operands])


def _where(condition: ArrayLike, yes: ArrayLike, no: ArrayLike) -> np.ndarray:
    return np.where(condition, yes, no)


def _atan2(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    """atan2; for complex numbers its linearisation, which is exact for a complex step."""
    angle = np.arctan2(np.real(y), np.real(x))
    if not (np.iscomplexobj(y) or np.iscomplexobj(x)):
        return angle
    squares = np.real(x) ** 2 + np.real(y) ** 2
    return angle + 1j * (np.real(x) * np.imag(y) - np.real(y) * np.imag(x)) / squares


def _hypot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """√(a² + b²) as an analytic function, so that a complex step passes."""
    return np.sqrt(a * a + b * b)


def _clip(a: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return _ARRAYS["minimum"](_ARRAYS["maximum"](a, low), high)


def _lookup_array(
    table: Table, x: ArrayLike, y: ArrayLike | None = None, want: Want = Want.VALUE
) -> np.ndarray:
    if y is None:
        return np.vectorize(lambda a: lookup1(table, a, want), otypes=[float])(x)
    return np.vectorize(lambda a, b: lookup2(table, a, b, want), otypes=[float])(x, y)


_ARRAYS: dict[str, Callable[..., np.ndarray]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.true_divide,
    "neg": np.negative,
    "sqrt": np.sqrt,
    "abs": lambda a: _where(np.real(a) < 0.0, -a, a),
    "floor": lambda a: np.floor(np.real(a)),
    "sign": lambda a: np.sign(np.real(a)),
    "minimum": lambda a, b: _where(np.real(a) < np.real(b), a, b),
    "maximum": lambda a, b: _where(np.real(a) > np.real(b), a, b),
    "less": lambda a, b: _where(np.real(a) < np.real(b), 1.0, 0.0),
    "less_equal": lambda a, b: _where(np.real(a) <= np.real(b), 1.0, 0.0),
    "equal": lambda a, b: _where(np.real(a) == np.real(b), 1.0, 0.0),
    "select": lambda c, yes, no: _where(np.real(c) != 0.0, yes, no),
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "atan2": _atan2,
    "exp": np.exp,
    "log": np.log,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "hypot": _hypot,
    "clip": _clip,
    "pow": np.power,
    "lookup": _lookup_array,
}


def on_arrays(name: str, *operands: object) -> complex | np.ndarray:
    """A named operation on arrays or complex numbers; NaN and infinities come without warnings."""
    numbers = [
        operand
        if operand is None or isinstance(operand, Table | Want)
        else np.asarray(operand) * 1.0
        for operand in operands
    ]
    with np.errstate(all="ignore"):
        result = _ARRAYS[name](*numbers)
    return result[()] if np.ndim(result) == 0 else result
