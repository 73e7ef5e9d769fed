"""A second opinion on derivatives: dual numbers, a value and its tangent, one number at a time."""

from collections.abc import Callable
from typing import Any

from touchback.symbolic.lookup_table import Table, Want
from touchback.symbolic.numeric_operations import on_floats
from touchback.symbolic.operator_overloading import Operand


class Dual(Operand):
    """value + tangent·ε with ε² = 0. Comparisons give floats that look at the values only."""

    __slots__ = ("tangent", "value")

    def __init__(self, value: float, tangent: float = 0.0) -> None:
        self.value = float(value)
        self.tangent = float(tangent)

    def apply(self, name: str, *operands: Any) -> Any:
        """The value by plain evaluation, the tangent by the chain rule."""
        values = [x.value if isinstance(x, Dual) else x for x in operands]
        if name in _CONDITIONS:
            return on_floats(name, *values)
        if name in _CHOICES:
            chosen = _CHOICES[name](*operands)
            return chosen if isinstance(chosen, Dual) else Dual(chosen)
        value = on_floats(name, *values)
        partials = _PARTIALS[name](value, *values)
        tangent = 0.0
        for x, partial in zip(_numbers(operands), partials, strict=False):
            if isinstance(x, Dual) and x.tangent != 0.0:
                tangent += partial() * x.tangent
        return Dual(value, tangent)

    def __bool__(self) -> bool:
        return self.value != 0.0

    def __repr__(self) -> str:
        return f"Dual({self.value!r}, {self.tangent!r})"


def _numbers(operands: tuple[Any, ...]) -> list[Any]:
    return [x for x in operands if x is not None and not isinstance(x, Table | Want)]


def _value(x: Any) -> float:
    return x.value if isinstance(x, Dual) else float(x)


_CONDITIONS = ("less", "less_equal", "equal", "floor", "sign")

_CHOICES: dict[str, Callable[..., Any]] = {
    "select": lambda c, yes, no: yes if _value(c) != 0.0 else no,
    "minimum": lambda a, b: a if _value(a) < _value(b) else b,
    "maximum": lambda a, b: a if _value(a) > _value(b) else b,
}

Partial = Callable[[], float]


def _lookup_partials(
    _: float, table: Table, x: float, y: float | None = None, want: Want = Want.VALUE
) -> tuple[Partial, ...]:
    def slope(along: Want) -> Partial:
        known = want == Want.DXY or want == along
        wanted = Want.DXY if want != Want.VALUE else along
        return lambda: 0.0 if known else on_floats("lookup", table, x, y, wanted)

    return slope(Want.DX), slope(Want.DY)


def _div(a: float, b: float) -> float:
    return on_floats("div", a, b)


def _power_of_base(a: float, b: float) -> float:
    return b * on_floats("pow", a, b - 1.0)


def _power_of_exponent(value: float, a: float) -> float:
    return 0.0 if a == 0.0 else value * on_floats("log", a)


_PARTIALS: dict[str, Callable[..., tuple[Partial, ...]]] = {
    "add": lambda r, a, b: (lambda: 1.0, lambda: 1.0),
    "sub": lambda r, a, b: (lambda: 1.0, lambda: -1.0),
    "mul": lambda r, a, b: (lambda: b, lambda: a),
    "div": lambda r, a, b: (lambda: _div(1.0, b), lambda: -_div(r, b)),
    "neg": lambda r, a: (lambda: -1.0,),
    "sqrt": lambda r, a: (lambda: _div(0.5, r),),
    "abs": lambda r, a: (lambda: on_floats("sign", a),),
    "sin": lambda r, a: (lambda: on_floats("cos", a),),
    "cos": lambda r, a: (lambda: -on_floats("sin", a),),
    "tan": lambda r, a: (lambda: 1.0 + r * r,),
    "asin": lambda r, a: (lambda: _div(1.0, on_floats("sqrt", 1.0 - a * a)),),
    "acos": lambda r, a: (lambda: -_div(1.0, on_floats("sqrt", 1.0 - a * a)),),
    "atan": lambda r, a: (lambda: 1.0 / (1.0 + a * a),),
    "atan2": lambda r, y, x: (lambda: _div(x, x * x + y * y), lambda: -_div(y, x * x + y * y)),
    "exp": lambda r, a: (lambda: r,),
    "log": lambda r, a: (lambda: _div(1.0, a),),
    "sinh": lambda r, a: (lambda: on_floats("cosh", a),),
    "cosh": lambda r, a: (lambda: on_floats("sinh", a),),
    "tanh": lambda r, a: (lambda: 1.0 - r * r,),
    "pow": lambda r, a, b: (lambda: _power_of_base(a, b), lambda: _power_of_exponent(r, a)),
    "lookup": _lookup_partials,
}
