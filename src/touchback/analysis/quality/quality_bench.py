"""One mechanism on the bench: its runs by any candidate within a time limit, what is measured of
them, and the reference that they are compared with."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from touchback.analysis.quality.quality_result import Candidate
from touchback.errors import InputError, SolveError, TouchbackError
from touchback.native import Chunks, Dopri5, Problem, Status, evaluate_rows
from touchback.numbers import Floats
from touchback.progress import Progress
from touchback.simulate.input_trace import InputTrace
from touchback.simulate.run_spec import RunSpec
from touchback.simulate.smooth_stepper import newton_for
from touchback.simulate.solvers import integrators
from touchback.simulate.span import Span, Trajectory, output_times
from touchback.simulate.step_knots import StepLimits, step_limits
from touchback.simulate.stepper import Segment
from touchback.system.natural_coordinates import NaturalCoordinates

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
    """What is asked of runs, whose solver and formulation are those of candidates; in natural
    coordinates too where `natural` ones are given, by which all runs are compared then."""

    def __init__(
        self, spec: RunSpec, clock: Clock, natural: NaturalCoordinates | None = None
    ) -> None:
        self.spec, self.clock, self.natural = spec, clock, natural
        self.system, self.x0, self.duration = spec.system, spec.x0, spec.span.duration

    @property
    def longest(self) -> float:
        """The longest step that inputs and laws of time allow [s]."""
        return self._limits().longest

    def _limits(self) -> StepLimits:
        return step_limits(self.spec.span, self.spec.inputs, self.system.on_blocks())

    @property
    def constrained(self) -> bool:
        """Whether there is anything to enforce."""
        return bool(self.system.constraint_names)

    def problem(self, candidate: Candidate) -> Problem:
        """What the candidate integrates; adaptive steps end at its knots."""
        if candidate.natural:
            return self._in_natural.problem(candidate.formulation)
        posed = self.system.problem(candidate.formulation, inputs=self.spec.inputs).problem
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
            trace = InputTrace(self.spec.inputs, self.longest)
            return solver.integrate(Segment(run, names, x0, span, progress, trace=trace))


ROUNDING = 1e-12  # [m, rad]: drift below this says nothing about growth


@dataclass(frozen=True)
class Violation:
    """How far a trajectory is off its constraints at each instant."""

    position: Floats  # max |h|
    velocity: Floats  # max |J v − b|


class Measures:
    """The functions of a system that trajectories are judged by, each in its coordinates."""

    def __init__(self, bench: Bench, problem: Problem) -> None:
        """`problem` knows the inputs at each instant."""
        self._system, self._problem, self._natural = bench.system, problem, bench.natural
        energy = bench.system.function("energy")
        self._energy = energy.compiled
        self._energy_block = energy.block_for(np.array(list(bench.system.parameters.values())))

    def energies(
        self, times: Floats, states: Floats, natural: bool = False
    ) -> tuple[Floats, Floats]:
        """Kinetic and potential energy at each instant [J]."""
        if natural and self._natural is not None:
            return self._natural.energies(states)
        rows = self._problem.input_rows(times, states)
        found = evaluate_rows(
            self._energy.address, states, rows, self._energy_block, 2,
            self._energy.work_size, self._energy.context_address,
        )  # fmt: skip
        return found[:, 0], found[:, 1]

    def violation(self, times: Floats, states: Floats, natural: bool = False) -> Violation:
        """Off the constraints on positions, and on velocities."""
        if natural and self._natural is not None:
            return Violation(*self._natural.violation(states))
        system = self._system
        if not system.constrained:
            nothing = np.zeros(len(times))
            return Violation(nothing, nothing)
        functions = system.constrained_functions()
        rows, columns = np.asarray(functions.J_rows), np.asarray(functions.J_columns)
        m, first = len(functions.names), 3 * len(functions.names)
        size = system.acting.functions["terms"].out_size
        terms = evaluate_rows(
            functions.terms.address, states, self._problem.input_rows(times, states),
            system.parameter_block(), size, functions.terms.work_size,
            functions.terms.context_address,
        )  # fmt: skip
        nq, _, _ = functions.sizes
        off = -terms[:, m : 2 * m]
        products = terms[:, first : first + len(rows)] * states[:, nq + columns]
        for place, row in enumerate(rows):
            off[:, row] += products[:, place]
        return Violation(_largest(terms[:, :m]), _largest(off))


def _largest(rows: Floats) -> Floats:
    found: Floats = np.abs(rows).max(axis=1, initial=0.0)
    return found


def drift_growth(times: Floats, drift: Floats) -> float | None:
    """p of max |h| ~ tᵖ: the slope, in logarithms, of the largest drift so far, after the first
    eighth of the run."""
    so_far = np.maximum.accumulate(drift)
    later = (times >= times[-1] / 8) & (so_far > 0.0)
    if drift.max() < ROUNDING or later.sum() < 2:
        return None
    slope = np.polyfit(np.log(times[later]), np.log(so_far[later]), 1)[0]
    return max(float(slope), 0.0)


TIGHT, LOOSER = 1e-13, 1e-12  # relative tolerances of the reference and of its check
SAMPLES = 1000  # instants of a trajectory that are measured, at most
_NOTICED = 100.0  # energy changes that many times more than the reference's error: not conserved
_SLIVER = 1e-9  # of a step


def reference_candidate(bench: Bench) -> Candidate:
    """Partitioning, which keeps the constraints to rounding, with Dormand–Prince 5(4)."""
    return Candidate("partitioning" if bench.constrained else None, "dopri5", False)


def fixed_grid(duration: float, step: float) -> tuple[int, int]:
    """(steps, steps per measured instant): whole steps only, at most SAMPLES instants."""
    count = max(int(np.floor(duration / step + _SLIVER)), 1)
    every = -(-count // SAMPLES)
    return count - count % every, every


def adaptive_grid(duration: float) -> float:
    """The time between the measured instants of an adaptive run."""
    return duration / 200


@dataclass(frozen=True)
class Reference:
    """States at every instant that some run is measured at.

    `uncertainty` [m, rad] is how far positions at the two tolerances differ: an error below it
    can't be seen. `kinetic` [J] is the largest kinetic energy. `conserved` says whether E stays
    constant along the reference; it changes by `energy_change` [J].
    """

    times: Floats
    states: Floats
    positions: Floats  # that runs have in common
    uncertainty: float
    kinetic: float
    conserved: bool
    energy_change: float
    seconds: float  # that the reference took

    def error(self, times: Floats, positions: Floats) -> float:
        """max |q − q of the reference| at instants that the reference knows."""
        after = np.searchsorted(self.times, times).clip(1, len(self.times) - 1)
        nearer = times - self.times[after - 1] < self.times[after] - times
        off = positions - self.positions[after - nearer]
        return float(np.abs(off).max(initial=0.0))


def make_reference(bench: Bench, measures: Measures, steps: Iterable[float]) -> Reference:
    """The reference at the instants of every fixed step and of the adaptive runs."""
    grids = [output_times(bench.duration, adaptive_grid(bench.duration))]
    for step in steps:
        count, every = fixed_grid(bench.duration, step)
        grids.append(np.arange(every, count + 1, every, dtype=np.float64) * step)
    times: Floats = np.unique(np.concatenate(grids))
    times = times[times <= bench.duration]
    began = time.monotonic()
    tight = _run(bench, TIGHT, times)
    seconds = time.monotonic() - began
    looser = _run(bench, LOOSER, times)
    candidate = reference_candidate(bench)
    positions, checked_positions = (bench.compared(candidate, x)[0] for x in (tight, looser))
    difference = float(np.abs(positions - checked_positions).max(initial=0.0))
    times = np.append(0.0, times)
    kinetic, potential = measures.energies(times, tight)
    checked = np.add(*measures.energies(times, looser))
    total = kinetic + potential
    change, doubt = np.ptp(total), np.abs(total - checked).max()
    scale = float(kinetic.max()) or float(np.ptp(potential)) or 1.0
    conserved = bool(change <= max(_NOTICED * doubt, 1e-9 * scale))
    return Reference(times, tight, positions, difference, scale, conserved, float(change), seconds)


def _run(bench: Bench, rtol: float, times: Floats) -> Floats:
    """The states at time 0 and at the times."""
    problem = bench.problem(reference_candidate(bench))
    run = Dopri5(problem, bench.x0, 0.0, bench.duration, times, rtol, 0.01 * rtol, bench.longest)
    start, chunks = run.x.copy(), Chunks()
    try:
        while run.advance(chunks.next()) == Status.PAUSED:
            bench.clock.check()
    except OutOfTime:
        raise SolveError(
            f"{bench.system.name}: the reference (dopri5 at rtol {rtol:.0e}) reached "
            f"{run.t:.3g} s of {bench.duration:g} s when the {bench.clock.limit:g} s for measuring "
            "were over; take a shorter duration or a longer time limit."
        ) from None
    if run.status != Status.REACHED:
        raise SolveError(
            f"{bench.system.name}: the reference (dopri5 at rtol {rtol:.0e}) stopped at "
            f"t = {run.t:.6g} s of {bench.duration:g} s, so there is nothing to compare with; "
            "take a shorter duration, or another start."
        )
    return np.vstack([start, run.record])
