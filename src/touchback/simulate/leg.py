"""What a solver integrates: a run, or a part of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from touchback.native import Problem
from touchback.simulate.progress import Progress
from touchback.simulate.protocol import Floats
from touchback.simulate.span import Span
from touchback.simulate.watch import Unwatched, Watching


@dataclass(frozen=True)
class Leg:
    """A problem from the state `x0` on, over a span; its states are called `names`."""

    problem: Problem
    names: Sequence[str]
    x0: Floats
    span: Span
    shown: Progress
    watch: Watching = field(default_factory=Unwatched)

    def show(self, t: float) -> None:
        """That the run has come to a time."""
        self.shown.update((t - self.span.start) / self.span.duration)
