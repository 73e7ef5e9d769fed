"""Timing with the engines interleaved, so that noise hits all alike."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from touchback import native

Floats = NDArray[np.float64]

_SLICE = 2e-3  # seconds that one turn of an engine takes
_NOTHING = np.zeros(1)


@dataclass(frozen=True)
class Routine:
    """A C function of the one calling convention, with what must stay alive while it is called."""

    address: int
    work_size: int = 0
    context: int = 0
    parameters: Floats = field(default_factory=lambda: _NOTHING)
    owners: tuple[object, ...] = ()

    def time(self, X: Floats, U: Floats, out_size: int, calls: int) -> float:
        """Seconds a call."""
        return native.time_calls(
            self.address, X, U, self.parameters, out_size, self.work_size, self.context,
            calls=calls, repeats=1,
        ).min  # fmt: skip

    def results(self, X: Floats, U: Floats, out_size: int) -> Floats:
        """Results of each row."""
        return native.evaluate_rows(
            self.address, X, U, self.parameters, out_size, self.work_size, self.context
        )


@dataclass(frozen=True)
class PythonRoutine:
    """A peer that can only be called from Python; `overhead` is what an almost empty call takes."""

    call: Callable[[Floats, Floats], Floats]
    overhead: float
    note: str = ""

    def time(self, X: Floats, U: Floats, out_size: int, calls: int) -> float:
        """Seconds a call, overhead included."""
        start = perf_counter()
        for i in range(calls):
            self.call(X[i % len(X)], U[i % len(U)])
        return (perf_counter() - start) / calls

    def results(self, X: Floats, U: Floats, out_size: int) -> Floats:
        """Results of each row."""
        return np.array([self.call(x, u).ravel() for x, u in zip(X, U, strict=True)])


AnyRoutine = Routine | PythonRoutine
Alternatives = dict[str, tuple[AnyRoutine, ...]]  # ways in which an engine computes each function


@dataclass(frozen=True)
class Timing:
    """Seconds a call: the best and the median of many turns."""

    best: float
    median: float


def interleaved(
    routines: Mapping[str, AnyRoutine], X: Floats, U: Floats, out_size: int, turns: int
) -> dict[str, Timing]:
    """A B C A B C …: each engine gets `turns` turns of some milliseconds."""
    calls = {name: _calls(routine, X, U, out_size) for name, routine in routines.items()}
    seconds: dict[str, list[float]] = {name: [] for name in routines}
    for _ in range(turns):
        for name, routine in routines.items():
            seconds[name].append(routine.time(X, U, out_size, calls[name]))
    return {name: Timing(min(s), float(np.median(s))) for name, s in seconds.items()}


def fastest(
    alternatives: tuple[AnyRoutine, ...], X: Floats, U: Floats, out_size: int
) -> AnyRoutine:
    """The way that takes least time here."""
    if len(alternatives) == 1:
        return alternatives[0]
    by_name = {str(i): routine for i, routine in enumerate(alternatives)}
    timings = interleaved(by_name, X, U, out_size, turns=7)
    return by_name[min(timings, key=lambda name: timings[name].best)]


def _calls(routine: AnyRoutine, X: Floats, U: Floats, out_size: int) -> int:
    """How many calls fill a turn."""
    routine.time(X, U, out_size, 3)
    return max(1, int(_SLICE / max(routine.time(X, U, out_size, 10), 1e-9)))
