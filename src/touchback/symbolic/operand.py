"""What expressions and duals share: Python's operators, NumPy's functions, named operations."""

from collections.abc import Callable
from numbers import Complex, Real
from typing import Any, ClassVar, Self

import numpy as np

from touchback.errors import InputError
from touchback.symbolic.numeric import on_arrays, on_floats

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
    for operand in operands:
        if isinstance(operand, np.ndarray):
            if operand.dtype == object or any(isinstance(other, Operand) for other in operands):
                return _element_by_element(name, operands)
            plain = on_arrays
        elif isinstance(operand, complex):
            plain = on_arrays
    for operand in operands:
        if isinstance(operand, Operand):
            return operand.apply(name, *operands)
    return plain(name, *operands)


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

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: object, **options: object
    ) -> Any:
        if method != "__call__" or options:
            return NotImplemented
        if ufunc in _UFUNCS:
            return call(_UFUNCS[ufunc], *inputs)
        if ufunc in _SWAPPED:
            return call(_SWAPPED[ufunc], *reversed(inputs))
        if ufunc is np.equal or ufunc is np.not_equal:
            same = np.frompyfunc(lambda a, b: (a is b) or (a == b), 2, 1)
            boxes = [np.array(x, dtype=object) for x in inputs]
            result = same(*boxes)
            return result if ufunc is np.equal else np.logical_not(result)
        return NotImplemented


Number = float | complex | np.ndarray | Operand
"""What mathematics is written for: numbers, arrays (also of expressions), expressions, duals."""
