"""Parameters, inputs, extra states, controls and lookup tables: what has a name and a number.

A control declared `instead_of` another drives the same inputs. The parameter "… choice" of the
first one says which acts: 0 the first, 1, 2, … the others in the order of description.
"""

import math
from collections.abc import Mapping
from typing import ClassVar

from touchback.errors import InputError, ModelError
from touchback.model.value_or_expression import Data, Triple, Value, list_items, number
from touchback.symbolic import Table
from touchback.units import unit_of

MODE = "mode"  # the state that holds the number of the present mode
OWN_RATE = "rate:"
"""Before the name of a force's internal state: the symbol of the rate that the force gives it."""


def in_si(unit: str, number: float) -> float:
    """A number of a unit as expressions have it; as it is where the unit isn't known."""
    known = unit_of(unit)
    return number if known is None else known.in_si(number)


class Parameter(Data, frozen=True):
    """A live number: its default, unit and range, all in that unit. Expressions have it in SI."""

    default: float
    unit: str = ""
    min: float | None = None
    max: float | None = None


def check_value(label: str, parameter: Parameter, value: float) -> None:
    """Refuse a value that isn't finite or beyond a parameter's span, with both, their unit and the
    default."""
    low, high = parameter.min, parameter.max
    if math.isfinite(value) and (low is None or value >= low) and (high is None or value <= high):
        return
    unit = parameter.unit and f" {parameter.unit}"
    span = " to ".join("…" if end is None else f"{end:g}" for end in (low, high))
    raise InputError(
        f"{label}: {value:g}{unit} is beyond its span, {span}{unit}; it is "
        f"{parameter.default:g}{unit} as it was made."
    )


def check_range(label: str, default: float, lowest: float | None, highest: float | None) -> None:
    """Refuse a default outside its range, and a range without inside."""
    if lowest is not None and highest is not None and lowest > highest:
        raise ModelError(f"{label}: its min {lowest} is above its max {highest}; swap them.")
    if (lowest is not None and default < lowest) or (highest is not None and default > highest):
        shown = " to ".join("…" if end is None else str(end) for end in (lowest, highest))
        raise ModelError(
            f"{label}: its default {default} lies outside its range, {shown}; change one of them."
        )


class Input(Data, frozen=True):
    """A signal that comes from outside, with its value when nothing is connected, and the range in
    which people and programs may set it while it runs, all in its unit. Expressions have it in
    SI."""

    default: float = 0.0
    unit: str = ""
    min: float | None = None
    max: float | None = None


class ExtraState(Data, frozen=True):
    """A state of another discipline: ż = rate(q, v, z, u, t). With an `update` it is a memory:
    constant from tick to tick, where it takes the update's value."""

    initial: float = 0.0
    rate: Value = 0.0
    unit: str = ""
    update: Value | None = None


class Control(Data, frozen=True):
    """A traced controller: the expressions that drive inputs; `instead_of` names the control that
    it may stand in for."""

    drives: dict[str, Value]
    instead_of: str = ""


class BaseMotion(Data, frozen=True):
    """Where the ground is in the world: the position of its origin [m] along world axes, then turns
    about its own moving axes [rad], in order; functions of time, parameters and states.

    Velocities and accelerations are derived from them. Gravity is the world's."""

    UNITS: ClassVar[dict[str, str]] = {"position": "m", "turn": "rad"}
    position: Triple = (0.0, 0.0, 0.0)
    turn: tuple[tuple[str, Value], ...] = ()


def ranged_default(
    label: str, default: float, low: float | None, high: float | None
) -> tuple[float, float | None, float | None]:
    """A default within its range."""
    lowest = None if low is None else number(f"{label}: min", low)
    highest = None if high is None else number(f"{label}: max", high)
    usual = number(f"{label}: default", default)
    check_range(label, usual, lowest, highest)
    return usual, lowest, highest


def choice_name(control: str) -> str:
    """The parameter that chooses among a control and its alternatives."""
    return f"{control} choice"


def alternatives(controls: Mapping[str, Control], control: str) -> list[str]:
    """A control and those declared instead of it, in the order of their numbers."""
    others = [name for name, each in controls.items() if each.instead_of == control]
    return [control, *others]


def make_table(label: str, x: object, values: object, y: object = ()) -> Table:
    """A checked table: values as a list, for two variables a row for each x."""
    columns = _numbers(f"{label}: y", y)
    rows = _list(f"{label}: values", values)
    if columns:
        rows = [item for row in rows for item in _row(label, row, len(columns))]
    try:
        return Table(_numbers(f"{label}: x", x), _numbers(f"{label}: values", rows), columns)
    except ModelError as error:
        raise ModelError(str(error).replace("Table:", f"{label}:", 1)) from None


def _row(label: str, row: object, count: int) -> list[object]:
    items = list_items(row)
    if items is None:
        return [row]
    if len(items) != count:
        raise ModelError(f"{label}: a row of values has {len(items)} items for {count} y.")
    return items


def _list(label: str, given: object) -> list[object]:
    items = list_items(given)
    if items is None:
        raise ModelError(f"{label}: a list of numbers is expected, got {given!r}.")
    return items


def _numbers(label: str, given: object) -> tuple[float, ...]:
    return tuple(number(label, item) for item in _list(label, given))
