"""What a worker does: some runs of a sweep in a row, each kept as it ends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from touchback.errors import SolveError
from touchback.numbers import as_float, is_real, shown
from touchback.sweeps import part
from touchback.sweeps.carried import Carried, Function
from touchback.sweeps.designs import FAILURE
from touchback.sweeps.manifest import check_shared
from touchback.sweeps.part import Outcome

TRIES = 3
_LONGEST = 2000  # letters of a failure's words


@dataclass(frozen=True)
class Task:
    """Runs `first`, `first` + 1, … at these points; `call` names who asks for them."""

    function: Function | Carried
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

    def kept(self) -> dict[int, Outcome]:
        """What those gave that have ended."""
        return part.read(self.part, self.runs).outcomes

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
    function = task.function.unpacked() if isinstance(task.function, Carried) else task.function
    with part.held(task.part, task.runs) as kept:
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
