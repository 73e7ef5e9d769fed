"""What a worker does: some runs of a sweep in a row, each kept as it ends.

Functions of scripts and notebooks on their way to workers, which can't import them.
"""

from __future__ import annotations

import functools
import io
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from touchback.errors import InputError, SolveError
from touchback.numbers import as_float, is_real, shown
from touchback.sweeps import sweep_folder
from touchback.sweeps.sweep_designs import FAILURE
from touchback.sweeps.sweep_folder import Outcome, check_shared

TRIES = 3


_LONGEST = 2000  # letters of a failure's words


@dataclass(frozen=True)
class Task:
    """Runs `first`, `first` + 1, … at these points; `call` names who asks for them."""

    function: Function | PickledFunction
    folder: str
    sweep: str
    call: str
    number: int
    first: int
    names: tuple[str, ...]
    points: np.ndarray

    def __len__(self) -> int:
        return len(self.points)

    @property
    def runs(self) -> range:
        """Their numbers."""
        return range(self.first, self.first + len(self))

    def stored(self) -> dict[int, Outcome]:
        """What those gave that have ended."""
        return sweep_folder.read_part(self.part, self.runs).outcomes

    @property
    def part(self) -> Path:
        """Where what they give is kept."""
        return part_of(Path(self.folder), self.number)


def part_of(folder: Path, number: int) -> Path:
    """The file of some runs in a row."""
    return folder / "parts" / f"{number:04d}.jsonl"


def compute(task: Task) -> None:
    """Computes those of its runs that nobody has computed yet. A run that ends its process each
    time is given up."""
    check_shared(Path(task.folder), task.sweep)
    function = (
        task.function.unpacked() if isinstance(task.function, PickledFunction) else task.function
    )
    with sweep_folder.hold_part(task.part, task.runs) as kept:
        for index, point in enumerate(task.points.tolist(), task.first):
            if index in kept.outcomes:
                continue
            if kept.begun[index, task.call] >= TRIES:
                kept.end(index, f"Its process was killed or crashed {TRIES} times.")
                continue
            kept.begin(index, task.call)
            kept.end(index, _outcome(function, dict(zip(task.names, point))))


def stopped(why: str) -> SolveError:
    """For a sweep that can't go on."""
    reason = why.rstrip(".")
    return SolveError(f"The sweep stopped: {reason}. What has ended is kept; call again to go on.")


def _outcome(function: Function, point: dict[str, float]) -> Outcome:
    """What a run gives, or in words why it gives nothing."""
    try:
        found: object = function(**point)
    except Exception as error:
        words = f"{type(error).__name__}: {error}"[:_LONGEST]
        return words.encode(errors="backslashreplace").decode()  # a table takes no half letters
    if not isinstance(found, Mapping):
        return f"A run gives numbers by name, {{'name': 1.0}}, and this one {shown(found)[:80]}."
    for name, value in found.items():
        if not isinstance(name, str) or name in (*point, FAILURE) or not name.isprintable():
            return f"An outcome has a name of its own, and this run gave {shown(name)[:80]}."
        if not is_real(value):
            return f"Outcome {name!r} is to be a number, and this run gave {shown(value)[:80]}."
    return {name: as_float(value) for name, value in found.items()}


Function = Callable[..., Mapping[str, float]]


@dataclass(frozen=True)
class PickledFunction:
    """A function by value: what workers can import is named in it, the rest is in it."""

    content: bytes

    def unpacked(self) -> Function:
        """The function, the same one whenever a process asks: what it caches stays."""
        return _unpacked(self.content)


@functools.lru_cache(maxsize=8)
def _unpacked(content: bytes) -> Function:
    found: Function = pickle.loads(content)
    return found


def carry_function(function: Function | PickledFunction) -> PickledFunction:
    """A function by value, by cloudpickle, which dask brings along."""
    if isinstance(function, PickledFunction):
        return function
    import cloudpickle

    class Pickler(cloudpickle.Pickler):
        """Cached functions (`functools.cache`) too: cloudpickle has them by name alone."""

        def reducer_override(self, obj: Any) -> Any:
            if isinstance(obj, functools._lru_cache_wrapper) and _unnamed(obj):
                return _cached, (obj.__wrapped__, obj.cache_parameters())
            return super().reducer_override(obj)

    buffer = io.BytesIO()
    try:
        Pickler(buffer, protocol=pickle.HIGHEST_PROTOCOL).dump(function)
    except (pickle.PicklingError, AttributeError, TypeError, RecursionError) as error:
        raise InputError(
            f"The function of a sweep can't be sent to a cluster ({error}). What it uses must be "
            "plain data: build models and compile systems in a function that workers call, under "
            "`@functools.cache`."
        ) from None
    return PickledFunction(buffer.getvalue())


def _unnamed(function: Any) -> bool:
    """Whether workers wouldn't find it by its name."""
    return function.__module__ == "__main__" or "<locals>" in function.__qualname__


def _cached(function: Callable[..., object], settings: Mapping[str, Any]) -> Callable[..., object]:
    return functools.lru_cache(**settings)(function)
