"""Runs of mechanisms with modes, one after the other, each with its own equations over one state.

Where steps adapt, exits are located on the dense output as events are, and taken there; several may
follow each other at one instant. With fixed steps they are found and taken inside C, within the
step: the same code that runs against a clock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from touchback.errors import InputError
from touchback.native import MOST, STEPS, Chunks, Crossed, EventRule, Events, Modes, Problem, Status
from touchback.numbers import Floats
from touchback.progress import Progress
from touchback.recording import TransitionRecord
from touchback.simulate.discrete_state_ticks import use_ticks
from touchback.simulate.energy_meter import EnergyAccount, IntegratedPowers, PowerLines
from touchback.simulate.event_monitor import (
    Event,
    EventMonitor,
    NoMonitor,
    RestartableRun,
    Sides,
    check_events,
)
from touchback.simulate.initial_states import consistency
from touchback.simulate.run_diagnostics import constraint_diagnostics
from touchback.simulate.run_protocols import Settle
from touchback.simulate.run_spec import RunSpec
from touchback.simulate.run_stepper import Label, Segment, Stepper, signal_labels
from touchback.simulate.smooth_stepper import newton_for
from touchback.simulate.time_span import Failure, Trajectory
from touchback.system import Expr, ModalProblem, System, SystemMode, power_set_of_modes

if TYPE_CHECKING:
    from touchback.simulate.solvers.base import Integrator


CROWD = 64  # transitions
LONGEST, PART = 1e-4, 1e-5  # seconds, and part of a run


def crowding_time(duration: float) -> float:
    """Seconds in which a crowd of transitions is chattering, where steps adapt: what switches every
    microsecond by nature is looked at for milliseconds, not for minutes."""
    return min(LONGEST, PART * duration)


class Chattering:
    """Watches transitions: `CROWD` of them within `span` seconds are too many."""

    def __init__(self, span: float) -> None:
        self.span = span
        self._recent: deque[TransitionRecord] = deque(maxlen=CROWD)

    def note(self, record: TransitionRecord) -> None:
        """One more."""
        self._recent.append(record)

    @property
    def is_crowded(self) -> bool:
        """Whether they crowd."""
        recent = self._recent
        return len(recent) == CROWD and recent[-1].time - recent[0].time <= self.span

    def clear(self) -> None:
        """What came before doesn't count any more."""
        self._recent.clear()

    def describe(self) -> str:
        """Who alternates, how often, and within which time."""
        return describe_chattering(list(self._recent))


def describe_chattering(recent: Sequence[TransitionRecord]) -> str:
    """The modes that alternate, in words."""
    names = sorted({name for each in recent for name in (each.source, each.target)})
    span = recent[-1].time - recent[0].time
    causes = list(dict.fromkeys(each.cause for each in recent))
    if len(names) == 1:
        who = f"mode '{names[0]}' is left and entered again"
    else:
        who = f"modes {' and '.join(repr(name) for name in names)} alternate"
    by = " and ".join(repr(cause) for cause in causes)
    return f"{who} {len(recent)} times within {span:.2g} s, by {by}"


CHATTERING_HINT = (
    "give the transition a `rest` mode that follows when nothing rebounds any more, or let the way "
    "back have another threshold than the way there"
)


class TransitionLog:
    """The `transitions` of one run, and what else its states tell."""

    def __init__(
        self, system: System, modes: Modes, problem: Problem, parameters: dict[str, float]
    ) -> None:
        self._system, self._every, self._parameters = (
            system,
            system.dynamics.modes.every,
            parameters,
        )
        self._modes, self._problem = modes, problem
        self.transitions: list[TransitionRecord] = []

    def exit_of(self, crossed: Crossed) -> Any:
        """The transition that was taken."""
        return self._every[crossed.mode].exits[crossed.exit]

    def note(self, crossed: Crossed, error: float | None) -> TransitionRecord:
        """One more transition, with how well it was located."""
        before, after = (
            self._system.stored_energy(x, self._parameters, crossed.time)
            for x in (crossed.before, crossed.state)
        )
        record = TransitionRecord(
            crossed.time, self._every[crossed.mode].name, self._every[crossed.after].name,
            self.exit_of(crossed).name, after - before, error,
        )  # fmt: skip
        self.transitions.append(record)
        return record

    def cannot_begin(self) -> Failure:
        """Why the mode to which a transition leads can't begin."""
        failed = self._modes.failed
        if failed is None:
            raise InputError(f"{self._system.name}: a transition failed for no reason.")
        return mode_entry_failure(self._every, *failed)

    def unread(self, times: Floats, states: Floats) -> Failure | None:
        """The first indicator that was no number when the run was recorded: what happens from there
        on can't be told."""
        found = []
        for number, t, x in self._by_mode(times, states):
            values = self._modes.indicator_rows(self._problem, number, t, x)
            rows, exits = np.nonzero(np.isnan(values))
            if rows.size:
                found.append((float(t[rows[0]]), number, int(exits[0])))
        return indicator_failure(self._every, *min(found)) if found else None

    def metadata(self, times: Floats, states: Floats) -> dict[str, float]:
        """Counts of the formulations. How well constraints were kept is read from what is recorded:
        steps that are tried beyond a transition, and left again, may break them."""
        largest = 0.0
        for number, t, x in self._by_mode(times, states):
            h = self._modes.position_rows(self._problem, number, t, x)
            largest = max(largest, float(np.abs(h).max(initial=0.0)))
        counts = self._modes.statistics
        return {**counts, "largest_h": largest, "singular": 0, "not_converged": 0}

    def _by_mode(self, times: Floats, states: Floats) -> Iterator[tuple[int, Floats, Floats]]:
        """States that are numbers, by the mode they are in."""
        good = np.isfinite(states).all(axis=1)
        times, states = times[good], states[good]
        numbers = self._modes.modes_of(states)
        for number in map(int, np.unique(numbers)):
            at = numbers == number
            yield number, times[at], states[at]


def mode_entry_failure(
    every: Sequence[SystemMode], t: float, mode: int, number: int, gap: float
) -> Failure:
    """The mode that an exit leads to couldn't begin: by how much its constraints were open."""
    each = every[mode].exits[number]
    target = every[each.data.target].name
    if np.isfinite(gap):
        what = f"mode '{target}' can't begin: its constraints are open by {gap:.3g} m (or rad)"
    else:
        what = f"mode '{target}' can't begin: its constraints can't be met from there"
    return Failure(
        t,
        f"{what} when transition '{each.name}' leads to it",
        "let `when` be the gap that closes, or give a `reset` that closes it",
    )


def indicator_failure(every: Sequence[SystemMode], t: float, mode: int, number: int) -> Failure:
    """The indicator of an exit was no number."""
    return Failure(
        t,
        f"`when` of transition '{every[mode].exits[number].name}' isn't a number in mode "
        f"'{every[mode].name}', so that nobody can tell whether it passes zero",
        "mend its expression (a root or logarithm of what falls below zero?)",
    )


AHEAD = 1e-8  # seconds by which is seen whether an indicator comes back
_LOCKING = 1e-9  # seconds: an exit is taken once, so that this hardly matters
CHUNK = 64  # fixed steps between looks at the log


class ExitMonitor(EventMonitor):
    """Looks for the exits of a mode after `Modes.fires` has judged them; `exit` is the one that
    ended the run (−1: none), and `error` how well it was located."""

    def __init__(
        self,
        system: System,
        problem: Problem,
        modes: Modes,
        mode: int,
        events: Sequence[Event],
        parameters: Mapping[str, Any] | None,
        tolerances: tuple[float, float],
        samples: int,
        sides: Sides,
        consistent: Settle | None,
    ) -> None:
        check_events(events)
        self._exits = [each.direction for each in modes.data.modes[mode].exits]
        self._modes, self._mode, self._events = modes, mode, list(events)
        self._names, self._problem = list(system.state_names), problem
        rules = [EventRule(direction, True, _LOCKING) for direction in self._exits]
        rules += [EventRule(e.direction, e.terminal or bool(e.restart), e.locking) for e in events]
        functions = [_callable(system, problem, event, parameters) for event in events]
        indicators = modes.indicators(mode) if self._exits else None
        self.native = Events(
            problem,
            rules,
            indicators,
            problem.p,
            functions,
            *tolerances,
            samples,
            watched=len(self._exits),
        )
        self.records, self._sides, self._consistent = [], sides, consistent
        self._first = len(self._exits)
        self.exit, self.error = -1, 0.0

    def start(self, t: float, x: Floats) -> None:
        """Reads on which side the initial state is. An indicator that has only just left zero is
        first read a little later, lest the same crossing be found again."""
        super().start(t, x)
        self.native.lock(self._modes.waiting(self._mode), t + AHEAD)

    def follow(self, run: RestartableRun, status: Status) -> bool:
        """As of any run; an exit ends it."""
        found = self.native.take()
        for i, crossing in enumerate(found):
            if crossing.index < 0:
                self._give_up(self._events[-1 - crossing.index - len(self._exits)], crossing.time)
                break
            if crossing.index < len(self._exits):
                self.exit, self.error = crossing.index, crossing.error
                continue
            event = self._events[crossing.index - len(self._exits)]
            last = status == Status.EVENT and i == len(found) - 1
            self._note(run, event, crossing, last)
        return self.ended is None and self.failure is None and self.exit < 0


class TransitionLogMonitor(NoMonitor):
    """Reads the log of fixed steps that take transitions themselves; `cross` gets each of them."""

    def __init__(
        self, modes: Modes, log: TransitionLog, cross: Callable[[Crossed], None], step: float
    ) -> None:
        self._modes, self._log, self._cross, self._step = modes, log, cross, step

    @property
    def chunks(self) -> Chunks:
        """The log holds as many steps."""
        return Chunks(CHUNK)

    def follow(self, run: RestartableRun, status: Status) -> bool:
        """Notes what was logged; False where the run can't go on."""
        for crossed in self._modes.take_log():
            self._cross(crossed)
            self._log.note(crossed, None)
        if self._modes.chattering or self._modes.crowded(self._step):
            self.failure = Failure(
                run.t, describe_chattering(self._log.transitions[-MOST:]), CHATTERING_HINT
            )
        elif self._modes.failed is not None:
            self.failure = self._log.cannot_begin()
        return self.failure is None


def _callable(
    system: System, problem: Problem, event: Event, parameters: Mapping[str, Any] | None
) -> Callable[[float, Floats], float]:
    """An event's function of (t, x)."""
    if not isinstance(event.function, Expr | str):
        return event.function
    function, p = system.event_functions([event.function], parameters)
    x, out = np.zeros(problem.state_size), np.zeros(1)
    u = np.zeros(len(problem.u))
    call = function.bind(x, u, p, out)

    def value(t: float, state: Floats) -> float:
        x[:] = state
        u[:] = problem.input_rows(np.array([t]), state[None, :])[0]
        call()
        return float(out[0])

    return value


class ModeStepper(Stepper):
    """One run: its problem, what it has told, and where it is."""

    def __init__(self, spec: RunSpec, solver: Integrator) -> None:
        given = spec.inputs
        system: System = spec.system
        self._system, self._spec, self._solver = system, spec, solver
        self._fixed = solver.word in STEPS
        method = solver.word if self._fixed else next(iter(STEPS))
        posed = system.problem(spec.constraints, spec.parameters, given, method)
        self._posed = cast(ModalProblem, posed)  # that is what a system with modes gives
        self._modes, self.problem = self._posed.solving, posed.problem
        self._block, self._knots = posed.problem.p, spec.knots(solver)
        self._cells = spec.cells(solver)
        use_ticks(system, posed, solver)
        self._log = TransitionLog(system, self._modes, self.problem, spec.parameters)
        self._parts: list[Trajectory] = []
        self._events: list[dict[str, Any]] = []
        self._problems: dict[int, Problem] = {}
        self._paradoxes: float = 0
        self._account = self._make_account() if spec.energy_balance else None
        if self._account and self._fixed:
            self._modes.use_energy_balance(self._account.meter.native)

    def _make_account(self) -> EnergyAccount[IntegratedPowers]:
        """Of powers in the mode that reigns, from transition to transition: rates and multipliers
        come from `Modes` of the balance's own, whose mode is that of the state."""
        spec, system = self._spec, self._system
        own = Modes(self._modes.data, self._modes.formulation, next(iter(STEPS)), logging=False)
        problem = own.settled_problem(spec.inputs.u, self._block, spec.inputs.refresher())
        problem.end_steps_at(self._knots)
        lines = PowerLines(system, power_set_of_modes(system), spec.parameters)
        meter = IntegratedPowers(
            lines, problem, self._solver.word, own.solved.multipliers, partial(own.begin, problem)
        )
        return EnergyAccount(lines, meter)

    def gap(self, x: Floats) -> float:
        """By how much a state breaks the constraints of its mode [m or rad]; what tracks may."""
        return self._posed.gap(self._spec.span.start, x)

    def run(self, x: Floats, shown: Progress) -> Trajectory:
        """Everything up to the end, or to a failure."""
        span = self._spec.span
        x = self._modes.begin(self.problem, span.start, x)
        if self._account:
            self._account.meter.begin(span.start, x)
        if self._fixed:
            monitor = TransitionLogMonitor(
                self._modes, self._log, self._cross, self._solver.step or 0.0
            )
            names = list(self._system.state_names)
            segment = Segment(self.problem, names, x, span, shown, monitor, self._spec.trace)
            found = self._solver.run(segment)
        else:
            failure = self._run_between_exits(x, shown)
            found = _joined(
                self._parts or [Trajectory(np.array([span.start]), x[None, :])], failure
            )
        late = self._log.unread(found.times, found.states)
        if late and (found.failure is None or late.time <= found.failure.time):
            self._cut_after_failure(found, late)
        found.statistics["transitions"] = len(self._log.transitions)
        return found

    def _cut_after_failure(self, found: Trajectory, failure: Failure) -> None:
        """Leave out what came after a failure that was noticed late."""
        before = found.times <= failure.time
        found.times, found.states, found.failure = (
            found.times[before],
            found.states[before],
            failure,
        )
        told = self._log.transitions
        told[:] = [each for each in told if each.time <= failure.time]

    # ---- steps that adapt -----------------------------------------------------------------------

    def _run_between_exits(self, x: Floats, shown: Progress) -> Failure | None:
        """From exit to exit; the parts of the run are kept. Returns why it can't go on."""
        span, chattering = self._spec.span, Chattering(crowding_time(self._spec.span.duration))
        t, exit, error = span.start, -1, 0.0
        while t < span.end:
            if exit < 0:
                exit = self._modes.fires(self.problem, t, x, AHEAD)
            if exit < 0:
                monitor = self._segment(t, x, shown)
                part = self._parts[-1]
                t, x = float(part.times[-1]), part.states[-1].copy()
                exit, error = monitor.exit, monitor.error
                if exit < 0 or part.failure:
                    return part.failure
            crowded = chattering.is_crowded
            leaving = self._system.dynamics.modes.every[self._modes.mode_of(x)].exits[exit]
            if crowded and leaving.data.rest < 0:
                return Failure(t, chattering.describe(), CHATTERING_HINT)
            if not self._modes.cross(self.problem, t, x, exit, crowded):
                return self._log.cannot_begin()
            (crossed,) = self._modes.take_log()
            self._cross(crossed)
            chattering.note(self._log.note(crossed, error))
            if crowded:
                chattering.clear()
            x, exit = crossed.state, -1
            if self._account:
                self._account.meter.begin(t, x)
        if not self._parts:  # all of it at one instant
            self._parts.append(Trajectory(np.array([t]), x[None, :]))
        return None

    def _segment(self, t: float, x: Floats, shown: Progress) -> ExitMonitor:
        """The run in one mode, up to its end."""
        spec, solver, mode = self._spec, self._solver, self._modes.mode_of(x)
        problem = self._problem_of(mode)
        monitor = ExitMonitor(
            self._system, problem, self._modes, mode, spec.events, spec.parameters,
            (solver.rtol, solver.atol), solver.samples, spec.sides, self._consistency(mode),
        )  # fmt: skip
        names, rest = list(self._system.state_names), spec.span.rest_from(t)
        self._parts.append(solver.run(Segment(problem, names, x, rest, shown, monitor, spec.trace)))
        monitor.leave(spec.sides)
        for record in monitor.records:
            self._events.append(record.as_data())
            if self._account:
                self._account.note(record)
        self.problem.raised = problem.raised
        return monitor

    def _consistency(self, mode: int) -> Settle | None:
        """What makes states consistent from which events let it go on in a mode."""
        spec = self._spec
        if not any(event.restart for event in spec.events):
            return None
        there = self._system_in_mode(mode)
        return consistency(there, spec.constraints, spec.inputs, spec.parameters)

    def _system_in_mode(self, mode: int) -> System:
        """The system in a mode, with settings of its own."""
        there = self._system.independent_copy()
        there.enter(*there.dynamics.modes.every[mode].names)
        return there

    def _problem_of(self, mode: int) -> Problem:
        if mode not in self._problems:
            spec, solver, constrained = self._spec, self._solver, self._modes.enforced[mode]
            problem = constrained.problem(spec.inputs.u, self._block, spec.inputs.refresher())
            problem.end_steps_at(self._knots)
            problem.look_in_cells(self._cells)
            if solver.implicit:
                newton_for(
                    self._system_in_mode(mode), problem, solver.rtol, solver.atol, spec.parameters
                )
            if self._account:
                problem.use_energy_balance(self._account.meter.native)
            self._problems[mode] = problem
        return self._problems[mode]

    def _cross(self, crossed: Crossed) -> None:
        if self._account:
            states = np.array([crossed.before, crossed.state])
            self._account.jump(self._log.exit_of(crossed).name, crossed.time, states)

    # ---- what is told ---------------------------------------------------------------------------

    def labels(self) -> list[Label]:
        """States, inputs, multipliers of all constraints and sensors."""
        return signal_labels(self._system, self._posed)

    def rows(self, part: slice, times: Floats, states: Floats) -> Floats:
        """What belongs to states, each in its mode."""
        before = self._modes.statistics["paradoxes"]
        found = self._posed.rows(times, states, len(self._system.output_names))
        self._paradoxes += self._modes.statistics["paradoxes"] - before
        return np.hstack([states, found])

    def about(self, trajectory: Trajectory) -> dict[str, Any]:
        """Changes of mode, events, energy balance, and how constraints were kept."""
        kept = self._log.metadata(trajectory.times, trajectory.states)
        kept["paradoxes"] = self._paradoxes  # as `kept`: of what is recorded
        trajectory.statistics.update(kept)
        posed = self._posed
        told: dict[str, Any] = {
            "constraints": posed.formulation,
            "modes": {state: list(modes) for state, modes in self._system.modes.items()},
            "transitions": [record.as_data() for record in self._log.transitions],
            "events": self._events,
            "diagnostics": constraint_diagnostics(
                posed.formulation, kept, posed.friction_rows, posed.shared
            ),
        }
        if self._account:
            told["energy_balance"] = self._account.energy_balance(
                *self._account.meter.ends
            ).as_data()
        return told


def _joined(parts: list[Trajectory], failure: Failure | None) -> Trajectory:
    """Parts of a run as one: counts are summed."""
    statistics: dict[str, float] = {}
    for part in parts:
        for name, count in part.statistics.items():
            statistics[name] = statistics.get(name, 0) + count
    times = np.concatenate([part.times for part in parts])
    return Trajectory(times, np.vstack([part.states for part in parts]), statistics, failure)
