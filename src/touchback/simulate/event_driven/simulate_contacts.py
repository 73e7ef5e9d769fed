"""The one call that runs a system with rigid contacts from event to event."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from touchback.contact import ContactKind
from touchback.errors import SolveError
from touchback.native import Dopri5, EventRule, Events, Listening, Status
from touchback.native.contact.mode import ContactMode
from touchback.recording import EnergyBooks, EventRecord, Run, unknown_name
from touchback.simulate.adaptive import INTERVALS
from touchback.simulate.books import BookKeeper
from touchback.simulate.event_driven.impacts import LAWS
from touchback.simulate.event_driven.modes import Modes
from touchback.simulate.failure import RunFailed, interrupted
from touchback.simulate.inputs import Inputs, read_inputs
from touchback.simulate.plan import Plan, Trajectory
from touchback.simulate.protocol import Floats, StateData
from touchback.simulate.record import Column, named_run
from touchback.simulate.rigid import described_contacts, positive
from touchback.simulate.simulate import initial_state
from touchback.system import System
from touchback.system.contact_equations import ContactEquations
from touchback.system.powers import power_set_with

_STEPS_AT_A_TIME = 256
_LONGEST_STEP = 0.01  # of the duration: what a gap does within an eighth of it isn't all looked at


def simulate_contacts(
    system: System,
    contacts: Mapping[str, ContactKind] | None = None,
    x0: StateData | ArrayLike | None = None,
    duration: float = 1.0,
    *,
    rtol: float = 1e-9,
    atol: float = 1e-11,
    step: float | None = None,
    output_step: float | None = None,
    impacts: str = "newton",
    rest: float = 1e-8,
    event_limit: int = 100_000,
    inputs: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Run:
    """The run of a system with a few rigid contacts, every change located: impacts, lift-off, the
    instants at which something sticks, slips or rolls. The contacts are those that the model
    describes, and those given by name.

    Between events one mode is integrated by Dormand–Prince to `rtol` and `atol`: closed contacts
    and sticking friction are constraints, slipping friction is Coulomb's exactly. At an event
    complementarity decides which mode follows. `impacts` are "newton" (restitution of speeds) or
    "poisson" (of impulses). Bounces that would be over within `rest` seconds are taken as over, and
    no contact is left for a flight shorter than that, or lower than gaps are rounded: a ball comes
    to rest, and so does a block of any size that rocks from corner to corner. `step` is the longest
    step (a hundredth of the duration). Every recorded state has gaps above −1e-9 m; a run that
    can't keep that ends before it.

    The run holds, besides the states, of each contact by name "… gap", "… force" [N],
    "… friction force" and "… rolling moment" (numbered with two tangents), and the multipliers of
    the mechanism's own constraints; `run.events` ("floor hits", "floor slips", …), `run.books`, and
    in `run.metadata["remarks"]` where Painlevé's paradox was met, which impacts gave energy, or
    what overlapped at the start and was moved apart. Many contacts, or contacts that repeat each
    other, are better stepped (`step_contacts`)."""
    if impacts not in LAWS:
        raise unknown_name("law of impacts", impacts, LAWS)
    plan = Plan("dopri5", duration, step, rtol, atol, output_step, 10_000_000)
    positive("simulate_contacts", rest=rest)
    known = described_contacts("simulate_contacts", system, contacts)
    equations = ContactEquations(system, known, parameters)
    given = read_inputs(system.input_names, system.input_defaults, inputs, duration)
    x = initial_state(system, x0, 0.0, given, parameters)
    about = {
        "model": system.name, "method": "event-driven", "duration": duration, "rtol": rtol,
        "atol": atol, "step": step, "impacts": impacts, "rest": rest, "contacts": list(known),
        "inputs": given.texts, "parameters": dict(parameters or {}), "initial_state": x.tolist(),
    }  # fmt: skip
    driven = _Driven(equations, given, plan, impacts, rest, event_limit, parameters)
    began = time.perf_counter()
    with Listening() as listening:
        failure = driven.run(x)
    statistics = {"seconds": time.perf_counter() - began, **driven.statistics}
    run = driven.recorded({**about, "statistics": statistics})
    if listening.asked or isinstance(driven.cause, KeyboardInterrupt):
        raise interrupted(system.name, run) from driven.cause
    if failure:
        raise RunFailed(
            f"{system.name}: {failure}. The run up to there is kept in `.run`.", run
        ) from driven.cause
    return run


class _Driven:
    """A run from event to event."""

    def __init__(
        self,
        equations: ContactEquations,
        given: Inputs,
        plan: Plan,
        law: str,
        rest: float,
        event_limit: int,
        parameters: Mapping[str, Any] | None,
    ) -> None:
        self.equations, self._plan, self._event_limit = equations, plan, event_limit
        functions, block = equations.native(), equations.block
        self._mode = ContactMode(functions)
        self._problem = self._mode.problem(given.u, block, given.refresher())
        self._modes = Modes(equations, self._mode, self._problem, law, rest)
        self._keeper = self._books(given, dict(parameters or {}))
        rules = [EventRule(-1, True, 1e-12)] * (len(functions.normals) + len(functions.groups))
        tolerances = plan.rtol, plan.atol
        self._events = Events(
            self._problem, rules, self._mode.indicators, block, (), *tolerances,
            sloped=len(functions.normals),
        )  # fmt: skip
        self.records: list[EventRecord] = []
        self.statistics: dict[str, int] = {}
        self.cause: BaseException | None = None
        self._times, self._states = np.zeros(0), np.zeros((0, 0))
        self._forces: list[Floats] = []
        self._given = np.zeros(0)
        self._count = self._kept = 0  # events; rows of the record without an overlap

    def _books(self, given: Inputs, parameters: dict[str, Any]) -> BookKeeper:
        equations = self.equations
        beside = ContactMode(equations.native(), like=self._mode)
        own = beside.problem(given.u, equations.block, given.refresher())
        lines = power_set_with(equations.system, equations.contacts)
        return BookKeeper(equations.system, lines, own, "dopri5", parameters, beside.multipliers)

    def run(self, x: Floats) -> str:
        """Runs to the end; returns why it didn't get there, or nothing."""
        plan, names = self._plan, self.equations.system.state_names
        longest = plan.step or _LONGEST_STEP * plan.duration
        self._given = x
        try:
            x = self._modes.apart(x)
            moved = bool(self._modes.remarks)
            start, words = self._modes.change(0.0, x)
        except SolveError as error:
            self._times, self._states = np.zeros(1), x[None, :]
            self._forces = [np.zeros(self.equations.layout.rows)]
            self._keeper.open(self._problem, 0.0, x)
            return str(error)
        if moved:
            self._keeper.jump("moved apart", 0.0, np.array([self._given, x]))
        self._note(0.0, words, x, start, names)
        times = plan.output_times(INTERVALS)
        run = Dopri5(
            self._problem, start, 0.0, plan.end, times, plan.rtol, plan.atol, longest,
            plan.step_limit, self._events,
        )  # fmt: skip
        self._keeper.open(self._problem, 0.0, run.x)
        first, calm = run.x.copy(), 0.5 * self._modes.flight
        self._add_forces(np.zeros(1), first[None, :])
        self._watch(run)
        failure = ""
        while run.status == Status.PAUSED and not failure:
            short = run.t < calm  # a bounce must not begin and end within an eighth of a step
            run.max_step = min(longest, 0.25 * self._modes.flight) if short else longest
            written = run.written
            status = run.advance(1 if short else _STEPS_AT_A_TIME)
            new = slice(written, run.written)
            good, failure = self._modes.overlap(times[new], run.record[new])
            self._kept = written + good
            self._add_forces(times[written : self._kept], run.record[written : self._kept])
            if status == Status.EVENT and not failure:
                failure = self._at_event(run, names)
                calm = run.t + 0.5 * self._modes.flight
            if self._problem.raised is not None:
                self.cause = self._problem.raised
                failure = f"an input function raised {self.cause!r}"
        if not failure and run.status != Status.REACHED:
            told = self._modes.troubles(run.t, run.x)
            failure = f"stopped at t = {run.t:.6g} s ({run.status.name.lower()})" + (
                f": {told}; lower the friction or use tb.step_contacts" if told else ""
            )
        self._finish(run, first, times)
        return failure

    def _at_event(self, run: Dopri5, names: list[str]) -> str:
        crossing = self._events.take()[-1]
        try:
            after, words = self._modes.change(crossing.time, crossing.state, crossing.index)
        except SolveError as error:
            return str(error)
        self._note(crossing.time, words, crossing.state, after, names)
        self._count += 1
        if self._count > self._event_limit:
            often = self.records[-1].name
            return (
                f"more than {self._event_limit} events until t = {run.t:.6g} s, lately '{often}': "
                "contacts chatter; raise `rest`, or use tb.step_contacts"
            )
        run.restart(after)
        self._watch(run)
        return ""

    def _watch(self, run: Dopri5) -> None:
        """Watches for the end of the mode. No contact starts below its floor: it would be lost."""
        events, contacts = self._events, len(self.equations.contacts)
        events.floors[:] = self._modes.floors
        events.start(run.t, run.x)
        below = -1.01 * events.values[:contacts]
        events.floors[:contacts] = np.maximum(events.floors[:contacts], below)
        events.start(run.t, run.x)

    def _note(
        self, t: float, words: list[str], before: Floats, after: Floats, names: list[str]
    ) -> None:
        states = [dict(zip(names, map(float, each), strict=True)) for each in (before, after)]
        self.records += [EventRecord(word, t, -1, states[0], 0.0, states[1]) for word in words]

    def _add_forces(self, times: Floats, states: Floats) -> None:
        """Forces at recorded states, in the mode that they belong to."""
        for t, x in zip(times, states, strict=True):
            self._problem.rate(float(t), x)
            self._forces.append(self._mode.multipliers.copy())

    def _finish(self, run: Dopri5, first: Floats, times: Floats) -> None:
        self._states = np.vstack([first, run.record[: self._kept]])
        self._times = np.append(0.0, times[: self._kept])
        whole = self._kept == run.written and self._modes.overlap(np.array([run.t]), run.x[None])[0]
        if whole and run.t > self._times[-1]:
            self._times = np.append(self._times, run.t)
            self._states = np.vstack([self._states, run.x])
            self._add_forces(self._times[-1:], self._states[-1:])
        self.statistics = {**run.statistics, "events": len(self.records)}

    def recorded(self, about: dict[str, Any]) -> Run:
        """The run up to where it got."""
        system, layout = self.equations.system, self.equations.layout
        columns: list[tuple[str, Column]] = [
            ("state", column)
            for column in zip(system.state_names, system.state_units, self._states.T)
        ]
        inputs = self._problem.input_rows(self._times, self._states)
        forces = np.array(self._forces[: len(self._times)]).T
        for row, name in enumerate(system.constraint_names):
            columns.append(("multiplier", (name, "", forces[row])))
        gaps = self.equations.gaps(self._states, inputs, self._times)
        for i, name in enumerate(self.equations.contacts):
            columns.append(("contact", (f"{name} gap", "m", gaps[i])))
            columns.append(("contact", (f"{name} force", "N", forces[layout.normals[i]])))
            for row, label, unit in layout.friction_labels(i):
                word = "force" if unit == "N s" else "moment"
                own = f"{name} {label} {word}"
                columns.append(("contact", (own, unit.removesuffix(" s"), forces[row])))
        from_start = np.vstack([self._given, self._states[1:]])  # impacts at the start count too
        if len(self._states) == 1:
            from_start = self._states[[0, 0]]
        books = EnergyBooks.joined([
            self._keeper.close(Trajectory(self._times, from_start)), self._modes.books(),
        ])  # fmt: skip
        about["events"] = [record.as_data() for record in self.records]
        remarks = self._modes.remarks + self._modes.gains.remarks()
        about |= {"books": books.as_data(), "remarks": remarks}
        return named_run(self._times, columns, about)
