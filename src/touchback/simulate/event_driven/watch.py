"""What happens along a run with rigid contacts: events end a contact state, and another follows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from touchback.errors import SolveError
from touchback.native import Chunks, EventRule, Events, Problem, Status
from touchback.native.contact.contact_state import ContactState
from touchback.recording import EventRecord
from touchback.simulate.books import BookKeeper, Integrated
from touchback.simulate.event_driven.contact_states import ContactStates
from touchback.simulate.protocol import Floats
from touchback.simulate.span import Failure
from touchback.simulate.watch import Running

if TYPE_CHECKING:
    from touchback.simulate.solvers.event_driven import EventDriven

_STEPS_AT_A_TIME = 256
_FAILED = (Status.NOT_FINITE, Status.STEP_TOO_SMALL, Status.STEP_LIMIT)


class ContactWatch:
    """Watches the contacts of a run, changes their state at events (`records`), and keeps the
    accelerations and forces `solved` for at recorded states, in the contact state that they belong
    to; `kept` counts those before one that overlaps. `failure` tells what ended the run early, if
    anything did."""

    ended = None

    def __init__(
        self,
        contacts: ContactStates,
        state: ContactState,
        problem: Problem,
        keeper: BookKeeper[Integrated],
        names: Sequence[str],
        solver: EventDriven,
    ) -> None:
        self._contacts, self._state, self._problem = contacts, state, problem
        self._keeper, self._names, self._limit = keeper, names, solver.event_limit
        self._count = len(state.functions.normals)  # of contacts
        rules = [EventRule(-1, True, 1e-12)] * (self._count + len(state.functions.groups))
        self.native = Events(
            problem, rules, state.indicators, problem.p, (), solver.rtol, solver.atol,
            sloped=self._count,
        )  # fmt: skip
        self.chunks, self.longest, self._calm = Chunks(_STEPS_AT_A_TIME), np.inf, 0.0
        self.records: list[EventRecord] = []
        self.solved: list[Floats] = []
        self.failure: Failure | None = None
        self.kept = self._events = 0

    def start(self, t: float, x: Floats) -> None:
        """Opens the books at the state from which the run starts."""
        self._problem.keep_books(self._keeper.meter.native)
        self._keeper.meter.begin(t, x)
        self.add_solved(np.array([t]), x[None, :])
        self._watch_from(t, x)

    def record(self, times: Floats, states: Floats) -> None:
        """Keeps solutions, up to where a contact overlaps: there the run can't go on."""
        good, self.failure = self._contacts.walls.overlap(times, states)
        self.add_solved(times[:good], states[:good])
        self.kept += good

    def add_solved(self, times: Floats, states: Floats) -> None:
        """Accelerations and forces of all rows at states, in the present contact state."""
        self.solved.append(self._problem.solved_rows(self._state, times, states))

    def follow(self, run: Running, status: Status) -> bool:
        """Changes the contact state at an event; False where the run has to end."""
        if self.failure is None and status == Status.EVENT:
            self._change(run)
        elif self.failure is None and status in _FAILED and self._problem.raised is None:
            told = self._contacts.troubles(run.t, run.x)
            mend = "lower the friction or use method='moreau-jean'" if told else ""
            word = status.name.lower().replace("_", " ")
            self.failure = Failure(run.t, f"{word}: {told}" if told else word, mend)
        self._pace(run.t)
        return self.failure is None

    def note(self, t: float, words: list[str], before: Floats, after: Floats) -> None:
        """Keeps what happened at an instant."""
        states = [dict(zip(self._names, map(float, x), strict=True)) for x in (before, after)]
        self.records += [EventRecord(word, t, -1, states[0], 0.0, states[1]) for word in words]

    def _change(self, run: Running) -> None:
        crossing = self.native.take()[-1]
        try:
            after, words = self._contacts.change(crossing.time, crossing.state, crossing.index)
        except SolveError as error:
            self.failure = Failure(crossing.time, str(error), "")
            return
        self.note(crossing.time, words, crossing.state, after)
        self._events += 1
        if self._events > self._limit:
            often = self.records[-1].name
            self.failure = Failure(
                run.t,
                f"more than {self._limit} events, lately '{often}': contacts chatter",
                "raise `rest`, or use method='moreau-jean'",
            )
            return
        run.restart(after)
        self._watch_from(run.t, run.x)

    def _watch_from(self, t: float, x: Floats) -> None:
        """Watches for what ends the contact state. No contact starts below its floor: it would be
        lost."""
        events, contacts = self.native, slice(self._count)
        events.floors[:] = self._contacts.floors
        events.start(t, x)
        events.floors[contacts] = np.maximum(
            events.floors[contacts], -1.01 * events.values[contacts]
        )
        events.start(t, x)
        self._calm = t + 0.5 * self._contacts.flight
        self._pace(t)

    def _pace(self, t: float) -> None:
        """Lest a bounce begin and end within an eighth of a step."""
        short = t < self._calm
        self.longest = 0.25 * self._contacts.flight if short else np.inf
        self.chunks.size = 1 if short else _STEPS_AT_A_TIME
