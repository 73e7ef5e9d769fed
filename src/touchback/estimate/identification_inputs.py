"""What a fit begins with: recorded runs (times, initial states, inputs, measured signals), and its
unknowns: parameters, the same in all runs, and initial states, of each run its own; where the
search begins, and within which bounds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from touchback import Run, System
from touchback.errors import InputError
from touchback.names import unknown_name
from touchback.numbers import InputData, as_float, by_name, is_real, shown
from touchback.simulate import Inputs, Where, read_inputs, read_state
from touchback.unit_spellings import in_unit

_LEAST = 3  # instants of a run
Bounds = Mapping[str, tuple[float, float]]
_Numbers = dict[str, float]


@dataclass(frozen=True)
class Recorded:
    """A run: its measured signals (times, signals), NaN where nothing was measured, the state it
    began in, parameters that it was made with, and inputs of which nothing is known."""

    time: np.ndarray
    measured: np.ndarray
    x0: np.ndarray
    given: Inputs
    parameters: dict[str, float]
    unfed: tuple[str, ...]


def read_runs(
    system: System,
    runs: Run | Sequence[Run],
    signals: Sequence[str],
    x0: Where | Sequence[Where],
    inputs: InputData | None,
    at: Mapping[str, float] | None,
) -> list[Recorded]:
    """Refused where a signal isn't there, or none of its samples is a number."""
    several = [runs] if isinstance(runs, Run) else list(runs) if isinstance(runs, Iterable) else []
    starts = _starts(x0, len(several))
    if not several or not all(isinstance(run, Run) for run in several):
        raise InputError("tb.identify: one run, or a list of runs, is expected.")
    if len(starts) != len(several):
        raise InputError(
            f"x0: {len(several)} runs need one state for all or as many as runs, got {len(starts)}."
        )
    fixed = by_name("at", at)
    for name in fixed:
        if name not in system.layout.parameters:
            raise unknown_name("parameter", name, system.layout.parameters)
    read = [
        _read(system, run, signals, start, inputs, fixed, f"Run {i + 1}")
        for i, (run, start) in enumerate(zip(several, starts, strict=True))
    ]
    seen = np.sum([np.isfinite(each.measured).sum(axis=0) for each in read], axis=0)
    for name, count in zip(signals, seen, strict=True):
        if not count:
            raise InputError(f"Signal '{name}': none of its samples is a number; leave it out.")
    return read


def unfed_inputs(runs: Sequence[Recorded]) -> list[str]:
    """A sentence for each input that some run neither recorded nor was given."""
    names = dict.fromkeys(name for run in runs for name in run.unfed)
    return [
        f"input '{name}' is neither in the record nor in `inputs`: the model's own value was taken"
        for name in names
    ]


def _starts(given: Any, runs: int) -> list[Where]:
    """One for each run: a list of states, or one state for all."""
    apart = isinstance(given, list | tuple) and not all(map(is_real, given))
    return list(given) if apart else [given] * runs


def _read(
    system: System,
    run: Run,
    signals: Sequence[str],
    x0: Where,
    inputs: InputData | None,
    at: Mapping[str, float],
    label: str,
) -> Recorded:
    time = run.time
    if len(time) < _LEAST or not np.isfinite(time).all() or not (np.diff(time) > 0.0).all():
        raise InputError(
            f"{label}: at least {_LEAST} instants are needed, finite, each later than the one "
            "before."
        )
    for name in signals:
        if name not in run.signals:
            raise InputError(f"{label}: {unknown_name('signal', name, run.signals)}")
    units = signal_units(system)
    measured = np.stack([_in_its_unit(run, name, units[name], label) for name in signals], axis=1)
    for name, column in zip(signals, measured.T, strict=True):
        if np.isinf(column).any():
            first = time[np.argmax(np.isinf(column))]
            raise InputError(
                f"{label}: signal '{name}' is infinite at {first:g} s; make samples that weren't "
                "measured NaN."
            )
    known = {**run.parameters, **at}
    known = {name: value for name, value in known.items() if name in system.layout.parameters}
    state = system.assemble() if x0 is None else x0
    begin, given = read_state(system, state), _inputs(system, run, inputs, label)
    unfed = tuple(name for name in system.input_names if name not in given.texts)
    return Recorded(time, measured, begin, given, known, unfed)


def _inputs(system: System, run: Run, inputs: InputData | None, label: str) -> Inputs:
    """Those that are given, then those that were recorded, then the model's own."""
    given = dict(by_name("inputs", inputs, "values"))
    for name, unit in zip(system.input_names, system.input_units, strict=True):
        if name in run.signals and name not in given:
            if not np.isfinite(run[name]).all():
                raise InputError(
                    f"{label}: the recorded input '{name}' has samples that are no numbers; give "
                    "it by inputs={…}, with these left out."
                )
            given[name] = (run.time, _in_its_unit(run, name, unit, label))
    return read_inputs(system, given, run.duration)


def signal_units(system: System) -> dict[str, str]:
    """Those of states and sensors."""
    states = zip(system.state_names, system.state_units, strict=True)
    return dict([*states, *zip(system.output_names, system.output_units, strict=True)])


def _in_its_unit(run: Run, name: str, unit: str, label: str) -> np.ndarray:
    """A recorded signal in the unit of the model, where the record has one."""
    return in_unit(f"{label}: '{name}'", run[name], run.units.get(name, ""), unit)


@dataclass(frozen=True)
class Unknowns:
    """Names, units, first guesses and bounds, parameters first; `scale` is of the size of each."""

    parameters: tuple[str, ...]
    initial: tuple[str, ...]
    names: tuple[str, ...]
    units: tuple[str, ...]
    first: np.ndarray
    low: np.ndarray
    high: np.ndarray
    scale: np.ndarray

    def of_run(self, theta: np.ndarray, i: int, run: Recorded) -> tuple[_Numbers, _Numbers]:
        """Parameters, and initial states by name, of a run."""
        n, k = len(self.parameters), len(self.initial)
        own = theta[n + i * k : n + (i + 1) * k]
        found = dict(zip(self.parameters, map(float, theta[:n]), strict=True))
        return {**run.parameters, **found}, dict(zip(self.initial, map(float, own), strict=True))

    def columns(self, i: int) -> list[int]:
        """Places of a run's directions among the unknowns."""
        n, k = len(self.parameters), len(self.initial)
        return [*range(n), *range(n + i * k, n + (i + 1) * k)]


def read_unknowns(
    system: System,
    parameters: Sequence[str] | Mapping[str, float],
    initial: Sequence[str],
    bounds: Bounds | None,
    runs: Sequence[Recorded],
) -> Unknowns:
    """Refused where a name is unknown, or where a first guess lies outside its bounds."""
    own, states = _named("parameters", parameters), _named("initial", initial)
    if not own and not states:
        raise InputError("parameters: name at least one that is to be found.")
    for name in own:
        if name not in system.layout.parameters:
            raise unknown_name("parameter", name, system.layout.parameters)
    for name in states:
        _check_state(system, name)
    single = len(runs) == 1
    names, units = [*own], [system.layout.ranges[system.layout.index(n)].unit for n in own]
    first = [_guess(system, parameters, name) for name in own]
    for i, run in enumerate(runs):
        which = "" if single else f" of run {i + 1}"
        names += [f"{name} at the start{which}" for name in states]
        places = [system.state_names.index(name) for name in states]
        units += [system.state_units[place] for place in places]
        first += [float(run.x0[place]) for place in places]
    limits = _bounds(system, own, states, bounds)
    repeated = [*limits[: len(own)], *limits[len(own) :] * len(runs)]
    low, high = np.array(repeated, dtype=float).reshape(-1, 2).T
    guess = np.array(first)
    for name, x, a, b in zip(names, guess, low, high, strict=True):
        if not a < x < b:
            raise InputError(
                f"'{name}': the first guess {x:g} doesn't lie within its bounds ({a:g}, {b:g}); "
                'widen them, or begin elsewhere: parameters={"name": value}, x0=….'
            )
    return Unknowns(
        own, states, tuple(names), tuple(units), guess, low, high, _scale(guess, low, high)
    )


def _named(word: str, given: object) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Sequence | Mapping):
        raise InputError(f"{word}: a list of names is expected, got {shown(given)}.")
    names = tuple(given)
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise InputError(f"{word}: '{sorted(twice)[0]}' is named twice.")
    return names


def _check_state(system: System, name: str) -> None:
    if name not in system.state_names:
        raise unknown_name("state", name, system.state_names)
    if name in system.layout.q and name not in system.layout.v:
        raise InputError(
            f"initial: '{name}' is part of a quaternion, whose four numbers aren't free; give the "
            "attitude at the start by x0."
        )


def _guess(system: System, given: object, name: str) -> float:
    value = given[name] if isinstance(given, Mapping) else system[name]
    number = as_float(value)
    if not np.isfinite(number):
        raise InputError(f"parameters: the first guess of '{name}' is {shown(value)}, no number.")
    return number


def _bounds(
    system: System, own: Sequence[str], states: Sequence[str], given: Bounds | None
) -> list[tuple[float, float]]:
    """Those that are given, within the range that a model allows."""
    asked = by_name("bounds", given, "pairs (least, most)")
    for name in asked:
        if name not in (*own, *states):
            raise unknown_name("unknown to bound", name, [*own, *states])
    found = []
    for name in (*own, *states):
        low, high = _range(system, name)
        least, most = _pair(name, asked[name]) if name in asked else (-np.inf, np.inf)
        found.append((max(low, least), min(high, most)))
    return found


def _range(system: System, name: str) -> tuple[float, float]:
    if name not in system.layout.parameters:
        return -np.inf, np.inf
    known = system.layout.ranges[system.layout.index(name)]
    low = -np.inf if known.min is None else float(known.min)
    return low, np.inf if known.max is None else float(known.max)


def _pair(name: str, given: object) -> tuple[float, float]:
    pair = tuple(given) if isinstance(given, list | tuple | np.ndarray) else ()
    if len(pair) != 2 or not as_float(pair[0]) < as_float(pair[1]):
        raise InputError(
            f"bounds of '{name}': a pair (least, most) is expected, got {shown(given)}."
        )
    return float(pair[0]), float(pair[1])


def _scale(first: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The first guess is of the size; where it is 0, the bounds, else 1."""
    width = np.where(np.isfinite(high - low), high - low, 1.0)
    return np.where(first != 0.0, np.abs(first), width)
