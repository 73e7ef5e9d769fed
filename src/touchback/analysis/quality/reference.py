"""The trajectory that others are compared with, and how far it can be trusted itself."""

import time
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from touchback.analysis.quality.bench import Bench, OutOfTime
from touchback.analysis.quality.measures import Measures
from touchback.analysis.quality.row import Candidate
from touchback.errors import SolveError
from touchback.native import Chunks, Dopri5, Status
from touchback.simulate.protocol import Floats
from touchback.simulate.span import output_times

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
