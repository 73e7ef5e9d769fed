"""Values of a description: numbers, or expressions of parameters and signals."""

import inspect
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, TypeGuard

import msgspec
import numpy as np

from touchback.errors import ModelError
from touchback.names import unknown
from touchback.symbolic import Expr

if TYPE_CHECKING:
    Value = float | Expr
else:

    class Value:
        """The type of a field that takes a number or an `Expr`; in a file, a number or a text."""


Triple = tuple[Value, Value, Value]
Components = Sequence[Value] | np.ndarray
Values = Value | Components  # one for all, or one for each
LARGEST = 1e50  # of masses, lengths, moments of inertia: products of some of them stay finite


if TYPE_CHECKING:
    from msgspec import StructMeta as _DataClass
else:  # checkers know the constructors' signatures, which a `__call__` would hide from them

    class _DataClass(type(msgspec.Struct)):
        """The class of described data: constructors say by our errors which argument is wrong."""

        def __call__(cls, *args: Any, **given: Any) -> Any:
            try:
                return super().__call__(*args, **given)
            except TypeError:
                _check_arguments(cls, args, given)
                raise  # of a `__post_init__`


def _check_arguments(
    kind: type[msgspec.Struct], args: Sequence[object], given: Mapping[str, object]
) -> None:
    """Raises where arguments don't fit the fields of a kind of data."""
    label, fields = kind.__name__, inspect.signature(kind).parameters
    for word in given:
        if word not in fields:
            raise unknown("argument", word, fields, where=label) from None
    by_place = [name for name, each in fields.items() if each.kind is not each.KEYWORD_ONLY]
    if len(args) > len(by_place):
        named = f"these are {', '.join(by_place)}" if by_place else "give them by name"
        raise ModelError(
            f"{label}: {len(args)} arguments by place are given to {len(by_place)}; {named}."
        ) from None
    placed = by_place[: len(args)]
    for name, each in fields.items():
        if name in placed and name in given:
            raise ModelError(
                f"{label}: argument '{name}' is given by place and by name; give it once."
            ) from None
        if each.default is each.empty and name not in placed and name not in given:
            raise ModelError(
                f"{label}: argument '{name}' is missing; the arguments are {', '.join(fields)}."
            ) from None


class Data(
    msgspec.Struct,
    metaclass=_DataClass,
    frozen=True,
    forbid_unknown_fields=True,
    omit_defaults=True,
):
    """Base of all described data: plain, frozen, printable. `UNITS` has the units that its fields
    are needed in, by their names; "{position}" and "{effort}" are those of the coordinate of its
    `joint`, "{first}" is that of the joint that its field `first` names."""

    UNITS: ClassVar[dict[str, str]] = {}

    def field_units(self) -> Mapping[str, str]:
        """Units of its fields by their names; of others nothing is known."""
        return self.UNITS


def power_law_units(exponent: "Value") -> dict[str, str]:
    """The unit of a stiffness K in K dⁿ [N], where n is a number."""
    return {"stiffness": f"N/m^{exponent:g}"} if is_number(exponent) else {}


def value(label: str, given: object) -> Value:
    """A number as a finite float, an expression as it is; anything else is refused by name."""
    if isinstance(given, Expr):
        if given.value is None:
            return given
        given = given.value
    if isinstance(given, bool) or not hasattr(given, "__float__"):
        raise ModelError(f"{label}: a number or an expression is expected, got {given!r}.")
    try:
        number = float(given)
    except (TypeError, ValueError, OverflowError):
        raise ModelError(f"{label}: {given!r} can't be read as one number.") from None
    if not math.isfinite(number):
        raise ModelError(f"{label}: {number} is not a finite number.")
    return number


def number(label: str, given: object) -> float:
    """A finite float; an expression is refused."""
    checked = value(label, given)
    if isinstance(checked, Expr):
        raise ModelError(f"{label}: a plain number is expected here, got the expression {given}.")
    return float(checked)


def triple(label: str, given: object) -> Triple:
    """Three values."""
    items = list_items(given)
    if items is None or len(items) != 3:
        raise ModelError(f"{label}: three components are expected, got {given!r}.")
    x, y, z = (value(f"{label}[{i}]", item) for i, item in enumerate(items))
    return x, y, z


def pair(label: str, given: object) -> tuple[float, float]:
    """Two plain numbers, such as the ends of a range."""
    items = list_items(given)
    if items is None or len(items) != 2:
        raise ModelError(f"{label}: two numbers are expected, got {given!r}.")
    first, second = (number(f"{label}[{i}]", item) for i, item in enumerate(items))
    return first, second


def refuse_huge_numbers(label: str, values: Iterable[Value]) -> None:
    """Refuse numbers that are beyond any mechanism, and whose products overflow."""
    for item in values:
        if is_number(item) and abs(item) > LARGEST:
            raise ModelError(
                f"{label}: {item:g} is too large; at most {LARGEST:g} can be computed."
            )


def list_items(given: object) -> list[object] | None:
    """The items of a list, tuple or array; None for anything else, text included."""
    if isinstance(given, (str, bytes, dict)) or not isinstance(given, Iterable):
        return None
    try:
        return list(given)
    except TypeError:
        return None


def is_number(given: object) -> TypeGuard[float]:
    """Whether a value is a plain number."""
    return not isinstance(given, Expr)


def is_zero(given: object) -> bool:
    """Whether a value is the plain number 0, and so what it multiplies isn't there at all."""
    return is_number(given) and given == 0.0


def check_values(label: str, **numbers: object) -> None:
    """Refuse plain numbers that are not finite, by name."""
    for word, given in numbers.items():
        value(f"{label}: its {word}", given)


def check_positive(label: str, zero: bool = False, **numbers: object) -> None:
    """Refuse plain numbers that are not above zero (or, with `zero`, not from zero), by name."""
    for word, given in numbers.items():
        number = value(f"{label}: {word}", given)
        if is_number(number) and not (number > 0.0 or (zero and number == 0.0)):
            wanted = "a number from 0" if zero else "a positive number"
            raise ModelError(f"{label}: its {word} is {given}; give {wanted}.")
