"""Fixed steps inside C: classical Runge–Kutta, semi-implicit Euler, and implicit rules."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from touchback.errors import InputError
from touchback.native import FixedStep as NativeStepper, Status
from touchback.numbers import Floats
from touchback.simulate.run_failure import not_finite
from touchback.simulate.run_stepper import Segment
from touchback.simulate.solvers.base import Capability, Integrator
from touchback.simulate.time_span import (
    Trajectory,
    keep_positive,
    optional_positive,
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
        Capability.FORMULATIONS | Capability.CONSTRAINTS | Capability.RUBBING | Capability.TICKS
        | Capability.COPIES | Capability.EVENTS
        | Capability.SWITCHES | Capability.LIVE | Capability.ENERGY_BALANCE
    )  # fmt: skip
    samples = 2

    step: float = 1e-3
    rate: float | None = None
    substeps: int | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        keep_positive(self, "step")
        optional_positive(self, "rate")

    def refuse_excess(self, duration: float, width: int) -> None:
        """Every step is recorded, unless `output_step` says otherwise."""
        if self.substeps is not None:
            raise InputError(
                f"{self}: substeps are those of a tick of a live run; offline give `step`."
            )
        refuse_steps(duration, self.step, self.step_limit)
        refuse_rows(duration, self.output_step or self.step, width)

    def integrate(self, segment: Segment) -> Trajectory:
        """Up to the end, or to an event that ends the run."""
        problem, span, monitor = segment.problem, segment.span, segment.monitor
        step, every = self.step, self.steps_per_output()
        whole = int(np.floor(span.duration / step + _SLIVER))
        run = NativeStepper(problem, self.word, segment.x0, span.start, step, monitor.native)
        monitor.start(span.start, run.x)
        records, chunks, status = [run.x[None, :].copy()], monitor.chunks, Status.REACHED
        while run.steps < whole and _goes_on(status, segment):
            status, rows = run.advance(min(chunks.next(), whole - run.steps), every)
            records.append(rows)
            monitor.follow(run, status)
            segment.shown.update(run.steps / whole)
        states = np.vstack(records)
        times: Floats = span.start + np.arange(0.0, len(states)) * every * step
        last, steps = run, run.steps
        remainder = span.duration - whole * step
        # of a step that is very much longer than the run, what is left is all there is
        if (remainder > _SLIVER * step or not whole) and _goes_on(status, segment):
            problem.leave_memories(run.steps)
            last = NativeStepper(problem, self.word, run.x, run.t, remainder, monitor.native)
            while last.steps == 0 and _goes_on(status, segment):
                status, _ = last.advance(1)
                monitor.follow(last, status)
            steps += last.steps
        if last.t > times[-1]:
            times, states = np.append(times, last.t), np.vstack([states, last.x])
        ends = np.append(span.start + np.arange(1.0, run.steps + 1.0) * step, last.t)
        segment.sees(np.unique(ends[ends > span.start]), self.quadrature, span.start)
        result = Trajectory(times, states, {"steps": steps, "step": step}, monitor.failure)
        if status == Status.NOT_FINITE and monitor.failure is None:
            mend = (
                f"take a shorter step than {step:g} s or method='dopri5', and check the initial "
                "state, inputs and parameters there"
            )
            result.failure = not_finite(problem, segment.names, last.t, last.x, last.bad, mend)
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


def _goes_on(status: Status, segment: Segment) -> bool:
    failed = status in (Status.NOT_FINITE, Status.INTERRUPTED) or segment.problem.raised is not None
    return not failed and segment.monitor.ended is None and segment.monitor.failure is None


@dataclass(frozen=True, kw_only=True)
class RK4(FixedStep):
    """The classical Runge–Kutta method of order 4 (Kutta 1901): the same cost in every `step` [s].

    `output_step` [s] is the time between recorded instants (every step); `rate` the number of ticks
    a second at which memories of the model change, with a whole number of steps in between; `rtol`
    and `atol` say how well events are located."""

    word = "rk4"
    can = FixedStep.can | Capability.MODES | Capability.BATCHES
    quadrature = (0.0, 0.5, 1.0), (1.0 / 6.0, 2.0 / 3.0, 1.0 / 6.0)


@dataclass(frozen=True, kw_only=True)
class Euler(FixedStep):
    """Semi-implicit Euler, of order 1: velocities first, positions with the new ones, so that
    energies of oscillations stay bounded where the mass matrix is constant; where it depends on
    positions they drift (`Variational` keeps them). The cheapest. Options as those of `RK4`."""

    word = "euler"
    can = FixedStep.can | Capability.MODES | Capability.BATCHES
    quadrature = (0.0,), (1.0,)


@dataclass(frozen=True, kw_only=True)
class ImplicitEuler(FixedStep):
    """Implicit Euler, of order 1, for stiff problems at a fixed cost: it damps what is faster than
    the step. Options as those of `RK4`; `rtol` and `atol` also say how far Newton's method goes."""

    word = "implicit-euler"
    can = (FixedStep.can | Capability.STIFF) & ~Capability.COPIES
    implicit = True
    quadrature = (1.0,), (1.0,)


@dataclass(frozen=True, kw_only=True)
class Trapezoidal(FixedStep):
    """The trapezoidal rule, of order 2, for stiff problems at a fixed cost: it damps nothing, so
    that what is much faster than the step rings. Options as those of `ImplicitEuler`."""

    word = "trapezoidal"
    can = (FixedStep.can | Capability.STIFF) & ~Capability.COPIES
    implicit = True


@dataclass(frozen=True, kw_only=True)
class Variational(FixedStep):
    """The variational midpoint rule, of order 2: implicit and symplectic, also where the mass
    matrix depends on the positions. The energy of a mechanism that nothing drives or damps goes to
    and fro by the order of the step squared and doesn't drift, over any time (Marsden and West
    2001); momenta that no force changes are kept. For trees without constraints. Options as those
    of `RK4`; steps are solved to rounding, whatever `rtol` is."""

    word = "variational"
    can = Capability.TICKS | Capability.EVENTS | Capability.ENERGY_BALANCE
    implicit = True
    momenta = True


@dataclass(frozen=True, kw_only=True)
class FormulationStep(FixedStep):
    """The step of the formulation called `word`; options as those of `RK4`."""

    can = (FixedStep.can | Capability.STIFF | Capability.BATCHES) & ~(
        Capability.COPIES | Capability.RUBBING
    )

    word: str = field(kw_only=False)
