"""Methods with error control inside C: adaptive steps, dense output on a regular grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from touchback.native import Adaptive as Stepper
from touchback.native import Chunks, Problem, Status
from touchback.simulate.failure import fastest, not_finite
from touchback.simulate.progress import Progress
from touchback.simulate.protocol import Floats
from touchback.simulate.solvers.integrator import Integrator
from touchback.simulate.solvers.solver import Can
from touchback.simulate.span import Failure, Span, Trajectory
from touchback.simulate.watch import Watching


@dataclass(frozen=True, kw_only=True)
class Adaptive(Integrator):
    """Steps as long as `rtol` and `atol` allow, at most `step` [s]."""

    can = (
        Can.ADAPTIVE | Can.FORMULATIONS | Can.RUBBING | Can.MODES | Can.COPIES | Can.EVENTS
        | Can.SWITCHES
    )  # fmt: skip
    samples = 8
    stepper: ClassVar[type[Stepper]]

    def integrate(
        self,
        problem: Problem,
        names: Sequence[str],
        x0: Floats,
        span: Span,
        progress: Progress,
        watch: Watching | None = None,
    ) -> Trajectory:
        """Up to the end, or to an event that ends the run."""
        times = span.output_times(self.output_step)
        run = self.stepper(
            problem, x0, span.start, span.end, times, self.rtol, self.atol,
            max_step=self.step or np.inf, step_limit=self.step_limit,
            events=watch.native if watch else None,
        )  # fmt: skip
        start = run.x.copy()
        if watch:
            watch.start(span.start, start)
        chunks = watch.chunks if watch else Chunks()
        while problem.raised is None and run.status == Status.PAUSED:
            written = run.written
            if watch:
                run.max_step = min(self.step or np.inf, watch.longest)
            run.advance(chunks.next())
            if watch:
                watch.record(times[written : run.written], run.record[written : run.written])
                if not watch.follow(run, run.status):
                    break
            progress.update((run.t - span.start) / span.duration)
        states = np.vstack([start, run.record[: run.written]])
        instants = np.append(span.start, times[: run.written])
        if run.t > instants[-1]:
            instants, states = np.append(instants, run.t), np.vstack([states, run.x])
        result = Trajectory(instants, states, {**run.statistics})
        if run.status in (Status.NOT_FINITE, Status.STEP_TOO_SMALL, Status.STEP_LIMIT):
            result.failure = self._failure(run, names)
        if watch and watch.failure:
            result.failure = watch.failure
        return result

    def _failure(self, run: Stepper, names: Sequence[str]) -> Failure:
        if run.status == Status.NOT_FINITE:
            mend = "check the initial state, inputs and parameters for a division by zero there"
            return not_finite(run.problem, names, run.t, run.x, run.bad, mend)
        culprit = fastest(run.problem, names, run.t, run.x)
        stiff = "" if self.implicit else ", or try method='radau5' if the problem is stiff"
        if run.status == Status.STEP_LIMIT:
            return Failure(
                run.t,
                f"{self.step_limit} steps were not enough; {culprit}",
                f"loosen rtol and atol, raise step_limit{stiff}",
            )
        return Failure(
            run.t,
            f"the step has shrunk to {run.step:.3g} s; {culprit}",
            f"look for a jump or a singularity there, loosen rtol and atol{stiff}",
        )
