"""The one call of the laboratory: every candidate at every setting, then its stability limit. Each
run has a time limit, and is compared with a reference."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import ArrayLike

from touchback.analysis.quality.quality_result import Candidate, Limit, Quality, Row
from touchback.errors import InputError, SolveError, TouchbackError
from touchback.model import BaseMotion, Buoyancy, Drag, JointEffort, LinkForce, Model, Wrench
from touchback.names import unknown_name
from touchback.native import FORMULATIONS, Chunks, Dopri5, Problem, Status, evaluate_rows
from touchback.numbers import Floats, InputData, positive_number
from touchback.progress import Progress
from touchback.simulate import (
    METHODS,
    Capability,
    InputTrace,
    RunSpec,
    SciPy,
    Segment,
    Span,
    StateData,
    StepLimits,
    Trajectory,
    integrators,
    newton_for,
    output_times,
    read_state,
    refuse,
    step_limits,
)
from touchback.system import System
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

    @property
    def moved(self) -> bool:
        """Whether any position changes, beyond rounding."""
        q = self.positions
        return bool((np.ptp(q, axis=0) > 1e-12 * (1.0 + np.abs(q).max(axis=0))).any())

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


FACTOR = 20.0


FEWEST_STEPS = 1000  # at least, of a run that has to stay bounded


LONGEST = 0.1  # of the duration: the longest step that is tried


_LOOSE = 1e-6  # relative tolerance of the run that says how fast the true motion is


_FOR_HORIZON = 0.1  # of the time limit


_STILL = 1e-9  # [m/s, rad/s]: nothing counts as slower


_RATIO = 2.0**0.5  # between the steps of the search for a bracket


_RESOLUTION = 2e-3  # of the limit, relative


# The largest step that stays bounded, by bisection.
#
# Bounded: over at least a thousand steps no velocity exceeds twenty times what the true motion has
# reached by then, and no constraint is violated by more than the coordinates themselves move. A
# semi-implicit Euler step of a linear oscillator passes up to h ω = 2 √(1 − 1/20²) = 1.9975.
@dataclass
class Bounds:
    """How fast the true motion is, and how far it goes."""

    bench: Bench
    measures: Measures
    reference: Reference
    _times: Floats = field(init=False)
    _fastest: Floats = field(init=False)

    def __post_init__(self) -> None:
        """A loose run over the longest time that a test may take, as far as there is time for."""
        duration = self.bench.duration
        expected = self.reference.seconds * (TIGHT / _LOOSE) ** 0.2  # an order-5 method
        affordable = _FOR_HORIZON * self.bench.clock.limit / max(expected, 1e-9)
        horizon = duration * min(FEWEST_STEPS * LONGEST, max(affordable, 1.0))
        candidate = reference_candidate(self.bench)
        run = self.bench.run(candidate, horizon, rtol=_LOOSE, output_step=horizon / 20_000)
        self._times = run.times
        self._fastest = np.maximum.accumulate(self._speeds(candidate, run))
        self._excursion = float(np.ptp(self.reference.positions, axis=0).max(initial=0.0))

    def _speeds(self, candidate: Candidate, run: Trajectory) -> Floats:
        _, velocities = self.bench.compared(candidate, run.states)
        speeds: Floats = np.abs(velocities).max(axis=1, initial=_STILL)
        return speeds

    @property
    def horizon(self) -> float:
        """How long the true motion is known."""
        return float(self._times[-1])

    def unbounded(self, candidate: Candidate, run: Trajectory) -> str:
        """Why a run isn't bounded; nothing when it is."""
        if run.failure is not None:
            return f"not finite after {run.failure.time:.3g} s"
        # A run may be a sample ahead of the true motion, so that of the next sample counts.
        after = np.searchsorted(self._times, run.times, side="right").clip(max=len(self._times) - 1)
        fast = self._speeds(candidate, run) > FACTOR * self._fastest[after]
        if fast.any():
            return f"{FACTOR:g} times too fast after {run.times[fast.argmax()]:.3g} s"
        off = self.measures.violation(run.times, run.states, candidate.natural)
        apart = off.position > self._excursion
        if apart.any():
            return f"comes apart after {run.times[apart.argmax()]:.3g} s"
        return ""

    def stays(self, candidate: Candidate, step: float) -> bool:
        """Whether a candidate stays bounded with a step."""
        wanted = max(self.bench.duration, FEWEST_STEPS * step)
        count = max(int(min(wanted, self.horizon) / step), 1)
        every = max(count // FEWEST_STEPS, 1)
        run = self.bench.run(candidate, count * step, step=step, output_step=every * step)
        return not self.unbounded(candidate, run)


def stability_limit(bounds: Bounds, candidate: Candidate, start: float, shortest: float) -> Limit:
    """From `start` upwards to a bracket (first downwards, to no less than the `shortest`, where the
    longer test finds it too long already); then bisection in the logarithm of the step."""
    longest = LONGEST * bounds.bench.duration
    low = min(start, longest)
    while not bounds.stays(candidate, low):
        low /= _RATIO
        if low < shortest:
            return Limit(None)
    high = min(low * _RATIO, longest)
    while bounds.stays(candidate, high):
        low = high
        if low >= longest:
            return Limit(longest, open=True)
        high = min(low * _RATIO, longest)
    while high > low * (1.0 + _RESOLUTION):
        middle = (low * high) ** 0.5
        if bounds.stays(candidate, middle):
            low = middle
        else:
            high = middle
    return Limit(low)


_OUTSIDE = (Buoyancy, Drag, JointEffort, LinkForce, Wrench)  # forces that store nothing


_TAKING = (
    *("damping", "torsion_damping", "friction", "rolling_friction"),
    *("hysteresis", "memory"),  # of felt
    *("drag", "angular_drag", "drag_area"),  # in a fluid
)  # fields that take energy unless they are zero


def energy_losses(model: Model) -> list[str]:
    """The suspects; whether energy is conserved is measured, since a damping may be zero."""
    found = []
    for name, joint in model.all_joints().items():
        damped = any(given != 0.0 for given in joint.damping or ())
        has_friction = any(given != 0.0 for given in joint.friction or ())
        stop = joint.stop
        stopped = stop[1] != 0.0 if isinstance(stop, tuple) else joint.limits and stop is None
        found += [f"damping in joint '{name}'"] if damped else []
        found += [f"friction in joint '{name}'"] if has_friction else []
        found += [f"the stop of joint '{name}'"] if stopped else []
    for name, force in model.forces.items():
        law = getattr(force, "law", None)  # of a contact
        given = [getattr(item, word, 0.0) for item in (force, law) for word in _TAKING]
        damped = any(
            number != 0.0
            for item in given
            for number in (item if isinstance(item, tuple) else (item,))
        )
        if isinstance(force, _OUTSIDE) or damped:
            found.append(f"force '{name}'")
    found += [f"control '{name}'" for name in model.controls]
    found += ["the moving base"] if model.base != BaseMotion() else []
    found += [f"drive '{name}'" for name, drive in model.drives.items() if drive.active]
    found += [f"constraint '{name}'" for name, given in model.constraints.items() if given.active]
    return found


REPEATS = 5
_MOST_REPEATS, _ENOUGH = 20, 0.02  # of short runs: as often, or as many seconds together
_TICK = time.get_clock_info("thread_time").resolution  # [s]
_USUAL = 0.25  # the quantile of times: disturbances only add
_PARTS = 4
_SURE = 3.0  # standard deviations from which a cost counts as measured


# Processor time, not time on the wall: other programs on the machine don't count.
def load_per_second(run: Callable[[float], object], long: float, short: float) -> float | None:
    """Seconds of computing per simulated second: what runs of `long` seconds usually take less what
    runs of `short` ones do, in which only setting up matters. None where that is within the noise,
    judged from parts of the runs, or the resolution of the clock. Short runs are repeated more."""
    taken: dict[float, list[float]] = {long: [], short: []}
    while len(taken[short]) < REPEATS or (
        len(taken[short]) < _MOST_REPEATS and sum(map(sum, taken.values())) < _ENOUGH
    ):
        for duration, seconds in taken.items():  # in turns: both meet the same disturbances
            began = time.thread_time()
            run(duration)
            seconds.append(time.thread_time() - began)
    usual = {duration: float(np.quantile(each, _USUAL)) for duration, each in taken.items()}
    rise = usual[long] - usual[short]
    parts = [
        np.quantile(taken[long][part::_PARTS], _USUAL)
        - np.quantile(taken[short][part::_PARTS], _USUAL)
        for part in range(_PARTS)
    ]
    noise = _SURE * float(np.std(parts, ddof=1)) / np.sqrt(_PARTS)
    return rise / (long - short) if rise > max(noise, _TICK) else None


_WITH_CONSTRAINTS = ("rk4", "dopri5")  # the fixed and the adaptive method of each formulation


def list_candidates(
    constrained: bool, wanted: Sequence[str] | None, natural: bool = False
) -> list[Candidate]:
    """The candidates of a system; `wanted` names formulations, or methods where there are no
    constraints. `natural` coordinates, which always have constraints, come as well."""
    word, known = ("formulation", tuple(FORMULATIONS)) if constrained else ("method", _compiled())
    if natural and not constrained:
        word, known = "method or formulation", (*known, *FORMULATIONS)
    names = known if wanted is None else tuple(wanted)
    for name in names:
        if name not in known:
            raise unknown_name(word, name, known)
    found = [] if constrained else _free([name for name in names if name not in FORMULATIONS])
    for in_natural in (False, True)[not constrained : 1 + natural]:
        found += _enforced([name for name in names if name in FORMULATIONS], in_natural)
    return found


def _free(names: Sequence[str]) -> list[Candidate]:
    free = [Candidate(None, name, _fixed(name)) for name in names]
    return sorted(free, key=lambda candidate: not candidate.fixed)


def _enforced(names: Sequence[str], natural: bool) -> list[Candidate]:
    return [
        Candidate(name, method, _fixed(method), natural)
        for name in names
        for method in ((name,) if FORMULATIONS[name].step else _WITH_CONSTRAINTS)
    ]


def _compiled() -> tuple[str, ...]:
    """SciPy's solvers step in Python: their times would say nothing about the mechanism."""
    ours = {name: each for name, each in integrators().items() if not isinstance(each, SciPy)}
    return tuple(name for name in ours if name not in FORMULATIONS)


def _fixed(method: str) -> bool:
    return Capability.ADAPTIVE not in METHODS[method].can


STEPS = (1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 2e-4)


TOLERANCES = (1e-5, 1e-7, 1e-9)


_FOR_ROWS = 0.7  # of the time; the rest is for stability limits


_FEWEST = 2  # steps in a run, or there is nothing to measure


def quality(
    system: System,
    x0: StateData | ArrayLike | None = None,
    duration: float = 1.0,
    *,
    steps: Sequence[float] = STEPS,
    tolerances: Sequence[float] = TOLERANCES,
    formulations: Sequence[str] | None = None,
    inputs: InputData | None = None,
    natural: bool = False,
    time_limit: float = 30.0,
    progress: bool | Callable[[float], None] = True,
) -> Quality:
    """How good every formulation (without constraints: every compiled method) is on one mechanism.

    From the state `x0` (the assembled initial one), over `duration` seconds, at each of the fixed
    `steps` [s], and at the relative `tolerances` for adaptive methods. `formulations` chooses some
    of them. `inputs` as in `simulate`. With `natural` each formulation is measured in natural
    coordinates as well (under gravity alone), and errors are those of points and unit vectors for
    all; what is recommended is in relative coordinates, which `simulate` integrates. Measuring
    stops after `time_limit` seconds; settings that it cut off are marked as not measured.
    `progress` as in `simulate`.
    """
    duration = positive_number("duration", duration)
    time_limit = positive_number("time_limit", time_limit)
    steps = [positive_number("step", step) for step in steps]
    tolerances = [positive_number("tolerance", number) for number in tolerances]
    refuse("tb.quality", system)
    chosen = list_candidates(bool(system.constraint_names), formulations, natural)
    lengths = sorted({step for step in steps if step * _FEWEST <= duration}, reverse=True)
    if not lengths:
        raise InputError(f"No step fits {_FEWEST} times into {duration:g} s; give shorter steps.")
    if duration / lengths[-1] > STEP_LIMIT:
        raise InputError(
            f"{duration:g} s take {duration / lengths[-1]:.3g} steps of {lengths[-1]:g} s; at most "
            f"{STEP_LIMIT} are measured: give longer steps or a shorter duration."
        )
    x = read_state(system, system.assemble() if x0 is None else x0)
    with Progress(f"{system.name}: quality", progress) as shown:
        clock = Clock(time_limit, shown)
        described = NaturalCoordinates(system, x) if natural else None
        spec = replace(RunSpec.read(system, duration, inputs=inputs), x0=x)
        return _Sweep(
            Bench(spec, clock, described), chosen, lengths, sorted(tolerances, reverse=True)
        ).result()


class _Sweep:
    """Coarse settings first, all candidates at each: what time cuts off is the finest."""

    def __init__(
        self,
        bench: Bench,
        chosen: Sequence[Candidate],
        steps: Sequence[float],
        tolerances: Sequence[float],
    ) -> None:
        self.bench, self.chosen, self.steps, self.tolerances = bench, chosen, steps, tolerances
        self.measures = Measures(bench, bench.problem(reference_candidate(bench)))
        self.reference: Reference = make_reference(bench, self.measures, steps)
        self.bounds = Bounds(bench, self.measures, self.reference)

    def result(self) -> Quality:
        settings = [
            Row(candidate, step, rtol)
            for step, rtol in [(s, None) for s in self.steps] + [(None, r) for r in self.tolerances]
            for candidate in self.chosen
            if candidate.fixed == (step is not None)
        ]
        fixed = [candidate for candidate in self.chosen if candidate.fixed]
        share = 1.0 / (len(settings) + len(fixed))
        rows: list[Row] = []
        for setting in settings:
            rows.append(self._row(setting, rows))
            self.bench.clock.done += share
        limits = {}
        for candidate in fixed:
            limit = self._limit(candidate, rows)
            if limit is not None:
                limits[candidate.label] = limit
            self.bench.clock.done += share
        order = {candidate: place for place, candidate in enumerate(self.chosen)}
        rows.sort(key=lambda row: order[row.candidate])
        reference, system = self.reference, self.bench.system
        why = () if reference.conserved else tuple(energy_losses(system.model))
        return Quality(
            model=system.name,
            duration=self.bench.duration,
            constrained=self.bench.constrained or self.bench.natural is not None,
            rows=tuple(rows),
            limits=limits,
            uncertainty=reference.uncertainty,
            conserved=reference.conserved,
            losses=why,
            time_limit=self.bench.clock.limit,
            moved=reference.moved,
        )

    def _row(self, setting: Row, earlier: Sequence[Row]) -> Row:
        clock = self.bench.clock
        left = clock.left - (1.0 - _FOR_ROWS) * clock.limit
        if self._expected(setting, earlier) > left:
            note = f"the time limit of {clock.limit:g} s came first"
            return replace(setting, status="not measured", note=note)
        try:
            return self._measured(setting)
        except OutOfTime as error:
            return replace(setting, status="not measured", note=str(error))
        except InputError as error:
            return replace(setting, status="refused", note=str(error))

    def _expected(self, setting: Row, earlier: Sequence[Row]) -> float:
        """Seconds that a setting will take, from a longer step of the same candidate."""
        for row in reversed(earlier):
            if row.candidate == setting.candidate and row.load and row.step and setting.step:
                return (REPEATS + 1) * row.load * self.bench.duration * row.step / setting.step
        return 0.0

    def _measured(self, setting: Row) -> Row:
        bench, candidate = self.bench, setting.candidate
        problem = bench.problem(candidate)
        if setting.step is not None:
            count, every = fixed_grid(bench.duration, setting.step)
            long, short, output = count * setting.step, setting.step, every * setting.step
        else:
            long, short, output = bench.duration, 1e-3 * bench.duration, None

        def run(duration: float, output_step: float) -> Trajectory:
            return bench.run(
                candidate,
                duration,
                step=setting.step,
                rtol=setting.rtol or 1.0,
                output_step=output_step,
                problem=problem,
            )

        trajectory = run(long, output or adaptive_grid(bench.duration))
        statistics = trajectory.statistics
        steps = int(statistics.get("steps", statistics.get("accepted", 0)))
        why = self.bounds.unbounded(candidate, trajectory)
        if why:
            status = "failed" if trajectory.failure is not None else "unbounded"
            return replace(setting, status=status, note=why, steps=steps)
        seconds = load_per_second(lambda duration: run(duration, duration), long, short)
        return replace(self._judged(setting, trajectory), steps=steps, load=seconds)

    def _judged(self, setting: Row, run: Trajectory) -> Row:
        times, states, candidate = run.times, run.states, setting.candidate
        positions, _ = self.bench.compared(candidate, states)
        row = replace(setting, error=self.reference.error(times, positions))
        if self.bench.constrained or candidate.natural:
            off = self.measures.violation(times, states, candidate.natural)
            row = replace(
                row,
                drift=float(off.position.max()),
                growth=drift_growth(times, off.position),
                velocity_drift=float(off.velocity.max()),
            )
        if self.reference.conserved:
            total = np.add(*self.measures.energies(times, states, candidate.natural))
            change = float(np.abs(total - total[0]).max())
            row = replace(row, energy=change / self.reference.kinetic)
        return row

    def _limit(self, candidate: Candidate, rows: Sequence[Row]) -> Limit | None:
        """None where time was over, or the candidate was refused."""
        own = [row for row in rows if row.candidate == candidate]
        fine = [row.step for row in own if row.status == "fine" and row.step is not None]
        if not fine:
            tried = any(row.status in ("unbounded", "failed") for row in own)
            return Limit(None) if tried else None
        try:
            return stability_limit(self.bounds, candidate, max(fine), min(self.steps))
        except OutOfTime:
            return None
