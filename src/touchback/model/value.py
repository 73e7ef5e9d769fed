"""Values of a description: numbers, or expressions of parameters and signals."""

from typing import Any

import msgspec

from touchback.errors import ModelError
from touchback.symbolic.expression import Expr


class _NumberOrExpr(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, (int, float, Expr))


class Value(metaclass=_NumberOrExpr):
    """The type of a field that takes a number or an `Expr`. In a file: a number or a text expression."""


Triple = tuple[Value, Value, Value]


class Data(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Base of all described data: plain, frozen, printable."""


def value(label: str, given: Any) -> Any:
    """A given number as a float, an expression as it is; anything else is refused by name."""
    if isinstance(given, Expr):
        return given
    if isinstance(given, bool) or not hasattr(given, "__float__"):
        raise ModelError(f"{label}: a number or an expression is expected, got {given!r}.")
    number = float(given)
    if number != number or number in (float("inf"), float("-inf")):
        raise ModelError(f"{label}: {number} is not a finite number.")
    return number


def triple(label: str, given: Any) -> Any:
    """Three values."""
    try:
        items = list(given)
    except TypeError:
        items = []
    if len(items) != 3:
        raise ModelError(f"{label}: three components are expected, got {given!r}.")
    return tuple(value(f"{label}[{i}]", item) for i, item in enumerate(items))


def is_number(given: Any) -> bool:
    """Whether a value is a plain number."""
    return not isinstance(given, Expr)
