"""The past of a run that is over: everything at full rate, asked for as that of a live run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from touchback.recording import Run
from touchback.workbench.scopes.buckets import Buckets, bucketed
from touchback.workbench.scopes.history import moving
from touchback.workbench.scopes.traces import check_traces, unit_of, values_of

Floats = np.ndarray


class Recorded:
    """The signals of a run, or of a recording, over its whole length."""

    def __init__(self, run: Run) -> None:
        self.time = run.time
        self.signals = {"time": run.time, **run.signals}
        self.units = {"time": "s", **run.units}
        self.known = dict.fromkeys(self.signals)

    @property
    def span(self) -> tuple[float, float]:
        """The first and the last time."""
        return (float(self.time[0]), float(self.time[-1])) if len(self.time) else (0.0, 0.0)

    @property
    def full_since(self) -> float:
        """From when on there are full rows: all of it."""
        return self.span[0]

    def unit(self, text: str) -> str:
        """The unit of a trace."""
        return unit_of(text, self.units)

    def check(self, texts: Sequence[str]) -> None:
        """Refuses traces that can't be shown."""
        check_traces(texts, self.known)

    def past(self, texts: Sequence[str], start: float, end: float, count: int) -> Buckets:
        """At most some `count` buckets over a span; what a structure didn't have is a gap."""
        time, values = self.rows(texts, start, end)
        if len(time) <= count:
            return Buckets(time, values, values)
        return bucketed(time, values, (end - start) / count)

    def rows(self, texts: Sequence[str], start: float, end: float) -> tuple[Floats, Floats]:
        """Times (N,) and values (N, n) of traces at full rate."""
        self.check(texts)
        first, last = np.searchsorted(self.time, start), np.searchsorted(self.time, end, "right")
        part = {name: x[first:last] for name, x in self.signals.items()}
        values = [values_of(text, part, int(last - first)) for text in texts]
        stacked = np.stack(values, axis=1) if values else np.empty((int(last - first), 0))
        return moving(self.time[first:last], stacked)
