"""What came of a batch: signals of all instances, where each ended, and which failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from touchback.names import unknown_name

Floats = np.ndarray


@dataclass(frozen=True)
class BatchRun:
    """`run["name"]` has a row of each instance over the times; what it didn't reach is NaN. `x` are
    the last good states, `ended` [s] is when each was there, and `whole` says who reached the
    end. Of a batch whose states lay on a graphics card, signals and `x` are CuPy's arrays there,
    which torch and jax take by DLPack."""

    name: str
    state_names: tuple[str, ...]
    signals: tuple[str, ...]
    time: Floats
    record: Floats = field(repr=False)  # (instances, times, signals)
    x: Floats = field(repr=False)
    ended: Floats = field(repr=False)
    whole: np.ndarray = field(repr=False)
    reasons: Mapping[int, str] = field(repr=False)  # of those that failed, where they are known
    lanes: int
    threads: int
    card: str = ""  # the graphics card that computed it

    def __len__(self) -> int:
        return len(self.record)

    def __getitem__(self, name: str) -> Floats:
        """A signal: (instances, times)."""
        if name not in self.signals:
            raise unknown_name("signal", name, self.signals)
        return self.record[:, :, self.signals.index(name)]

    def last(self, state: str) -> Floats:
        """A state at the end of each instance."""
        if state not in self.state_names:
            raise unknown_name("state", state, self.state_names)
        return self.x[:, self.state_names.index(state)]

    @property
    def failed(self) -> np.ndarray:
        """Numbers of the instances that didn't reach the end."""
        return np.flatnonzero(~self.whole)

    def __str__(self) -> str:
        failed = len(self.failed)
        tail = f"; {failed} didn't reach the end, the first is {self.failed[0]}" if failed else ""
        where = self.card or f"{self.threads} threads, {self.lanes} at once on each"
        return (
            f"{len(self)} × {self.name}: {len(self.time)} instants up to {self.time[-1]:g} s, "
            f"on {where}{tail}"
        )


class BatchInterrupted(KeyboardInterrupt):
    """A batch that Ctrl-C ended; `run` has the instances that were done. Of the others what is
    recorded and when they ended is NaN, and `x` tells nothing."""

    def __init__(self, run: BatchRun) -> None:
        done = len(run) - len(run.failed)
        super().__init__(
            f"{run.name}: interrupted; of {len(run)} instances {done} were done, which are kept in "
            "`.run`."
        )
        self.run = run

    def __reduce__(self) -> tuple[type[BatchInterrupted], tuple[BatchRun]]:
        """By its run, when it goes to another process: Python would give it the message."""
        return BatchInterrupted, (self.run,)
