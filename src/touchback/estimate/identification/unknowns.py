"""What a fit looks for: parameters, the same in all runs, and initial states, of each run its own;
where the search begins, and within which bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from touchback.errors import InputError
from touchback.estimate.identification.recorded import Recorded
from touchback.numbers import as_float, shown
from touchback.recording import unknown_name
from touchback.system import System
from touchback.system.array_arguments import by_name

Bounds = Mapping[str, tuple[float, float]]
_Numbers = dict[str, float]


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
