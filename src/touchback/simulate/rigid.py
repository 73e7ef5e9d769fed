"""What runs with rigid contacts check: their numbers, and overlaps at the start."""

import math
from collections.abc import Iterable
from numbers import Real
from typing import Any, TypeGuard

from touchback.errors import InputError

TOUCHING = 1e-9  # m: deeper is an overlap


def is_real(given: Any) -> TypeGuard[float]:
    """Whether it is a number, of NumPy too, and no truth value."""
    return isinstance(given, Real) and not isinstance(given, bool)


def positive(caller: str, **numbers: Any) -> None:
    """Refuse what is no positive, finite number, by name."""
    for word, given in numbers.items():
        if not is_real(given) or not (math.isfinite(given) and given > 0.0):
            raise InputError(f"{caller}: {word} is {given!r}; give a positive number of seconds.")


def overlaps(names: Iterable[str], gaps: Iterable[float], outcome: str) -> list[str]:
    """A remark for each contact that overlaps at the start: which, how deep, what becomes of it."""
    return [
        f"At the start contact '{name}' overlaps by {-gap:.3g} m; {outcome}"
        for name, gap in zip(names, gaps, strict=True)
        if gap < -TOUCHING
    ]
