"""One mechanism on the bench: its states, inputs and runs by any candidate, within a time limit."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from touchback.analysis.quality.row import Candidate
from touchback.errors import InputError, TouchbackError
from touchback.native import Problem
from touchback.simulate.input_trace import InputTrace
from touchback.simulate.inputs import read_inputs
from touchback.simulate.progress import Progress
from touchback.simulate.protocol import Floats, InputData
from touchback.simulate.smooth_stepper import newton_for
from touchback.simulate.solvers import integrators
from touchback.simulate.span import Span, Trajectory
from touchback.simulate.step_knots import StepLimits, step_limits
from touchback.simulate.stepper import Leg
from touchback.system import System
from touchback.system.natural import NaturalCoordinates

STEP_LIMIT = 100_000_000  # within it time is the limit


class OutOfTime(TouchbackError):
    """A run was given up because the laboratory's time was over."""


class Clock:
    """The time that the laboratory may take [s], and how much of the work is done."""

    def __init__(self, limit: float, shown: Progress) -> None:
        self.limit, self.shown = limit, shown
        self.done = 0.0  # fraction of everything, for whoever watches
        self._end = time.monotonic() + limit

    @property
    def left(self) -> float:
        """Seconds left."""
        return self._end - time.monotonic()

    def check(self, _fraction: float = 0.0) -> None:
        """Raise when the time is over; runs call it in between their steps."""
        self.shown.update(self.done)
        if self.left < 0.0:
            raise OutOfTime(f"{self.limit:g} s were over")


class Bench:
    """A system, where it starts, and its inputs; in natural coordinates too where `natural` ones
    are given, by which all runs are compared then."""

    def __init__(
        self,
        system: System,
        x0: Floats,
        duration: float,
        inputs: InputData | None,
        clock: Clock,
        natural: NaturalCoordinates | None = None,
    ) -> None:
        self.system, self.x0, self.duration, self.clock = system, x0, duration, clock
        self.natural = natural
        self._inputs = read_inputs(system, inputs, duration)
        self.span = Span(0.0, duration)

    @property
    def longest(self) -> float:
        """The longest step that inputs and laws of time allow [s]."""
        return self._limits().longest

    def _limits(self) -> StepLimits:
        return step_limits(self.span, self._inputs, self.system.on_blocks())

    @property
    def constrained(self) -> bool:
        """Whether there is anything to enforce."""
        return bool(self.system.constraint_names)

    def problem(self, candidate: Candidate) -> Problem:
        """What the candidate integrates; adaptive steps end at its knots."""
        if candidate.natural:
            return self._in_natural.problem(candidate.formulation)
        posed = self.system.problem(candidate.formulation, inputs=self._inputs).problem
        posed.end_steps_at(self._limits().knots)
        return posed

    def compared(self, candidate: Candidate, states: Floats) -> tuple[Floats, Floats]:
        """Positions and velocities that runs of all candidates have in common, at each state."""
        if self.natural is None:
            nq, nv, _ = self.system.sizes
            return states[:, :nq], states[:, nq : nq + nv]
        common = states if candidate.natural else self.natural.states(states)
        return common[:, : self.natural.size], common[:, self.natural.size :]

    @property
    def _in_natural(self) -> NaturalCoordinates:
        if self.natural is None:
            raise InputError(f"{self.system.name} isn't described in natural coordinates here.")
        return self.natural

    def run(
        self,
        candidate: Candidate,
        duration: float,
        *,
        step: float | None = None,
        rtol: float = 1e-8,
        output_step: float | None = None,
        problem: Problem | None = None,
    ) -> Trajectory:
        """A run from the start; one that fails says so in `failure`."""
        solver = integrators()[candidate.method]
        solver = replace(
            solver, step=step or solver.step, rtol=rtol, atol=0.01 * rtol, output_step=output_step,
            step_limit=STEP_LIMIT,
        )  # fmt: skip
        names, x0, span = list(self.system.state_names), self.x0, Span(0.0, duration)
        if candidate.natural:
            names, x0 = self._in_natural.names, self._in_natural.states(x0[None, :])[0]
        with np.errstate(all="ignore"), Progress(candidate.label, self.clock.check) as progress:
            run = problem or self.problem(candidate)
            if solver.implicit and not run.implicit and not candidate.natural:
                newton_for(self.system, run, solver.rtol, solver.atol)
            trace = InputTrace(self._inputs, self.longest)
            return solver.integrate(Leg(run, names, x0, span, progress, trace=trace))
