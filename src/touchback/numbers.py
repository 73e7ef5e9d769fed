"""Numbers that users give where numbers belong: read in one way, refused in one way."""

import math
import sys
from numbers import Integral, Real
from typing import TypeGuard

from touchback.errors import InputError

LEAST, MOST = sys.float_info.min, sys.float_info.max  # of what is positive and finite
MOST_COUNTED = 2**62  # steps, events: C counts them in 64 bits


def is_real(given: object) -> TypeGuard[float]:
    """Whether it is a number, of NumPy too, and no truth value."""
    return isinstance(given, Real) and not isinstance(given, bool)


def number_within(
    sentence: str, given: object, least: float = -math.inf, most: float = math.inf
) -> float:
    """A number from `least` to `most`; else an error: the sentence, which says what it is to be,
    and what was given."""
    value = _as_float(given)
    if not least <= value <= most:
        raise InputError(f"{sentence}, got {_shown(given)}.")
    return value


def whole_within(sentence: str, given: object, least: int, most: int) -> int:
    """The same of a whole number."""
    if not isinstance(given, bool) and isinstance(given, Integral) and least <= int(given) <= most:
        return int(given)
    raise InputError(f"{sentence}, got {_shown(given)}.")


def positive_number(label: str, given: object) -> float:
    """A number above zero, and finite."""
    return number_within(f"{label} must be a positive number", given, LEAST, MOST)


def _as_float(given: object) -> float:
    if not is_real(given):
        return math.nan
    try:
        return float(given)
    except OverflowError:  # of whole numbers without end
        return math.inf if given > 0 else -math.inf


def _shown(given: object) -> str:
    try:
        return repr(given)
    except ValueError:
        return "a number of too many digits"
