"""Scalars of a mechanism as numbers with operators, and back."""

from collections.abc import Iterable

from touchback import Expr
from touchback.model import Scalars, Tape
from touchback.numbers import Scalar


def as_numbers(k: Scalars, scalars: Iterable[Scalar]) -> list[Scalar]:
    """What laws with operators take: nodes of a tape become expressions."""
    return [Expr(k, each) for each in scalars] if isinstance(k, Tape) else list(scalars)


def as_scalars(k: Scalars, numbers: Iterable[Scalar]) -> list[Scalar]:
    """And what the mechanism takes back."""
    if not isinstance(k, Tape):
        return list(numbers)
    return [each.id if isinstance(each, Expr) else k.const(float(each)) for each in numbers]
