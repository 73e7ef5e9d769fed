"""Runs of systems with rigid contacts from event to event."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from touchback.errors import SolveError
from touchback.native import Dopri5, EventRule, Events, Status
from touchback.native.contact.contact_state import ContactState
from touchback.recording import EventRecord
from touchback.simulate.books import BookKeeper, Integrated, Lines
from touchback.simulate.course import Asked, Course, Label
from touchback.simulate.event_driven.contact_states import ContactStates
from touchback.simulate.progress import Progress
from touchback.simulate.protocol import Floats
from touchback.simulate.rigid import contacts_of
from touchback.simulate.span import Failure, Trajectory
from touchback.system.contact_equations import ContactEquations
from touchback.system.powers import power_set_with

if TYPE_CHECKING:
    from touchback.simulate.solvers.event_driven import EventDriven

_STEPS_AT_A_TIME = 256
_LONGEST_STEP = 0.01  # of the duration: what a gap does within an eighth of it isn't all looked at


class DrivenRun(Course):
    """A run from event to event."""

    def __init__(self, asked: Asked, solver: EventDriven) -> None:
        system, contacts = contacts_of(asked.system, solver.contacts)
        self._asked, self._solver, self._system = asked, solver, system
        self._equations = ContactEquations(system, contacts, asked.parameters)
        functions, block = self._equations.native(), self._equations.block
        self._state = ContactState(functions)
        self.problem = self._state.problem(asked.given.u, block, asked.given.refresher())
        self._contacts = ContactStates(
            self._equations, self._state, self.problem, solver.impacts, solver.rest
        )
        self._keeper = self._books()
        rules = [EventRule(-1, True, 1e-12)] * (len(functions.normals) + len(functions.groups))
        self._events = Events(
            self.problem, rules, self._state.indicators, block, (), solver.rtol, solver.atol,
            sloped=len(functions.normals),
        )  # fmt: skip
        self._records: list[EventRecord] = []
        self._forces: list[Floats] = []
        self._given = np.zeros(0)
        self._count = self._kept = 0  # events; rows of the record without an overlap

    def _books(self) -> BookKeeper[Integrated]:
        asked, equations = self._asked, self._equations
        beside = ContactState(equations.native(), like=self._state)
        own = beside.problem(asked.given.u, equations.block, asked.given.refresher())
        powers = power_set_with(self._system, equations.contacts)
        lines = Lines(self._system, powers, asked.parameters)
        meter = Integrated(lines, own, "dopri5", beside.multipliers)
        return BookKeeper(lines, meter, self._contacts.rows)

    def go(self, x: Floats, shown: Progress) -> Trajectory:
        """From event to event, up to the end or to what no contact state can follow."""
        span, solver, contacts = self._asked.span, self._solver, self._contacts
        self._given = x
        try:
            x = contacts.apart(span.start, x)
            moved = bool(contacts.remarks)
            start, words = contacts.change(span.start, x)
        except SolveError as error:
            self._forces = [np.zeros(self._equations.layout.rows)]
            failure = Failure(span.start, str(error), "")
            return Trajectory(np.array([span.start]), x[None, :], {}, failure)
        if moved:
            self._keeper.jump("moved apart", span.start, np.array([self._given, x]))
        self._note(span.start, words, x, start)
        times = span.output_times(solver.output_step)
        longest = solver.step or _LONGEST_STEP * span.duration
        run = Dopri5(
            self.problem, start, span.start, span.end, times, solver.rtol, solver.atol, longest,
            solver.step_limit, self._events,
        )  # fmt: skip
        self.problem.keep_books(self._keeper.meter.native)
        self._keeper.meter.begin(span.start, run.x)
        first = run.x.copy()
        self._add_forces(np.array([span.start]), first[None, :])
        self._watch(run)
        failed = self._walk(run, longest, shown)
        return self._finish(run, first, failed)

    def _walk(self, run: Dopri5, longest: float, shown: Progress) -> Failure | None:
        """From event to event; returns what ended that early, if anything did."""
        span, contacts, failure = self._asked.span, self._contacts, None
        calm = span.start + 0.5 * contacts.flight
        while run.status == Status.PAUSED and failure is None and self.problem.raised is None:
            short = run.t < calm  # a bounce must not begin and end within an eighth of a step
            run.max_step = min(longest, 0.25 * contacts.flight) if short else longest
            written = run.written
            status = run.advance(1 if short else _STEPS_AT_A_TIME)
            new = slice(written, run.written)
            good, failure = contacts.overlap(run.times[new], run.record[new])
            self._kept = written + good
            self._add_forces(run.times[written : self._kept], run.record[written : self._kept])
            if status == Status.EVENT and failure is None:
                failure = self._at_event(run)
                calm = run.t + 0.5 * contacts.flight
            shown.update((run.t - span.start) / span.duration)
        ended = run.status not in (Status.REACHED, Status.INTERRUPTED)
        if ended and failure is None and self.problem.raised is None:
            told = contacts.troubles(run.t, run.x)
            mend = "lower the friction or use method='moreau-jean'" if told else ""
            word = run.status.name.lower().replace("_", " ")
            failure = Failure(run.t, f"{word}: {told}" if told else word, mend)
        return failure

    def _at_event(self, run: Dopri5) -> Failure | None:
        crossing = self._events.take()[-1]
        try:
            after, words = self._contacts.change(crossing.time, crossing.state, crossing.index)
        except SolveError as error:
            return Failure(crossing.time, str(error), "")
        self._note(crossing.time, words, crossing.state, after)
        self._count += 1
        if self._count > self._solver.event_limit:
            often = self._records[-1].name
            return Failure(
                run.t,
                f"more than {self._solver.event_limit} events, lately '{often}': contacts chatter",
                "raise `rest`, or use method='moreau-jean'",
            )
        run.restart(after)
        self._watch(run)
        return None

    def _watch(self, run: Dopri5) -> None:
        """Watches for what ends the state. No contact starts below its floor: it would be lost."""
        events, contacts = self._events, len(self._equations.contacts)
        events.floors[:] = self._contacts.floors
        events.start(run.t, run.x)
        below = -1.01 * events.values[:contacts]
        events.floors[:contacts] = np.maximum(events.floors[:contacts], below)
        events.start(run.t, run.x)

    def _note(self, t: float, words: list[str], before: Floats, after: Floats) -> None:
        names = self._system.state_names
        states = [dict(zip(names, map(float, each), strict=True)) for each in (before, after)]
        self._records += [EventRecord(word, t, -1, states[0], 0.0, states[1]) for word in words]

    def _add_forces(self, times: Floats, states: Floats) -> None:
        """Forces at recorded states, in the contact state that they belong to."""
        for t, x in zip(times, states, strict=True):
            self.problem.rate(float(t), x)
            self._forces.append(self._state.multipliers.copy())

    def _finish(self, run: Dopri5, first: Floats, failure: Failure | None) -> Trajectory:
        states = np.vstack([first, run.record[: self._kept]])
        times = np.append(self._asked.span.start, run.times[: self._kept])
        whole = (
            self._kept == run.written and self._contacts.overlap(np.array([run.t]), run.x[None])[0]
        )
        if whole and run.t > times[-1]:
            times, states = np.append(times, run.t), np.vstack([states, run.x])
            self._add_forces(times[-1:], states[-1:])
        counts: dict[str, float] = {**run.statistics, "events": len(self._records)}
        return Trajectory(times, states, counts, failure)

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
        layout, forces = self._equations.layout, np.array(self._forces[part])
        gaps = self._equations.gaps(states, self.problem.input_rows(times, states), times)
        columns = [*states.T, *forces.T[: layout.bilateral]]
        for i, normal in enumerate(layout.normals):
            columns += [gaps[i], forces[:, normal]]
            columns += [forces[:, row] for row, _, _ in layout.friction_labels(i)]
        return np.column_stack(columns)

    def about(self, trajectory: Trajectory) -> dict[str, Any]:
        """Events, energy books and remarks; impacts at the start count too."""
        times, states = trajectory.times, trajectory.states
        ends = np.array([self._given if len(states) > 1 else states[0], states[-1]])
        return {
            "contacts": list(self._equations.contacts),
            "events": [record.as_data() for record in self._records],
            "books": self._keeper.closed(times[[0, -1]], ends).as_data(),
            "remarks": self._contacts.remarks + self._contacts.gains.remarks(),
        }
