"""Runs of systems with rigid contacts from event to event."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from touchback.errors import SolveError
from touchback.native.contact.contact_state import ContactState
from touchback.simulate.books import BookKeeper, Integrated, Lines
from touchback.simulate.course import Asked, Course, Label
from touchback.simulate.event_driven.contact_states import ContactStates
from touchback.simulate.event_driven.watch import ContactWatch
from touchback.simulate.leg import Leg
from touchback.simulate.progress import Progress
from touchback.simulate.protocol import Floats, Plain
from touchback.simulate.rigid import contacts_of
from touchback.simulate.span import Failure, Trajectory
from touchback.system.contact_equations import ContactEquations
from touchback.system.powers import power_set_with

if TYPE_CHECKING:
    from touchback.simulate.solvers.event_driven import EventDriven

_LONGEST_STEP = 0.01  # of the duration: what a gap does within an eighth of it isn't all looked at


class DrivenRun(Course):
    """A run from event to event, integrated by its solver in between."""

    def __init__(self, asked: Asked, solver: EventDriven) -> None:
        system, contacts = contacts_of(asked.system, solver.contacts)
        self._asked, self._solver, self._system = asked, solver, system
        self._equations = ContactEquations(system, contacts, asked.parameters)
        self._state = ContactState(self._equations.native())
        self.problem = self._state.problem(
            asked.given.u, self._equations.block, asked.given.refresher()
        )
        self._contacts = ContactStates(
            self._equations, self._state, self.problem, solver.impacts, solver.rest
        )
        self._keeper = self._books()
        self._watch = ContactWatch(
            self._contacts, self._state, self.problem, self._keeper, system.state_names, solver
        )
        self._forces = np.zeros((1, self._equations.layout.rows))
        self._given = np.zeros(0)

    def _books(self) -> BookKeeper[Integrated]:
        asked, equations = self._asked, self._equations
        beside = ContactState(equations.native(), like=self._state)
        own = beside.problem(asked.given.u, equations.block, asked.given.refresher())
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
        found = careful.integrate(Leg(self.problem, names, start, span, shown, self._watch))
        return self._without_overlaps(found)

    def _without_overlaps(self, found: Trajectory) -> Trajectory:
        """The trajectory up to the first state that overlaps, with the forces of its last state."""
        rows, times, states = 1 + self._watch.kept, found.times, found.states
        if len(times) == rows + 1 and self._contacts.walls.overlap(times[rows:], states[rows:])[0]:
            self._watch.add_forces(times[rows:], states[rows:])
        else:
            found.times, found.states = times[:rows], states[:rows]
        self._forces = np.vstack(self._watch.forces)
        found.statistics["events"] = len(self._watch.records)
        return found

    def labels(self) -> list[Label]:
        """States, multipliers of the mechanism's own constraints, and of each contact its gap,
        force and friction."""
        system, layout = self._system, self._equations.layout
        found: list[Label] = [
            *(("state", *each) for each in zip(system.state_names, system.state_units)),
            *(("multiplier", name, "") for name in system.constraint_names),
        ]
        for i, name in enumerate(self._equations.contacts):
            found += [("contact", f"{name} gap", "m"), ("contact", f"{name} force", "N")]
            for _, label, unit in layout.friction_labels(i):
                word = "force" if unit == "N s" else "moment"
                found.append(("contact", f"{name} {label} {word}", unit.removesuffix(" s")))
        return found

    def rows(self, part: slice, times: Floats, states: Floats) -> Floats:
        """In the order of the labels."""
        layout, forces = self._equations.layout, self._forces[part]
        gaps = self._equations.gaps(states, self.problem.input_rows(times, states), times)
        columns = [*states.T, *forces.T[: layout.bilateral]]
        for i, normal in enumerate(layout.normals):
            columns += [gaps[i], forces[:, normal]]
            columns += [forces[:, row] for row, _, _ in layout.friction_labels(i)]
        return np.column_stack(columns)

    def about(self, trajectory: Trajectory) -> Plain:
        """Events, energy books and remarks; impacts at the start count too."""
        times, states = trajectory.times, trajectory.states
        ends = np.array([self._given if len(states) > 1 else states[0], states[-1]])
        return {
            "contacts": list(self._equations.contacts),
            "events": [record.as_data() for record in self._watch.records],
            "books": self._keeper.closed(times[[0, -1]], ends).as_data(),
            "remarks": self._contacts.remarks,
        }
