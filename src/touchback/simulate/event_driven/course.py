"""Runs of systems with rigid contacts from event to event."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from touchback.errors import SolveError
from touchback.native.contact.contact_state import ContactState
from touchback.simulate.books import BookKeeper, Integrated, Lines
from touchback.simulate.course import Asked
from touchback.simulate.event_driven.contact_states import ContactStates
from touchback.simulate.event_driven.watch import ContactWatch
from touchback.simulate.leg import Leg
from touchback.simulate.progress import Progress
from touchback.simulate.protocol import Floats, Plain
from touchback.simulate.span import Failure, Trajectory
from touchback.simulate.touching import TouchingRun
from touchback.system.powers import power_set_with

if TYPE_CHECKING:
    from touchback.simulate.solvers.event_driven import EventDriven

_LONGEST_STEP = 0.01  # of the duration: what a gap does within an eighth of it isn't all looked at


class DrivenRun(TouchingRun):
    """A run from event to event, integrated by its solver in between."""

    def __init__(self, asked: Asked, solver: EventDriven) -> None:
        super().__init__(asked, solver.contacts)
        self._solver = solver
        self._state = ContactState(self._equations.native())
        self.problem = self._state.problem(
            asked.given.u, self._equations.block, asked.given.refresher()
        )
        evaluated = [(self._equations.functions, self._equations.block)]
        self._knots = asked.knots(solver, evaluated)
        self.problem.end_steps_at(self._knots)
        self.problem.look_in_cells(asked.cells(solver, evaluated))
        self._contacts = ContactStates(
            self._equations, self._state, self.problem, solver.impacts, solver.rest
        )
        self._keeper = self._books()
        self._watch = ContactWatch(
            self._contacts,
            self._state,
            self.problem,
            self._keeper,
            self._system.state_names,
            solver,
        )
        self._given = np.zeros(0)

    def _books(self) -> BookKeeper[Integrated]:
        asked, equations = self._asked, self._equations
        beside = ContactState(equations.native(), like=self._state)
        own = beside.problem(asked.given.u, equations.block, asked.given.refresher())
        own.end_steps_at(self._knots)
        powers = power_set_with(self._system, equations.contacts)
        lines = Lines(self._system, powers, asked.parameters)
        meter = Integrated(lines, own, "dopri5", beside.solved.multipliers)
        return BookKeeper(lines, meter, self._contacts.rows)

    def go(self, x: Floats, shown: Progress) -> Trajectory:
        """From event to event, up to the end or to what no contact state can follow."""
        span, solver, contacts = self._asked.span, self._solver, self._contacts
        self._given = x
        try:
            x = contacts.walls.apart(span.start, x)
            start, words = contacts.change(span.start, x)
        except SolveError as error:
            failure = Failure(span.start, str(error), "")
            return Trajectory(np.array([span.start]), x[None, :], {}, failure)
        if contacts.walls.said:
            self._keeper.jump("moved apart", span.start, np.array([self._given, x]))
        self._watch.note(span.start, words, x, start)
        careful = replace(solver, step=solver.step or _LONGEST_STEP * span.duration)
        names = list(self._system.state_names)
        leg = Leg(self.problem, names, start, span, shown, self._watch, self._asked.trace)
        found = careful.integrate(leg)
        return self._without_overlaps(found)

    def _without_overlaps(self, found: Trajectory) -> Trajectory:
        """The trajectory up to the first state that overlaps, with the solution at its last."""
        rows, times, states = 1 + self._watch.kept, found.times, found.states
        if len(times) == rows + 1 and self._contacts.walls.overlap(times[rows:], states[rows:])[0]:
            self._watch.add_solved(times[rows:], states[rows:])
        else:
            found.times, found.states = times[:rows], states[:rows]
        solved = np.vstack(self._watch.solved)
        self._accelerations, self._forces = np.split(solved, [self._system.sizes[1]], axis=1)
        found.statistics["events"] = len(self._watch.records)
        return found

    def gaps(self, part: slice, times: Floats, states: Floats) -> Floats:
        """With the inputs of each instant."""
        return self._equations.gaps(states, self.problem.input_rows(times, states), times)

    def about(self, trajectory: Trajectory) -> Plain:
        """Events, energy books and remarks; impacts at the start count too."""
        times, states = trajectory.times, trajectory.states
        ends = np.array([self._given if len(states) > 1 else states[0], states[-1]])
        return {
            "contacts": list(self._equations.contacts),
            "events": [record.as_data() for record in self._watch.records],
            "books": self._keeper.closed(times[[0, -1]], ends).as_data(),
            "remarks": [*self._contacts.remarks, *self._unmeasured()],
        }
