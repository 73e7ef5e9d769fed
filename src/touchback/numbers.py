"""Numbers that users give where numbers belong: read in one way, refused in one way."""

import math
import re
import sys
from numbers import Integral, Real
from typing import TypeGuard

import numpy as np

from touchback.errors import InputError

LEAST, MOST = sys.float_info.min, sys.float_info.max  # of what is positive and finite
MOST_COUNTED = 2**62  # steps, events: C counts them in 64 bits
# As files write them. No part ends where the next may begin, so each digit is looked at once.
DECIMAL = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_LONGEST = 300  # letters of what an error shows
_NO_NUMBERS = (bool, np.timedelta64)  # which are whole numbers to Python and NumPy


def is_real(given: object) -> TypeGuard[float]:
    """Whether it is a number, of NumPy too, and no truth value or length of time."""
    return isinstance(given, Real) and not isinstance(given, _NO_NUMBERS)


def number_within(
    sentence: str, given: object, least: float = -math.inf, most: float = math.inf
) -> float:
    """A number from `least` to `most`; else an error: the sentence, which says what it is to be,
    and what was given."""
    value = as_float(given)
    if not least <= value <= most:
        raise InputError(f"{sentence}, got {shown(given)}.")
    return value


def whole_within(sentence: str, given: object, least: int, most: int) -> int:
    """The same of a whole number."""
    no_number = isinstance(given, _NO_NUMBERS)
    if isinstance(given, Integral) and not no_number and least <= int(given) <= most:
        return int(given)
    raise InputError(f"{sentence}, got {shown(given)}.")


def keep(owner: object, **numbers: float) -> None:
    """Sets fields of a frozen dataclass to what was read of them: numbers of NumPy's short kinds
    would else be computed with as they are."""
    for name, number in numbers.items():
        object.__setattr__(owner, name, number)


def positive_number(label: str, given: object) -> float:
    """A number above zero, and finite."""
    return number_within(f"{label} must be a positive number", given, LEAST, MOST)


def as_float(given: object) -> float:
    """A number as Python's, what is none as NaN, and one that is too large as infinite."""
    if not is_real(given):
        return math.nan
    try:
        return float(given)
    except OverflowError:  # of whole numbers without end
        return math.inf if given > 0 else -math.inf


def shown(given: object) -> str:
    """What was given, as an error tells it: the beginning of what is long. (Python writes no number
    of more than 4300 digits.)"""
    try:
        text = repr(given)
    except ValueError:
        return "a number of too many digits"
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
