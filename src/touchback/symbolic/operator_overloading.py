"""What expressions and duals share: Python's operators, NumPy's functions, named operations."""

from collections.abc import Callable, Collection
from numbers import Complex, Real
from typing import Any, ClassVar, Self

import numpy as np

from touchback.errors import InputError
from touchback.numbers import shown
from touchback.symbolic.lookup_table import Table
from touchback.symbolic.numeric_operations import on_arrays, on_floats

_UFUNCS: dict[np.ufunc, str] = {
    np.add: "add",
    np.subtract: "sub",
    np.multiply: "mul",
    np.true_divide: "div",
    np.negative: "neg",
    np.power: "pow",
    np.float_power: "pow",
    np.absolute: "abs",
    np.fabs: "abs",
    np.sqrt: "sqrt",
    np.sin: "sin",
    np.cos: "cos",
    np.tan: "tan",
    np.arcsin: "asin",
    np.arccos: "acos",
    np.arctan: "atan",
    np.arctan2: "atan2",
    np.exp: "exp",
    np.log: "log",
    np.sinh: "sinh",
    np.cosh: "cosh",
    np.tanh: "tanh",
    np.hypot: "hypot",
    np.minimum: "minimum",
    np.maximum: "maximum",
    np.sign: "sign",
    np.floor: "floor",
    np.less: "less",
    np.less_equal: "less_equal",
}
_SWAPPED: dict[np.ufunc, str] = {np.greater: "less", np.greater_equal: "less_equal"}


def call(name: str, *operands: object) -> Any:
    """A named operation on expressions, duals, numbers, or arrays of any of them."""
    plain: Callable[..., Any] = on_floats
    first: Operand | None = None
    for operand in operands:
        if isinstance(operand, float):  # NumPy's own too: laws in floats ask most often
            continue
        if isinstance(operand, np.ndarray):
            if operand.dtype == object or any(isinstance(other, Operand) for other in operands):
                return _element_by_element(name, operands)
            plain = on_arrays
        elif isinstance(operand, complex):
            plain = on_arrays
        elif first is None and isinstance(operand, Operand):
            first = operand
        elif operand is None:  # which expressions take for a table of one variable
            _check_operands(name, operands)
    try:
        return plain(name, *operands) if first is None else first.apply(name, *operands)
    except (TypeError, ValueError, AttributeError):
        _check_operands(name, operands)
        raise


def _check_operands(name: str, operands: tuple[object, ...]) -> None:
    """Raises where an operand is neither a number, an expression nor an array, or no table."""
    for place, operand in enumerate(operands):
        if name == "lookup" and place == 0:
            if not isinstance(operand, Table):
                raise InputError(
                    f"lookup: a table, as m.table(name, x, values), is expected, got "
                    f"{shown(operand)}."
                ) from None
        elif name == "lookup" and place > 1 and operand is None:
            continue
        elif not isinstance(operand, Operand | Real | np.ndarray):
            made = "; make it an array: np.array(…)" if isinstance(operand, list | tuple) else ""
            raise InputError(
                f"{name}: a number, an expression or an array is expected, got "
                f"{shown(operand)}{made}."
            ) from None


def _element_by_element(name: str, operands: tuple[object, ...]) -> np.ndarray:
    """An operation on arrays that hold expressions: an object array of results."""
    boxes = []
    for operand in operands:
        box = operand if isinstance(operand, np.ndarray) else np.empty((), dtype=object)
        if box is not operand:
            # A box hides the expression from NumPy, which would hand it the whole operation.
            box[()] = operand
        boxes.append(box)
    return np.frompyfunc(lambda *elements: call(name, *elements), len(boxes), 1)(*boxes)


def _truth(condition: object) -> Any:
    """1 where a condition holds (is not zero), else 0."""
    return call("select", condition, 1.0, 0.0)


def _as_operand(value: Any) -> Any:
    return np.array(value) if isinstance(value, list | tuple) else value


def _clip(x: Any, a_min: Any = None, a_max: Any = None, *, min: Any = None, max: Any = None) -> Any:
    """np.clip by `minimum` and `maximum`; a bound that is None doesn't act."""
    low, high = (a_min if min is None else min), (a_max if max is None else max)
    x = _as_operand(x)
    if low is not None:
        x = call("maximum", x, _as_operand(low))
    return x if high is None else call("minimum", x, _as_operand(high))


class Operand:
    """A scalar that is no number: `apply` says what a named operation gives, the rest follows.

    No `ABC`: whether something is an expression is asked ten times as often as anything else, and
    of those the question costs as much more."""

    __slots__ = ()
    __array_priority__: ClassVar[float] = 1000.0

    def apply(self, name: str, *operands: object) -> Self:
        """The named operation (a method of `Scalars`) on operands of this kind and real numbers."""
        raise NotImplementedError(type(self).__name__)

    def _operate(self, name: str, *operands: object) -> Any:
        for operand in operands:
            if not isinstance(operand, Operand | Real):
                if isinstance(operand, Complex):
                    raise InputError(
                        f"{type(self).__name__}: operations take real numbers, got {operand!r}."
                    )
                return NotImplemented
        return self.apply(name, *operands)

    def __add__(self, other: "float | Operand") -> Self:
        return self._operate("add", self, other)

    def __radd__(self, other: "float | Operand") -> Self:
        return self._operate("add", other, self)

    def __sub__(self, other: "float | Operand") -> Self:
        return self._operate("sub", self, other)

    def __rsub__(self, other: "float | Operand") -> Self:
        return self._operate("sub", other, self)

    def __mul__(self, other: "float | Operand") -> Self:
        return self._operate("mul", self, other)

    def __rmul__(self, other: "float | Operand") -> Self:
        return self._operate("mul", other, self)

    def __truediv__(self, other: "float | Operand") -> Self:
        return self._operate("div", self, other)

    def __rtruediv__(self, other: "float | Operand") -> Self:
        return self._operate("div", other, self)

    def __pow__(self, other: "float | Operand") -> Self:
        return self._operate("pow", self, other)

    def __rpow__(self, other: "float | Operand") -> Self:
        return self._operate("pow", other, self)

    def __neg__(self) -> Self:
        return self.apply("neg", self)

    def __pos__(self) -> Self:
        return self

    def __abs__(self) -> Self:
        return self.apply("abs", self)

    def __floor__(self) -> Self:
        return self.apply("floor", self)

    def __lt__(self, other: "float | Operand") -> Self:
        return self._operate("less", self, other)

    def __le__(self, other: "float | Operand") -> Self:
        return self._operate("less_equal", self, other)

    def __gt__(self, other: "float | Operand") -> Self:
        return self._operate("less", other, self)

    def __ge__(self, other: "float | Operand") -> Self:
        return self._operate("less_equal", other, self)

    def __and__(self, other: "float | Operand") -> Self:
        """1 where both conditions hold, else 0."""
        return self._operate("select", self, _truth(other), 0.0)

    def __rand__(self, other: "float | Operand") -> Self:
        return self & other

    def __or__(self, other: "float | Operand") -> Self:
        """1 where one of the conditions holds, else 0."""
        return self._operate("select", self, 1.0, _truth(other))

    def __ror__(self, other: "float | Operand") -> Self:
        return self | other

    def __invert__(self) -> Self:
        """1 where the condition doesn't hold, else 0."""
        return self.apply("select", self, 0.0, 1.0)

    # NumPy calls these methods by name on the elements of object arrays.

    def sin(self) -> Self:
        return self.apply("sin", self)

    def cos(self) -> Self:
        return self.apply("cos", self)

    def tan(self) -> Self:
        return self.apply("tan", self)

    def arcsin(self) -> Self:
        return self.apply("asin", self)

    def arccos(self) -> Self:
        return self.apply("acos", self)

    def arctan(self) -> Self:
        return self.apply("atan", self)

    def arctan2(self, x: "float | Operand") -> Self:
        return self.apply("atan2", self, x)

    def sqrt(self) -> Self:
        return self.apply("sqrt", self)

    def exp(self) -> Self:
        return self.apply("exp", self)

    def log(self) -> Self:
        return self.apply("log", self)

    def sinh(self) -> Self:
        return self.apply("sinh", self)

    def cosh(self) -> Self:
        return self.apply("cosh", self)

    def tanh(self) -> Self:
        return self.apply("tanh", self)

    def hypot(self, other: "float | Operand") -> Self:
        return self.apply("hypot", self, other)

    def __array_function__(
        self,
        function: Callable[..., Any],
        types: Collection[type],
        operands: tuple[Any, ...],
        options: dict[str, Any],
    ) -> Any:
        """np.where and np.clip are traced; NumPy's other functions treat expressions as objects."""
        if function is np.where and len(operands) == 3:
            return call("select", *map(_as_operand, operands))
        if function is np.clip and "out" not in options:
            return _clip(*operands, **options)
        return np.ndarray.__array_function__(_PLAIN, function, (), operands, options)

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **options: object
    ) -> Any:
        if method != "__call__" or options:
            return NotImplemented
        if ufunc in _UFUNCS:
            return call(_UFUNCS[ufunc], *inputs)
        if ufunc in _SWAPPED:
            return call(_SWAPPED[ufunc], *reversed(inputs))
        if ufunc is np.logical_and:
            return call("select", inputs[0], _truth(inputs[1]), 0.0)
        if ufunc is np.logical_or:
            return call("select", inputs[0], 1.0, _truth(inputs[1]))
        if ufunc is np.logical_not:
            return call("select", inputs[0], 0.0, 1.0)
        if ufunc is np.equal or ufunc is np.not_equal:
            same = np.frompyfunc(lambda a, b: (a is b) or (a == b), 2, 1)
            boxes = [np.array(x, dtype=object) for x in inputs]
            result = same(*boxes)
            return result if ufunc is np.equal else np.logical_not(result)
        return NotImplemented


_PLAIN = np.empty(0)  # whose method is NumPy's own way of calling a function

Number = float | complex | np.ndarray | Operand
"""What mathematics is written for: numbers, arrays (also of expressions), expressions, duals."""
