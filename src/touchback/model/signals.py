"""Parameters, inputs, extra states and controls: what has a name and a number."""

import math
from typing import ClassVar

from touchback.errors import InputError, ModelError
from touchback.model.value import Data, Triple, Value
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
