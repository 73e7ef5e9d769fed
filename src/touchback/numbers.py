"""Numbers that users give where numbers belong: read in one way, refused in one way."""

from __future__ import annotations

import dataclasses
import math
import re
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from touchback.errors import InputError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


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


def is_one_of(given: object, words: Collection[str]) -> bool:
    """Whether it is one of such words; an array is equal to none, and can't be looked for."""
    return isinstance(given, str) and given in words


def check_fields(owner: DataclassInstance) -> None:
    """Refuses what is no number, truth value, text or row of numbers in fields of a dataclass that
    are declared so; what they are to be besides their owner checks. (An array, a text or a number
    of too many digits ends a comparison with a limit in Python's own words.)"""
    for each in dataclasses.fields(owner):
        kind = each.type if isinstance(each.type, str) else _declared(each.type)
        given = getattr(owner, each.name)
        if kind not in _FIELDS or (kind.endswith("| None") and given is None):
            continue
        wanted, fits = _FIELDS[kind]
        if not fits(given):
            label = type(owner).__name__
            raise InputError(f"{label}: its {each.name} must be {wanted}, got {shown(given)}.")


def _declared(kind: object) -> str:
    return kind.__name__ if type(kind) is type else str(kind)


def _is_short(given: object) -> bool:
    """A number that a double holds, or one that isn't finite."""
    too_long = isinstance(given, Integral) and math.isinf(as_float(given))
    return is_real(given) and not too_long


def _are_numbers(given: object) -> bool:
    if isinstance(given, np.ndarray):
        return given.ndim == 1 and all(map(_is_short, given))
    return isinstance(given, list | tuple) and all(map(_is_short, given))


_FIELDS: dict[str, tuple[str, Callable[[object], bool]]] = {
    **dict.fromkeys(("float", "float | None", "int", "int | None"), ("a number", _is_short)),
    "bool": ("True or False", lambda given: isinstance(given, bool | np.bool_)),
    "str": ("a text", lambda given: isinstance(given, str)),
    "tuple[float, ...]": ("a row of numbers", _are_numbers),
}


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
    text = " ".join(line.strip() for line in text.splitlines())  # of arrays
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def check_finite(what: str, **values: object) -> None:
    """Refuse what is no finite number."""
    for name, value in values.items():
        if not math.isfinite(as_float(value)):
            raise InputError(f"{what}: its {name} is {shown(value)}; give a finite number.")


def check_period(what: str, period: object) -> None:
    """Refuse a sampling period that is no time."""
    if not 0.0 < as_float(period) < math.inf:
        raise InputError(
            f"{what}: its period is {shown(period)} s; give the time between two samples."
        )


def series(what: str, least: int, **given: ArrayLike) -> list[np.ndarray]:
    """Records as arrays: of one length, at least so many samples, all of them finite."""
    try:
        found = {name: np.asarray(values, dtype=float) for name, values in given.items()}
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"{what}: {' and '.join(given)} must be series of numbers.") from None
    shapes = {array.shape for array in found.values()}
    (length, *more) = shapes.pop() or (0,)
    if shapes or more or length < least:
        told = ", ".join(f"{name} {array.shape}" for name, array in found.items())
        raise InputError(f"{what}: {told} must be series of one length, at least {least} samples.")
    for name, array in found.items():
        bad = np.flatnonzero(~np.isfinite(array))
        if len(bad):
            raise InputError(
                f"{what}: {name} has {len(bad)} samples that are no finite numbers, the first at "
                f"{bad[0]}; leave these instants out."
            )
    return list(found.values())


Floats = NDArray[np.float64]


#: An input of a run: a number, samples, a pair of times and values, or a function of time.
Input = ArrayLike | tuple[ArrayLike, ArrayLike] | Callable[[float], float]


InputData = Mapping[str, Input]


T = TypeVar("T")


_NO_REALS = "cSUmM"  # kinds of arrays that NumPy would cut, or read as numbers


def read_array(label: str, given: object) -> Floats:
    """Real numbers as an array."""
    try:
        array = np.asarray(given)
        # of mixed things each must be a number: None would be a NaN, a date a number of years
        mixed = array.dtype == object and not all(is_real(each) for each in array.flat)
        if array.dtype.kind not in _NO_REALS and not mixed:
            return np.asarray(array, dtype=float)
    except (TypeError, ValueError, OverflowError):
        pass
    mend = "; of a state give its .q, .v or .z" if hasattr(given, "q") else ""
    raise InputError(f"{label}: real numbers are expected, got {shown(given)}{mend}.")


def by_name(label: str, given: Mapping[str, T] | None, what: str = "numbers") -> dict[str, T]:
    """What was given by name, or nothing."""
    if given is not None and not isinstance(given, Mapping):
        raise InputError(
            f"{label}: {what} by name are expected, as {{'name': …}}, got {shown(given)}."
        )
    return dict(given or {})


def read_number(label: str, given: object) -> float:
    """One real number."""
    array = read_array(label, given)
    if array.ndim:
        raise InputError(f"{label}: one number is expected, got {shown(given)}.")
    return float(array)


Scalar = Any  # an int on a tape, a float, a dual number, an array …


Vector = Sequence[Scalar]


Matrix = Sequence[Sequence[Scalar]]
