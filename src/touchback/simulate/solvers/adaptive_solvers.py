"""Methods with error control inside C: adaptive steps, dense output on a regular grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from touchback import native
from touchback.native import RADAU, Adaptive as NativeStepper, Status
from touchback.simulate.run_failure import fastest, not_finite
from touchback.simulate.run_stepper import Segment
from touchback.simulate.solvers.base import Capability, Integrator
from touchback.simulate.time_span import Failure, Trajectory


@dataclass(frozen=True, kw_only=True)
class Adaptive(Integrator):
    """Steps as long as `rtol` and `atol` allow, at most `step` [s]."""

    can = (
        Capability.ADAPTIVE | Capability.FORMULATIONS | Capability.CONSTRAINTS
        | Capability.RUBBING | Capability.MODES | Capability.COPIES
        | Capability.EVENTS | Capability.SWITCHES | Capability.ENERGY_BALANCE
    )  # fmt: skip
    samples = 8
    native_stepper: ClassVar[type[NativeStepper]]

    def integrate(self, segment: Segment) -> Trajectory:
        """Up to the end, or to an event that ends the run."""
        problem, span, monitor = segment.problem, segment.span, segment.monitor
        times, longest = (
            span.output_times(self.output_step),
            min(self.step or np.inf, segment.longest),
        )
        run = self.native_stepper(
            problem, segment.x0, span.start, span.end, times, self.rtol, self.atol, longest,
            self.step_limit, monitor.native,
        )  # fmt: skip
        start, chunks = run.x.copy(), monitor.chunks
        monitor.start(span.start, start)
        while problem.raised is None and run.status == Status.PAUSED:
            written, run.max_step, t = run.written, min(longest, monitor.longest), run.t
            run.advance(chunks.next())
            segment.sees(run.ends, self.quadrature, t)
            monitor.record(times[written : run.written], run.record[written : run.written])
            if not monitor.follow(run, run.status):
                break
            segment.show(run.t)
        states = np.vstack([start, run.record[: run.written]])
        instants = np.append(span.start, times[: run.written])
        if run.t > instants[-1]:
            instants, states = np.append(instants, run.t), np.vstack([states, run.x])
        result = Trajectory(instants, states, {**run.statistics})
        if run.status in (Status.NOT_FINITE, Status.STEP_TOO_SMALL, Status.STEP_LIMIT):
            result.failure = self._failure(run, segment.names)
        result.failure = monitor.failure or result.failure
        return result

    def _failure(self, run: NativeStepper, names: Sequence[str]) -> Failure:
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


# Dormand and Prince 1980, "A family of embedded Runge-Kutta formulae", J. Comp. Appl. Math. 6.
@dataclass(frozen=True, kw_only=True)
class Dopri5(Adaptive):
    """Dormand–Prince 5(4) with dense output: for smooth motion; the first choice.

    Steps are as long as `rtol` and `atol` allow, at most `step` [s] and `step_limit` of them;
    `output_step` [s] is the time between recorded instants (a thousandth of the duration)."""

    word = "dopri5"
    native_stepper = native.Dopri5
    quadrature = (
        (0.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0),
        (35.0 / 384.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0),
    )


# Hairer and Wanner 1996, "Solving ordinary differential equations II", section IV.8.
@dataclass(frozen=True, kw_only=True)
class Radau5(Adaptive):
    """Radau IIA of order 5, for stiff problems; options as those of `Dopri5`."""

    word = "radau5"
    can = (Adaptive.can | Capability.STIFF) & ~Capability.COPIES
    implicit = True
    native_stepper = native.Radau5
    quadrature = RADAU
