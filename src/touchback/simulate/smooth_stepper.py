"""Runs of mechanisms whose constraints stay: one problem from the start to the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from touchback.native import Newton, Problem, formulation_of
from touchback.numbers import Floats
from touchback.progress import Progress
from touchback.simulate.discrete_state_ticks import use_ticks
from touchback.simulate.energy_meter import EnergyAccount, IntegratedPowers, PowerLines
from touchback.simulate.event_monitor import EventMonitor, NoMonitor
from touchback.simulate.initial_states import consistency
from touchback.simulate.run_diagnostics import constraint_diagnostics
from touchback.simulate.run_protocols import Plain
from touchback.simulate.run_spec import RunSpec
from touchback.simulate.run_stepper import Label, Segment, Stepper, signal_labels
from touchback.simulate.time_span import Failure, Trajectory
from touchback.system import System, power_set

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


class SmoothStepper(Stepper):
    """One run, with constraints or without."""

    def __init__(self, spec: RunSpec, solver: Integrator) -> None:
        system, given, parameters = spec.system, spec.inputs, spec.parameters
        self._spec, self._solver = spec, solver
        self._posed = system.problem(spec.constraints, parameters, given)
        self.problem = self._posed.problem
        use_ticks(system, self._posed, solver)
        tolerances = solver.rtol, solver.atol
        self._newton = self._account = None
        knots = spec.knots(solver)
        self.problem.end_steps_at(knots)
        self.problem.look_in_cells(spec.cells(solver))
        self._monitor = NoMonitor()
        if solver.implicit:
            self._newton = newton_for(system, self.problem, *tolerances, parameters, solver.momenta)
        if spec.events:
            self._monitor = EventMonitor(
                system, self.problem, spec.events, parameters, tolerances, solver.samples,
                spec.sides, consistency(system, spec.constraints, given, parameters),
            )  # fmt: skip
        if spec.energy_balance:
            self._account = _account(spec, solver.word)
            self._account.meter.own.end_steps_at(knots)

    def gap(self, x: Floats) -> float:
        """By how much a state breaks the constraints [m or rad]."""
        return self._posed.gap(self._spec.span.start, x)

    def run(self, x: Floats, shown: Progress) -> Trajectory:
        """By the solver."""
        span, names = self._spec.span, list(self._spec.system.state_names)
        if self._account:
            self.problem.use_energy_balance(self._account.meter.native)
            self._account.meter.begin(span.start, x)
        segment = Segment(self.problem, names, x, span, shown, self._monitor, self._spec.trace)
        found = self._solver.run(segment)
        self._monitor.leave(self._spec.sides)
        if self._newton:
            add_counts(found, self._newton)
        found.statistics.update(self._posed.statistics)
        return found

    def labels(self) -> list[Label]:
        """States, inputs, multipliers and sensors."""
        return signal_labels(self._spec.system, self._posed)

    def rows(self, part: slice, times: Floats, states: Floats) -> Floats:
        """Inputs and outputs that belong to states."""
        sensors = len(self._spec.system.output_names)
        return np.hstack([states, self._posed.rows(times, states, sensors)])

    def about(self, trajectory: Trajectory) -> Plain:
        """Events, energy balance, and how constraints were kept."""
        told: Plain = {}
        if self._spec.events:
            told["events"] = [record.as_data() for record in self._monitor.records]
        if self._account:
            for record in self._monitor.records:
                self._account.note(record)
            ends = trajectory.times[[0, -1]], trajectory.states[[0, -1]]
            told["energy_balance"] = self._account.energy_balance(*ends).as_data()
        if self._posed.solving:
            posed, counts = self._posed, trajectory.statistics
            said = constraint_diagnostics(
                posed.formulation, counts, posed.friction_rows, posed.shared, posed.undetermined
            )
            told |= {"constraints": posed.formulation, "diagnostics": said}
        return told


def _account(spec: RunSpec, method: str) -> EnergyAccount[IntegratedPowers]:
    """The keeper of a run's energy balance. Implicit formulations, which are steps and no rates,
    have their multipliers evaluated by "multipliers"."""
    steps = formulation_of(spec.constraints).step
    own = spec.system.problem(
        "multipliers" if steps else spec.constraints, spec.parameters, spec.inputs
    )
    forces = own.solving.solved.multipliers if own.solving else None
    lines = PowerLines(spec.system, power_set(spec.system), spec.parameters)
    return EnergyAccount(lines, IntegratedPowers(lines, own.problem, method, forces))
