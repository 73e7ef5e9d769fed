"""What is measured of a trajectory: drift and its growth, energy, distance from a reference."""

from dataclasses import dataclass

import numpy as np

from touchback.analysis.quality.bench import Bench
from touchback.native import Problem, evaluate_rows
from touchback.simulate.protocol import Floats

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


def growth(times: Floats, drift: Floats) -> float | None:
    """p of max |h| ~ tᵖ: the slope, in logarithms, of the largest drift so far, after the first
    eighth of the run."""
    so_far = np.maximum.accumulate(drift)
    later = (times >= times[-1] / 8) & (so_far > 0.0)
    if drift.max() < ROUNDING or later.sum() < 2:
        return None
    slope = np.polyfit(np.log(times[later]), np.log(so_far[later]), 1)[0]
    return max(float(slope), 0.0)
