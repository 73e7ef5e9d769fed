"""The one call of the laboratory: every candidate at every setting, then its stability limit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from touchback.analysis.quality.bench import STEP_LIMIT, Bench, Clock, OutOfTime
from touchback.analysis.quality.candidates import candidates
from touchback.analysis.quality.cost import REPEATS, load
from touchback.analysis.quality.losses import losses
from touchback.analysis.quality.measures import Measures, growth
from touchback.analysis.quality.reference import (
    Reference,
    adaptive_grid,
    fixed_grid,
    make_reference,
    reference_candidate,
)
from touchback.analysis.quality.result import Quality
from touchback.analysis.quality.row import Candidate, Limit, Row
from touchback.analysis.quality.stability import Bounds, stability_limit
from touchback.errors import InputError
from touchback.numbers import positive_number
from touchback.simulate.features import refuse
from touchback.simulate.initial_state import read_state
from touchback.simulate.progress import Progress
from touchback.simulate.protocol import InputData, StateData
from touchback.simulate.span import Trajectory
from touchback.system import System
from touchback.system.natural import NaturalCoordinates

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
    chosen = candidates(bool(system.constraint_names), formulations, natural)
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
        bench = Bench(system, x, duration, inputs, clock, described)
        return _Sweep(bench, chosen, lengths, sorted(tolerances, reverse=True)).result()


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
        why = () if reference.conserved else tuple(losses(system.model))
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
        seconds = load(lambda duration: run(duration, duration), long, short)
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
                growth=growth(times, off.position),
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
