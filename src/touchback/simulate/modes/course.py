"""Runs of mechanisms with modes, one after the other, each with its own equations over one state.

Where steps adapt, exits are located on the dense output as events are, and taken there; several may
follow each other at one instant. With fixed steps they are found and taken inside C, within the
step: the same code that runs against a clock.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from touchback.native import Problem
from touchback.native.modes.data import Crossed
from touchback.native.modes.modes import STEPS, Modes
from touchback.simulate.books import BookKeeper, Integrated, Lines
from touchback.simulate.course import Asked, Course, Label, labels_of
from touchback.simulate.implicit import newton_for
from touchback.simulate.leg import Leg
from touchback.simulate.modes.chattering import MEND, Chattering, instant
from touchback.simulate.modes.tale import Tale
from touchback.simulate.modes.watch import AHEAD, ExitWatch, LogWatch
from touchback.simulate.progress import Progress
from touchback.simulate.protocol import Floats, Settle
from touchback.simulate.remarks import remarks
from touchback.simulate.span import Failure, Trajectory
from touchback.simulate.start import consistency
from touchback.simulate.ticks import use_ticks
from touchback.system import System
from touchback.system.posed import InModes
from touchback.system.powers import power_set_of_modes

if TYPE_CHECKING:
    from touchback.simulate.solvers.integrator import Integrator


class RunWithModes(Course):
    """One run: its problem, what it has told, and where it is."""

    def __init__(self, asked: Asked, solver: Integrator) -> None:
        given = asked.given
        system: System = asked.system
        self._system, self._asked, self._solver = system, asked, solver
        self._fixed = solver.word in STEPS
        method = solver.word if self._fixed else next(iter(STEPS))
        posed = system.problem(asked.constraints, asked.parameters, given, method)
        self._posed = cast(InModes, posed)  # that is what a system with modes gives
        self._modes, self.problem = self._posed.solving, posed.problem
        self._block, self._knots = posed.problem.p, asked.knots(solver)
        self._cells = asked.cells(solver)
        use_ticks(system, posed, solver)
        self._tale = Tale(system, self._modes, self.problem, asked.parameters)
        self._parts: list[Trajectory] = []
        self._events: list[dict[str, Any]] = []
        self._problems: dict[int, Problem] = {}
        self._paradoxes: float = 0
        self._keeper = self._books() if asked.books else None
        if self._keeper and self._fixed:
            self._modes.keep_books(self._keeper.meter.native)

    def _books(self) -> BookKeeper[Integrated]:
        """Of powers in the mode that reigns, from transition to transition: rates and multipliers
        come from `Modes` of the books' own, whose mode is that of the state."""
        asked, system = self._asked, self._system
        own = Modes(self._modes.data, self._modes.formulation, next(iter(STEPS)), logging=False)
        problem = own.settled_problem(asked.given.u, self._block, asked.given.refresher())
        problem.end_steps_at(self._knots)
        lines = Lines(system, power_set_of_modes(system), asked.parameters)
        meter = Integrated(
            lines, problem, self._solver.word, own.solved.multipliers, partial(own.begin, problem)
        )
        return BookKeeper(lines, meter)

    def gap(self, x: Floats) -> float:
        """By how much a state breaks the constraints of its mode [m or rad]; what tracks may."""
        return self._posed.gap(self._asked.span.start, x)

    def go(self, x: Floats, shown: Progress) -> Trajectory:
        """Everything up to the end, or to a failure."""
        span = self._asked.span
        x = self._modes.begin(self.problem, span.start, x)
        if self._keeper:
            self._keeper.meter.begin(span.start, x)
        if self._fixed:
            watch = LogWatch(self._modes, self._tale, self._cross, self._solver.step or 0.0)
            names = list(self._system.state_names)
            leg = Leg(self.problem, names, x, span, shown, watch, self._asked.trace)
            found = self._solver.run(leg)
        else:
            failure = self._located(x, shown)
            found = _joined(
                self._parts or [Trajectory(np.array([span.start]), x[None, :])], failure
            )
        late = self._tale.unread(found.times, found.states)
        if late and (found.failure is None or late.time <= found.failure.time):
            self._cut(found, late)
        found.statistics["transitions"] = len(self._tale.transitions)
        return found

    def _cut(self, found: Trajectory, failure: Failure) -> None:
        """Leave out what came after a failure that was noticed late."""
        before = found.times <= failure.time
        found.times, found.states, found.failure = (
            found.times[before],
            found.states[before],
            failure,
        )
        told = self._tale.transitions
        told[:] = [each for each in told if each.time <= failure.time]

    # ---- steps that adapt -----------------------------------------------------------------------

    def _located(self, x: Floats, shown: Progress) -> Failure | None:
        """From exit to exit; the parts of the run are kept. Returns why it can't go on."""
        span, chattering = self._asked.span, Chattering(instant(self._asked.span.duration))
        t, exit, error = span.start, -1, 0.0
        while t < span.end:
            if exit < 0:
                exit = self._modes.fires(self.problem, t, x, AHEAD)
            if exit < 0:
                watch = self._segment(t, x, shown)
                part = self._parts[-1]
                t, x = float(part.times[-1]), part.states[-1].copy()
                exit, error = watch.exit, watch.error
                if exit < 0 or part.failure:
                    return part.failure
            crowded = chattering.found
            leaving = self._system.motion.modes.every[self._modes.mode_of(x)].exits[exit]
            if crowded and leaving.rest is None:
                return Failure(t, chattering.what(), MEND)
            if not self._modes.cross(self.problem, t, x, exit, crowded):
                return self._tale.cannot_begin()
            (crossed,) = self._modes.take_log()
            self._cross(crossed)
            chattering.note(self._tale.note(crossed, error))
            if crowded:
                chattering.calm()
            x, exit = crossed.state, -1
            if self._keeper:
                self._keeper.meter.begin(t, x)
        if not self._parts:  # all of it at one instant
            self._parts.append(Trajectory(np.array([t]), x[None, :]))
        return None

    def _segment(self, t: float, x: Floats, shown: Progress) -> ExitWatch:
        """The run in one mode, up to its end."""
        asked, solver, mode = self._asked, self._solver, self._modes.mode_of(x)
        problem = self._problem_of(mode)
        watch = ExitWatch(
            self._system, problem, self._modes, mode, asked.events, asked.parameters,
            (solver.rtol, solver.atol), solver.samples, asked.sides, self._consistency(mode),
        )  # fmt: skip
        names, rest = list(self._system.state_names), asked.span.rest_from(t)
        self._parts.append(solver.run(Leg(problem, names, x, rest, shown, watch, asked.trace)))
        watch.leave(asked.sides)
        for record in watch.records:
            self._events.append(record.as_data())
            if self._keeper:
                self._keeper.note(record)
        self.problem.raised = problem.raised
        return watch

    def _consistency(self, mode: int) -> Settle | None:
        """What makes states consistent from which events let it go on in a mode."""
        asked = self._asked
        if not any(event.restart for event in asked.events):
            return None
        there = self._there(mode)
        return consistency(there, asked.constraints, asked.given, asked.parameters)

    def _there(self, mode: int) -> System:
        """The system in a mode, with settings of its own."""
        there = self._system.apart()
        there.enter(*there.motion.modes.every[mode].names)
        return there

    def _problem_of(self, mode: int) -> Problem:
        if mode not in self._problems:
            asked, solver, constrained = self._asked, self._solver, self._modes.enforced[mode]
            problem = constrained.problem(asked.given.u, self._block, asked.given.refresher())
            problem.end_steps_at(self._knots)
            problem.look_in_cells(self._cells)
            if solver.implicit:
                newton_for(self._there(mode), problem, solver.rtol, solver.atol, asked.parameters)
            if self._keeper:
                problem.keep_books(self._keeper.meter.native)
            self._problems[mode] = problem
        return self._problems[mode]

    def _cross(self, crossed: Crossed) -> None:
        if self._keeper:
            states = np.array([crossed.before, crossed.state])
            self._keeper.jump(self._tale.exit_of(crossed).name, crossed.time, states)

    # ---- what is told ---------------------------------------------------------------------------

    def labels(self) -> list[Label]:
        """States, inputs, multipliers of all constraints and sensors."""
        return labels_of(self._system, self._posed)

    def rows(self, part: slice, times: Floats, states: Floats) -> Floats:
        """What belongs to states, each in its mode."""
        before = self._modes.statistics["paradoxes"]
        found = self._posed.rows(times, states, len(self._system.output_names))
        self._paradoxes += self._modes.statistics["paradoxes"] - before
        return np.hstack([states, found])

    def about(self, trajectory: Trajectory) -> dict[str, Any]:
        """Changes of mode, events, energy books, and how constraints were kept."""
        kept = self._tale.kept(trajectory.times, trajectory.states)
        kept["paradoxes"] = self._paradoxes  # as `kept`: of what is recorded
        trajectory.statistics.update(kept)
        posed = self._posed
        told: dict[str, Any] = {
            "constraints": posed.formulation,
            "modes": {state: list(modes) for state, modes in self._system.modes.items()},
            "transitions": [record.as_data() for record in self._tale.transitions],
            "events": self._events,
            "remarks": remarks(posed.formulation, kept, posed.rubbing, posed.shared),
        }
        if self._keeper:
            told["books"] = self._keeper.closed(*self._keeper.meter.ends).as_data()
        return told


def _joined(parts: list[Trajectory], failure: Failure | None) -> Trajectory:
    """Parts of a run as one: counts are summed."""
    statistics: dict[str, float] = {}
    for part in parts:
        for name, count in part.statistics.items():
            statistics[name] = statistics.get(name, 0) + count
    times = np.concatenate([part.times for part in parts])
    return Trajectory(times, np.vstack([part.states for part in parts]), statistics, failure)
