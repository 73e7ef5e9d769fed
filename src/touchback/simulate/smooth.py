"""Runs of mechanisms whose constraints stay: one problem from the start to the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from touchback.native import evaluate_rows
from touchback.simulate.books import BookKeeper, Integrated, Lines
from touchback.simulate.constrained import IMPLICIT, problem_for, word_of
from touchback.simulate.course import Asked, Course, Label
from touchback.simulate.implicit import add_counts, newton_for
from touchback.simulate.progress import Progress
from touchback.simulate.protocol import Floats
from touchback.simulate.remarks import remarks
from touchback.simulate.span import Trajectory
from touchback.simulate.ticks import use_ticks
from touchback.simulate.watch import Watch
from touchback.system.powers import power_set

if TYPE_CHECKING:
    from touchback.simulate.solvers.integrator import Integrator


class SmoothRun(Course):
    """One run, with constraints or without."""

    def __init__(self, asked: Asked, solver: Integrator) -> None:
        system, given, parameters = asked.system, asked.given, asked.parameters
        self._asked, self._solver = asked, solver
        self.problem, self._enforced = problem_for(system, asked.constraints, given, parameters)
        use_ticks(system, self.problem, solver, self._enforced)
        tolerances = solver.rtol, solver.atol
        self._newton = self._watch = self._keeper = None
        if solver.implicit:
            self._newton = newton_for(system, self.problem, *tolerances, parameters)
        if asked.events:
            self._watch = Watch(
                system, self.problem, asked.events, parameters, tolerances, solver.samples
            )
        if asked.books:
            self._keeper = _keeper(asked, solver.word)

    def gap(self, x: Floats) -> float:
        """By how much a state breaks the constraints [m or rad]."""
        return self._enforced.gap(self._asked.span.start, x) if self._enforced else 0.0

    def go(self, x: Floats, shown: Progress) -> Trajectory:
        """By the solver."""
        span, names = self._asked.span, list(self._asked.system.state_names)
        if self._keeper:
            self.problem.keep_books(self._keeper.meter.native)
            self._keeper.meter.begin(span.start, x)
        found = self._solver.integrate(self.problem, names, x, span, shown, self._watch)
        if self._newton:
            add_counts(found, self._newton)
        if self._enforced:
            found.statistics.update(self._enforced.constrained.statistics)
        return found

    def labels(self) -> list[Label]:
        """States, inputs, multipliers and sensors."""
        system = self._asked.system
        rows = self._enforced.constrained.functions.names if self._enforced else ()
        outputs = zip(system.output_names, system.output_units) if system.outputs else ()
        return [
            *(("state", *each) for each in zip(system.state_names, system.state_units)),
            *(("input", *each) for each in zip(system.input_names, system.input_units)),
            *(("multiplier", name, "") for name in rows),
            *(("output", *each) for each in outputs),
        ]

    def rows(self, part: slice, times: Floats, states: Floats) -> Floats:
        """Inputs and outputs that belong to states."""
        system, problem = self._asked.system, self.problem
        rows = problem.input_rows(times, states)
        parts = [states, rows[:, 1:]]
        if self._enforced is not None:
            solutions = self._enforced.solutions(times, states)
            count = len(self._enforced.constrained.functions.names)
            parts.append(solutions[:, solutions.shape[1] - count :])
            rows = np.hstack([rows, solutions])
        if system.outputs is not None:
            outputs = system.outputs
            parts.append(
                evaluate_rows(
                    outputs.address, states, rows, problem.p, len(system.output_names),
                    outputs.work_size, outputs.context_address,
                )
            )  # fmt: skip
        return np.hstack(parts)

    def about(self, trajectory: Trajectory) -> dict[str, Any]:
        """Events, energy books, and how constraints were kept."""
        told: dict[str, Any] = {}
        records = self._watch.records if self._watch else []
        if self._watch:
            told["events"] = [record.as_data() for record in records]
        if self._keeper:
            for record in records:
                self._keeper.note(record, self._keeper.meter.own.settle)
            ends = trajectory.times[[0, -1]], trajectory.states[[0, -1]]
            told["books"] = self._keeper.closed(*ends).as_data()
        if self._enforced:
            kept = self._enforced.constrained
            said = remarks(
                kept.formulation, trajectory.statistics, kept.functions.rubbing, kept.shared
            )
            told |= {"constraints": kept.formulation, "remarks": said}
        return told


def _keeper(asked: Asked, method: str) -> BookKeeper[Integrated]:
    """The keeper of a run's books. Implicit formulations, which are steps and no rates, have their
    multipliers evaluated by "multipliers"."""
    formulation = "multipliers" if word_of(asked.constraints) in IMPLICIT else asked.constraints
    own, enforced = problem_for(asked.system, formulation, asked.given, asked.parameters)
    forces = enforced.constrained.solved.multipliers if enforced else None
    lines = Lines(asked.system, power_set(asked.system), asked.parameters)
    return BookKeeper(lines, Integrated(lines, own, method, forces))
