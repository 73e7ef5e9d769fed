"""Fixed steps inside C: classical Runge–Kutta, semi-implicit Euler, and implicit rules."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from touchback.errors import InputError
from touchback.native import FixedStep as Stepper
from touchback.native import Status
from touchback.simulate.failure import not_finite
from touchback.simulate.leg import Leg
from touchback.simulate.protocol import Floats
from touchback.simulate.solvers.integrator import Integrator
from touchback.simulate.solvers.solver import Can
from touchback.simulate.span import (
    Trajectory,
    needed,
    positive,
    refuse_rows,
    refuse_steps,
    whole_multiple,
)

_SLIVER = 1e-9  # of a step: a remainder shorter than this is rounding


@dataclass(frozen=True, kw_only=True)
class FixedStep(Integrator):
    """Equal steps of `step` seconds, and a shorter last one when the duration isn't a multiple of
    it. `rate` is the number of ticks a second at which memories of a model change: a whole number
    of steps lies between two. Live runs have a rate of their own, and in a tick `substeps` steps
    (1)."""

    can = (
        Can.FORMULATIONS | Can.CONSTRAINTS | Can.RUBBING | Can.TICKS | Can.COPIES | Can.EVENTS
        | Can.SWITCHES | Can.LIVE | Can.BOOKS
    )  # fmt: skip
    samples = 2

    step: float = 1e-3
    rate: float | None = None
    substeps: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        needed(self, "step")
        positive(self, "rate")

    def refuse_excess(self, duration: float, width: int) -> None:
        """Every step is recorded, unless `output_step` says otherwise."""
        if self.substeps is not None:
            raise InputError(
                f"{self}: substeps are those of a tick of a live run; offline give `step`."
            )
        refuse_steps(duration, self.step, self.step_limit)
        refuse_rows(duration, self.output_step or self.step, width)

    def integrate(self, leg: Leg) -> Trajectory:
        """Up to the end, or to an event that ends the run."""
        problem, span, watch = leg.problem, leg.span, leg.watch
        step, every = self.step, self.steps_per_output()
        whole = int(np.floor(span.duration / step + _SLIVER))
        run = Stepper(problem, self.word, leg.x0, span.start, step, watch.native)
        watch.start(span.start, run.x)
        records, chunks, status = [run.x[None, :].copy()], watch.chunks, Status.REACHED
        while run.steps < whole and _goes_on(status, leg):
            status, rows = run.advance(min(chunks.next(), whole - run.steps), every)
            records.append(rows)
            watch.follow(run, status)
            leg.shown.update(run.steps / whole)
        states = np.vstack(records)
        times: Floats = span.start + np.arange(0.0, len(states)) * every * step
        last, steps = run, run.steps
        remainder = span.duration - whole * step
        # of a step that is very much longer than the run, what is left is all there is
        if (remainder > _SLIVER * step or not whole) and _goes_on(status, leg):
            problem.leave_memories(run.steps)
            last = Stepper(problem, self.word, run.x, run.t, remainder, watch.native)
            while last.steps == 0 and _goes_on(status, leg):
                status, _ = last.advance(1)
                watch.follow(last, status)
            steps += last.steps
        if last.t > times[-1]:
            times, states = np.append(times, last.t), np.vstack([states, last.x])
        ends = np.append(span.start + np.arange(1.0, run.steps + 1.0) * step, last.t)
        leg.sees(np.unique(ends[ends > span.start]), self.quadrature, span.start)
        result = Trajectory(times, states, {"steps": steps, "step": step}, watch.failure)
        if status == Status.NOT_FINITE and watch.failure is None:
            mend = (
                f"take a shorter step than {step:g} s or method='dopri5', and check the initial "
                "state, inputs and parameters there"
            )
            result.failure = not_finite(problem, leg.names, last.t, last.x, last.bad, mend)
        return result

    def steps_per_output(self) -> int:
        """How many steps there are between recorded instants."""
        if self.output_step is None:
            return 1
        every = whole_multiple(self.output_step, self.step)
        if every is None:
            raise InputError(
                f"output_step {self.output_step:g} s is not a multiple of the fixed step "
                f"{self.step:g} s; change one of them, or use method='dopri5', which interpolates."
            )
        return every


def _goes_on(status: Status, leg: Leg) -> bool:
    failed = status in (Status.NOT_FINITE, Status.INTERRUPTED) or leg.problem.raised is not None
    return not failed and leg.watch.ended is None and leg.watch.failure is None
