"""Runs of mechanisms whose constraints stay: one problem from the start to the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from touchback.native import Newton, Problem, formulation_of
from touchback.simulate.energy_meter import BookKeeper, Integrated, Lines
from touchback.simulate.event_monitor import Unwatched, Watch
from touchback.simulate.initial_state import consistency
from touchback.simulate.progress import Progress
from touchback.simulate.protocol import Floats, Plain
from touchback.simulate.run_diagnostics import remarks
from touchback.simulate.span import Failure, Trajectory
from touchback.simulate.stepper import Asked, Course, Label, Leg, labels_of
from touchback.simulate.ticks import use_ticks
from touchback.system import System
from touchback.system.powers import power_set

if TYPE_CHECKING:
    from touchback.simulate.solvers.base import Integrator


def newton_for(
    system: System,
    problem: Problem,
    rtol: float,
    atol: float,
    parameters: dict[str, float] | None = None,
    momenta: bool = False,
) -> Newton:
    """Newton's method for a problem of a system, with differences where there is no Jacobian, and
    with its `momenta` where the method works on them."""
    jacobian, p = system.rate_jacobian(parameters)
    momentum = system.momentum_rate(parameters) if momenta else None
    return Newton(problem, jacobian, p, rtol, atol, momentum)


def add_counts(trajectory: Trajectory, newton: Newton) -> None:
    """What Newton's method did becomes part of a trajectory, also where that is why it ended."""
    counts = newton.statistics
    evaluations = trajectory.statistics.get("evaluations", 0) + counts["evaluations"]
    trajectory.statistics.update(counts)
    trajectory.statistics["evaluations"] = evaluations
    if counts["not_converged"] and trajectory.failure:
        trajectory.failure = Failure(
            trajectory.failure.time,
            "Newton's method found no solution of the step",
            "take a shorter step, or method='radau5', which chooses its own",
        )


class SmoothRun(Course):
    """One run, with constraints or without."""

    def __init__(self, asked: Asked, solver: Integrator) -> None:
        system, given, parameters = asked.system, asked.given, asked.parameters
        self._asked, self._solver = asked, solver
        self._posed = system.problem(asked.constraints, parameters, given)
        self.problem = self._posed.problem
        use_ticks(system, self._posed, solver)
        tolerances = solver.rtol, solver.atol
        self._newton = self._keeper = None
        knots = asked.knots(solver)
        self.problem.end_steps_at(knots)
        self.problem.look_in_cells(asked.cells(solver))
        self._watch = Unwatched()
        if solver.implicit:
            self._newton = newton_for(system, self.problem, *tolerances, parameters, solver.momenta)
        if asked.events:
            self._watch = Watch(
                system, self.problem, asked.events, parameters, tolerances, solver.samples,
                asked.sides, consistency(system, asked.constraints, given, parameters),
            )  # fmt: skip
        if asked.books:
            self._keeper = _keeper(asked, solver.word)
            self._keeper.meter.own.end_steps_at(knots)

    def gap(self, x: Floats) -> float:
        """By how much a state breaks the constraints [m or rad]."""
        return self._posed.gap(self._asked.span.start, x)

    def go(self, x: Floats, shown: Progress) -> Trajectory:
        """By the solver."""
        span, names = self._asked.span, list(self._asked.system.state_names)
        if self._keeper:
            self.problem.keep_books(self._keeper.meter.native)
            self._keeper.meter.begin(span.start, x)
        leg = Leg(self.problem, names, x, span, shown, self._watch, self._asked.trace)
        found = self._solver.run(leg)
        self._watch.leave(self._asked.sides)
        if self._newton:
            add_counts(found, self._newton)
        found.statistics.update(self._posed.statistics)
        return found

    def labels(self) -> list[Label]:
        """States, inputs, multipliers and sensors."""
        return labels_of(self._asked.system, self._posed)

    def rows(self, part: slice, times: Floats, states: Floats) -> Floats:
        """Inputs and outputs that belong to states."""
        sensors = len(self._asked.system.output_names)
        return np.hstack([states, self._posed.rows(times, states, sensors)])

    def about(self, trajectory: Trajectory) -> Plain:
        """Events, energy books, and how constraints were kept."""
        told: Plain = {}
        if self._asked.events:
            told["events"] = [record.as_data() for record in self._watch.records]
        if self._keeper:
            for record in self._watch.records:
                self._keeper.note(record)
            ends = trajectory.times[[0, -1]], trajectory.states[[0, -1]]
            told["books"] = self._keeper.closed(*ends).as_data()
        if self._posed.solving:
            posed, counts = self._posed, trajectory.statistics
            said = remarks(
                posed.formulation, counts, posed.rubbing, posed.shared, posed.undetermined
            )
            told |= {"constraints": posed.formulation, "remarks": said}
        return told


def _keeper(asked: Asked, method: str) -> BookKeeper[Integrated]:
    """The keeper of a run's books. Implicit formulations, which are steps and no rates, have their
    multipliers evaluated by "multipliers"."""
    steps = formulation_of(asked.constraints).step
    own = asked.system.problem(
        "multipliers" if steps else asked.constraints, asked.parameters, asked.given
    )
    forces = own.solving.solved.multipliers if own.solving else None
    lines = Lines(asked.system, power_set(asked.system), asked.parameters)
    return BookKeeper(lines, Integrated(lines, own.problem, method, forces))
