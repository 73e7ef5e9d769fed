"""Inputs of a run: numbers, samples on a time grid, or functions of time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from touchback.callback_signature import check_takes
from touchback.errors import InputError
from touchback.names import unknown_name
from touchback.native import SampledInputs
from touchback.numbers import (
    Floats,
    InputData,
    by_name,
    keep,
    positive_number,
    read_array,
    read_number,
    shown,
)
from touchback.simulate.run_protocols import Plain
from touchback.simulate.time_span import Span
from touchback.system import System, kinks

Refresh = Callable[[float, Floats, Floats], None]


@dataclass(frozen=True)
class TimeFunction:
    """An input that is a function of time, with what steps that adapt should know of it: its
    `knots` [s], where it has kinks or jumps, between which steps are as long as it is smooth; or
    its `sampling` [s], beyond which no step goes. Without either steps are at most as long as the
    `step` that a run is given, else a thousandth of its duration, or `output_step` where that is
    shorter."""

    function: Callable[[float], float]
    knots: Sequence[float] | None = None
    sampling: float | None = None

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputError(f"TimeFunction: a function is expected, got {shown(self.function)}.")
        check_takes("TimeFunction: its function", self.function, ["time"])
        if self.sampling is not None:
            keep(self, sampling=positive_number("TimeFunction: sampling", self.sampling))
        if self.knots is not None:
            knots = read_array("TimeFunction: knots", self.knots)
            if knots.ndim != 1 or not np.isfinite(knots).all():
                raise InputError(
                    f"TimeFunction: knots are several times [s], got {shown(self.knots)}."
                )
            object.__setattr__(self, "knots", tuple(map(float, np.unique(knots))))

    def __call__(self, time: float) -> float:
        """Its value."""
        return self.function(time)


@dataclass
class Inputs:
    """Values in u = [t, inputs…]: constants in `u`, the others by their place."""

    u: Floats
    samples: dict[int, tuple[Floats, Floats]] = field(default_factory=dict)
    functions: dict[int, Callable[[float], float]] = field(default_factory=dict)
    texts: Plain = field(default_factory=dict)  # what was given, for the run's metadata
    names: Mapping[int, str] = field(default_factory=dict)  # of the functions' places

    @property
    def changes(self) -> bool:
        """Whether any changes with time."""
        return bool(self.samples or self.functions)

    @property
    def known_places(self) -> frozenset[int]:
        """Places in u of time, constants and samples: what is known before a run."""
        return frozenset(i for i in range(len(self.u)) if i not in self.functions)

    def knots_within(self, span: Span) -> Floats:
        """Where samples have kinks, and what is said of functions, within a run."""
        found = [times[kinks(times, values)] for times, values in self.samples.values()]
        at: Floats = np.unique(np.concatenate([self.knots_of_functions, *found]))
        return at[(at > span.start) & (at <= span.end)]

    @property
    def knots_of_functions(self) -> Floats:
        """What is said of functions: where they have kinks or jumps."""
        found = [
            np.array(each.knots)
            for each in self.functions.values()
            if isinstance(each, TimeFunction) and each.knots
        ]
        return np.concatenate([np.empty(0), *found])

    def longest_step(self, usual: float) -> float:
        """How far apart functions are looked at, at most [s]: by their sampling; those that have
        neither that nor knots as is `usual`."""
        longest = np.inf
        for each in self.functions.values():
            if not isinstance(each, TimeFunction):
                longest = min(longest, usual)
            elif each.sampling is not None:
                longest = min(longest, each.sampling)
            elif each.knots is None:
                longest = min(longest, usual)
        return longest

    def known_over(self, times: Floats, size: int) -> Floats:
        """So many columns of u at each of some times, a row each; of functions nothing is known."""
        rows = np.zeros((len(times), max(size, len(self.u))))
        rows[:, : len(self.u)] = self.u
        rows[:, 0] = times
        for place, (known, values) in self.samples.items():
            rows[:, place] = np.interp(times, known, values)
        return rows

    def refresher(self) -> SampledInputs | Refresh | None:
        """What keeps u up to date during a run; samples alone are followed inside C."""
        if self.functions:
            return self.refresh
        return SampledInputs(self.samples) if self.samples else None

    def at(self, t: float, x: Floats) -> Floats:
        """u at a time and a state."""
        u = np.append(t, self.u[1:])
        self.refresh(t, x, u)
        return u

    def over(self, times: Floats) -> Floats:
        """u at each of some times, a row each."""
        rows = np.tile(self.u, (len(times), 1))
        rows[:, 0] = times
        for place, function in self.functions.items():
            rows[:, place] = [self._number_of(place, function(t), t) for t in times]
        for place, (known, values) in self.samples.items():
            rows[:, place] = np.interp(times, known, values)
        return rows

    def refresh(self, t: float, x: Floats, u: Floats) -> None:
        """Write the inputs of time t that aren't constant into u."""
        for place, function in self.functions.items():
            u[place] = self._number_of(place, function(t), t)
        for place, (times, values) in self.samples.items():
            u[place] = np.interp(t, times, values)

    def _number_of(self, place: int, given: object, t: float) -> float:
        """What a function gave, if it is one number; NumPy takes None, and not an array."""
        if isinstance(given, float):
            return given
        try:
            if given is not None and not np.ndim(cast(ArrayLike, given)):
                return float(cast(float, given))
        except (TypeError, ValueError):
            pass
        raise InputError(
            f"Input {self.names.get(place, place)!r}: its function gives {shown(given)} at "
            f"t = {t:.6g} s; return one number."
        )


def read_inputs(system: System, given: InputData | None, duration: float) -> Inputs:
    """Sorts what a user gave by kind; inputs that aren't given keep their defaults.

    A sequence of numbers is spread evenly over the duration; a pair (times, values) has its own
    grid. Between samples inputs are linear, beyond them constant. Numbers and samples beyond an
    input's range are refused; a function's values aren't known before.
    """
    names = system.input_names
    inputs = Inputs(
        np.append(0.0, np.asarray(system.input_defaults, dtype=np.float64)),
        names=dict(enumerate(names, start=1)),
    )
    for name, value in by_name("inputs", given, "values").items():
        if name not in names:
            raise unknown_name("input", name, names)
        place = 1 + list(names).index(name)
        if callable(value):
            if not isinstance(value, TimeFunction):
                check_takes(f"Input {name!r}: its function", value, ["time"])
            inputs.functions[place] = value
            inputs.texts[name] = "a function of time"
        elif not isinstance(value, Sequence | np.ndarray) or isinstance(value, str):
            number = inputs.u[place] = inputs.texts[name] = _number(name, value)
            system.layout.check_input(name, number)
        else:
            times, values = inputs.samples[place] = _samples(name, value, duration)
            system.layout.check_input(name, values)
            inputs.texts[name] = [times.tolist(), values.tolist()]
    return inputs


def _number(name: str, value: object) -> float:
    try:
        number = read_number(name, value)
    except InputError:
        number = np.nan
    if not np.isfinite(number):
        raise InputError(
            f"Input {name!r} must be a number, samples or a function of time, got {shown(value)}."
        )
    return number


def _samples(name: str, value: object, duration: float) -> tuple[Floats, Floats]:
    try:
        table = read_array(name, value)
    except InputError:
        raise InputError(
            f"Input {name!r}: times and values must be equally many numbers."
        ) from None
    if table.ndim == 1:
        table = np.array([np.linspace(0.0, duration, len(table)), table])
    if table.ndim != 2 or len(table) != 2 or table.shape[1] < 2:
        raise InputError(
            f"Input {name!r}: give samples as a sequence of at least two numbers or as a pair "
            f"(times, values), got shape {table.shape}."
        )
    times, values = table
    if not np.isfinite(table).all() or not (np.diff(times) > 0.0).all():
        raise InputError(f"Input {name!r}: samples must be finite and their times must rise.")
    return times, values
