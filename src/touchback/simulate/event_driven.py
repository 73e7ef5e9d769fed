"""Rigid contacts from event to event: Pfeiffer and Glocker 1996, "Multibody dynamics with
unilateral contacts"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from touchback.contact import ContactKind
from touchback.errors import SolveError
from touchback.native import Chunks, EventRule, Events, Problem, Status
from touchback.native.contact.contact_state import ContactState
from touchback.numbers import Floats
from touchback.progress import Progress
from touchback.recording import EventRecord, unknown_name
from touchback.simulate.contact_response import LAWS
from touchback.simulate.contact_states import ContactStates
from touchback.simulate.contact_stepper import ContactStepper
from touchback.simulate.energy_meter import EnergyAccount, IntegratedPowers, PowerLines
from touchback.simulate.event_monitor import Running
from touchback.simulate.protocol import Plain
from touchback.simulate.run_spec import RunSpec
from touchback.simulate.solvers.adaptive_solvers import Dopri5
from touchback.simulate.solvers.base import Can
from touchback.simulate.span import Failure, Trajectory, counted, needed
from touchback.simulate.stepper import Segment, Stepper
from touchback.system.powers import power_set_with


@dataclass(frozen=True, kw_only=True)
class EventDriven(Dopri5):
    """A few rigid contacts, every change located: impacts, lift-off, the instants at which
    something sticks, slips or rolls. The contacts are those that the model describes, and the
    `contacts` given by name.

    Between events one contact state is integrated by Dormand–Prince to `rtol` and `atol`: closed
    contacts and sticking friction are constraints, slipping friction is Coulomb's exactly. At an
    event complementarity decides which one follows. `impacts` are "newton" (restitution of speeds,
    of all contacts that touch at once), "poisson" (of impulses) or "sequential" (Newton's, one
    contact after the other, so that blows pass on through bodies that touch). Bounces that would be
    over within `rest` seconds are taken as over, and no contact is left for a flight shorter than
    that, or lower than gaps are rounded: a ball comes to rest, and so does a block of any size that
    rocks from corner to corner. `step` is the longest step (a hundredth of the duration),
    `event_limit` the most events. Every recorded state has gaps above −1e-9 m; a run that can't
    keep that ends before it.

    The run holds, besides the states, of each contact by name "… gap", "… force" [N],
    "… friction force" and "… rolling moment" (numbered with two tangents), the multipliers of the
    mechanism's own constraints, inputs and sensors; `run.events` ("floor hits", "floor slips", …),
    `run.energy_balance`, and in `run.metadata["diagnostics"]` where Painlevé's paradox was met,
    which impacts gave energy, what overlapped at the start and was moved apart, or which sensors
    can't be measured: reactions of joints that carry what touches. Many contacts, or contacts that
    repeat each other, are better stepped (`MoreauJean`)."""

    word = "event-driven"
    can = Can.ADAPTIVE | Can.CONSTRAINTS | Can.CONTACTS | Can.ENERGY_BALANCE

    rtol: float = 1e-9
    atol: float = 1e-11
    impacts: str = "newton"
    rest: float = 1e-8
    event_limit: int = 100_000
    contacts: Mapping[str, ContactKind] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        needed(self, "rest")
        counted(self, "event_limit")
        if self.impacts not in LAWS:
            raise unknown_name("law of impacts", self.impacts, LAWS)

    def stepper(self, spec: RunSpec) -> Stepper:
        """The run, ready to go."""
        return EventDrivenStepper(spec, self)


_STEPS_AT_A_TIME = 256
_FAILED = (Status.NOT_FINITE, Status.STEP_TOO_SMALL, Status.STEP_LIMIT)


class ContactMonitor:
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
        keeper: EnergyAccount[IntegratedPowers],
        names: Sequence[str],
        solver: EventDriven,
    ) -> None:
        self._contacts, self._state, self._problem = contacts, state, problem
        self._account, self._names, self._limit = keeper, names, solver.event_limit
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
        """Opens the balance at the state from which the run starts."""
        self._problem.use_energy_balance(self._account.meter.native)
        self._account.meter.begin(t, x)
        self.add_solved(np.array([t]), x[None, :])
        self._monitor_from(t, x)

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
        self._monitor_from(run.t, run.x)

    def _monitor_from(self, t: float, x: Floats) -> None:
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


_LONGEST_STEP = 0.01  # of the duration: what a gap does within an eighth of it isn't all looked at


class EventDrivenStepper(ContactStepper):
    """A run from event to event, integrated by its solver in between."""

    def __init__(self, spec: RunSpec, solver: EventDriven) -> None:
        super().__init__(spec, solver.contacts)
        self._solver = solver
        self._state = ContactState(self._equations.native())
        self.problem = self._state.problem(
            spec.inputs.u, self._equations.block, spec.inputs.refresher()
        )
        evaluated = [(self._equations.functions, self._equations.block)]
        self._knots = spec.knots(solver, evaluated)
        self.problem.end_steps_at(self._knots)
        self.problem.look_in_cells(spec.cells(solver, evaluated))
        self._contacts = ContactStates(
            self._equations, self._state, self.problem, solver.impacts, solver.rest
        )
        self._account = self._books()
        self._contacts.on_impact = self._account.impact
        self._monitor = ContactMonitor(
            self._contacts,
            self._state,
            self.problem,
            self._account,
            self._system.state_names,
            solver,
        )
        self._given = np.zeros(0)

    def _books(self) -> EnergyAccount[IntegratedPowers]:
        spec, equations = self._spec, self._equations
        beside = ContactState(equations.native(), like=self._state)
        own = beside.problem(spec.inputs.u, equations.block, spec.inputs.refresher())
        own.end_steps_at(self._knots)
        powers = power_set_with(self._system, equations.contacts)
        lines = PowerLines(self._system, powers, spec.parameters)
        meter = IntegratedPowers(lines, own, "dopri5", beside.solved.multipliers)
        return EnergyAccount(lines, meter, self._contacts.rows)

    def run(self, x: Floats, shown: Progress) -> Trajectory:
        """From event to event, up to the end or to what no contact state can follow."""
        span, solver, contacts = self._spec.span, self._solver, self._contacts
        self._given = x
        try:
            x = contacts.walls.apart(span.start, x)
            start, words = contacts.change(span.start, x)
        except SolveError as error:
            failure = Failure(span.start, str(error), "")
            return Trajectory(np.array([span.start]), x[None, :], {}, failure)
        if contacts.walls.said:
            self._account.jump("moved apart", span.start, np.array([self._given, x]))
        self._monitor.note(span.start, words, x, start)
        careful = replace(solver, step=solver.step or _LONGEST_STEP * span.duration)
        names = list(self._system.state_names)
        segment = Segment(self.problem, names, start, span, shown, self._monitor, self._spec.trace)
        found = careful.integrate(segment)
        return self._without_overlaps(found)

    def _without_overlaps(self, found: Trajectory) -> Trajectory:
        """The trajectory up to the first state that overlaps, with the solution at its last."""
        rows, times, states = 1 + self._monitor.kept, found.times, found.states
        if len(times) == rows + 1 and self._contacts.walls.overlap(times[rows:], states[rows:])[0]:
            self._monitor.add_solved(times[rows:], states[rows:])
        else:
            found.times, found.states = times[:rows], states[:rows]
        solved = np.vstack(self._monitor.solved)
        self._accelerations, self._forces = np.split(solved, [self._system.sizes[1]], axis=1)
        found.statistics["events"] = len(self._monitor.records)
        return found

    def gaps(self, part: slice, times: Floats, states: Floats) -> Floats:
        """With the inputs of each instant."""
        return self._equations.gaps(states, self.problem.input_rows(times, states), times)

    def about(self, trajectory: Trajectory) -> Plain:
        """Events, energy balance and diagnostics; impacts at the start count too."""
        times, states = trajectory.times, trajectory.states
        ends = np.array([self._given if len(states) > 1 else states[0], states[-1]])
        return {
            "contacts": list(self._equations.contacts),
            "events": [record.as_data() for record in self._monitor.records],
            "energy_balance": self._account.closed(times[[0, -1]], ends).as_data(),
            "diagnostics": [*self._contacts.diagnostics, *self._unmeasured_diagnostics()],
        }
