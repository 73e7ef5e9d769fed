"""What a solver integrates: a run, or a part of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from touchback.native import Problem
from touchback.simulate.input_trace import InputTrace, Quadrature
from touchback.simulate.progress import Progress
from touchback.simulate.protocol import Floats
from touchback.simulate.span import Span
from touchback.simulate.watch import Unwatched, Watching


@dataclass(frozen=True)
class Leg:
    """A problem from the state `x0` on, over a span; its states are called `names`. Steps that
    adapt end at the knots of the problem; a `trace` sums up what steps see of inputs."""

    problem: Problem
    names: Sequence[str]
    x0: Floats
    span: Span
    shown: Progress
    watch: Watching = field(default_factory=Unwatched)
    trace: InputTrace | None = None

    @property
    def longest(self) -> float:
        """The longest step that inputs and laws of time allow [s]."""
        return self.trace.longest if self.trace else np.inf

    def sees(self, ends: Floats, quadrature: Quadrature, start: float) -> None:
        """That steps of a method ended there, one after the other from a start."""
        if self.trace and len(ends):
            before = ends.copy()
            if self.problem.knots:
                before = self.problem.knots.before_ends(ends)
            self.trace.add(np.append(start, ends[:-1]), ends, quadrature, before)

    def show(self, t: float) -> None:
        """That the run has come to a time."""
        self.shown.update((t - self.span.start) / self.span.duration)
