"""Runs of mechanisms with modes: a row of phases, each with equations of its own, over one state.

Where steps adapt, exits are located on the dense output as events are, and taken there; several may
follow each other at one instant. With fixed steps they are found and taken inside C, within the
step: the same code that runs against a clock.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import numpy as np

from touchback.errors import InputError
from touchback.native import FixedStep, Problem, Status
from touchback.native.constrained.constrained import FORMULATIONS
from touchback.native.episode.data import Crossed, EpisodeData
from touchback.native.episode.episode import STEPS, Episode
from touchback.native.episode.memory import MOST
from touchback.native.integrate.sampler import Sampler
from touchback.recording import Run, unknown_name
from touchback.recording.transitions import TransitionRecord
from touchback.simulate import adaptive
from touchback.simulate.chattering import MEND, Chattering, described, instant
from touchback.simulate.constrained import DEFAULT, Enforced
from touchback.simulate.episode_books import EpisodeKeeper
from touchback.simulate.episode_watch import AHEAD, ExitWatch
from touchback.simulate.event import Event
from touchback.simulate.failure import not_finite
from touchback.simulate.fixed_step import DEFAULT_STEP, steps_per_output
from touchback.simulate.implicit import newton_for
from touchback.simulate.inputs import Inputs
from touchback.simulate.methods import FIXED_STEP, IMPLICIT, METHODS
from touchback.simulate.plan import Failure, Plan, Trajectory, output_times
from touchback.simulate.progress import Progress
from touchback.simulate.protocol import CompiledSystem, Floats
from touchback.simulate.record import Column, named_run
from touchback.simulate.remarks import remarks
from touchback.simulate.ticks import steps_between
from touchback.simulate.watch import ADAPTIVE_SAMPLES

METHODS_WITH_MODES = (*adaptive.METHODS, *STEPS)
_CHUNK = 64  # fixed steps between looks at the log
_SLIVER = 1e-9  # of a step: a remainder shorter than this is rounding


@runtime_checkable
class EpisodicSystem(Protocol):
    """What a run needs of a system with modes, beyond what any system with constraints has."""

    phases: Any

    @property
    def modes(self) -> dict[str, tuple[str, ...]]: ...
    @property
    def initial_modes(self) -> tuple[str, ...]: ...
    def enter(self, *modes: str) -> None: ...
    def phase_of(self, x: Floats) -> int: ...
    def episode_data(self) -> EpisodeData: ...
    def constrained_block(self, overrides: Any = None, stiffness: bool = False) -> Floats: ...
    def energy_at(self, x: Floats, overrides: Any = None, t: float = 0.0) -> float: ...


@dataclass(frozen=True)
class _Segment(Plan):
    """A part of a run, recorded on the grid of the whole."""

    origin: float = 0.0
    whole: float = 1.0

    def output_times(self, intervals: int) -> Floats:
        """Instants of the whole run's grid after the start of this part."""
        times = self.origin + output_times(self.whole, self.output_step or self.whole / intervals)
        return times[(times > self.start) & (times < self.end)]


@dataclass
class _Told:
    """What a run has recorded so far."""

    times: list[Floats] = field(default_factory=list)
    states: list[Floats] = field(default_factory=list)
    transitions: list[TransitionRecord] = field(default_factory=list)
    events: list[Any] = field(default_factory=list)
    statistics: dict[str, float] = field(default_factory=dict)
    failure: Failure | None = None

    def add(self, trajectory: Trajectory) -> None:
        self.times.append(trajectory.times)
        self.states.append(trajectory.states)
        for name, count in trajectory.statistics.items():
            self.statistics[name] = self.statistics.get(name, 0) + count
        self.failure = trajectory.failure

    def cut(self, failure: Failure) -> None:
        """Leave out what came after a failure that was noticed late."""
        times, states = np.concatenate(self.times), np.vstack(self.states)
        before = times <= failure.time
        self.times, self.states = [times[before]], [states[before]]
        self.transitions = [each for each in self.transitions if each.time <= failure.time]
        self.failure = failure


class EpisodeRun:
    """One run: its problem, what it has told, and where it is."""

    def __init__(
        self,
        system: Any,
        plan: Plan,
        given: Inputs,
        constraints: str | None,
        parameters: dict[str, Any] | None,
        events: Sequence[Event],
        progress: bool | Callable[[float], None],
        rate: float | None = None,
        books: bool = False,
    ) -> None:
        fixed = plan.method in FIXED_STEP
        if plan.method not in METHODS_WITH_MODES:
            raise InputError(
                f"{system.name}: modes change in runs by "
                f"{', '.join(map(repr, METHODS_WITH_MODES))}; got method={plan.method!r}."
            )
        if fixed and events:
            raise InputError(
                f"{system.name}: with modes and fixed steps no events are looked for; use "
                "method='dopri5', or describe a transition."
            )
        self.system, self.plan, self.given, self.parameters = system, plan, given, parameters
        self.events, self.progress, self.rate = events, progress, rate
        method = plan.method if fixed else next(iter(STEPS))
        self.episode = _episode(system, method, constraints, logging=True)
        self.block = system.constrained_block(parameters)
        self.problem = self.episode.problem(given.u, self.block, given.refresher())
        every = steps_between(system, plan, rate)
        if every is not None:
            episode: Any = self.episode
            Sampler(self.problem, episode.updates, system.memory_places, every, episode)
        self.told = _Told()
        self._problems: dict[int, Problem] = {}
        self._keeper: EpisodeKeeper | None = None
        if books:
            self._keeper = EpisodeKeeper(
                system, self.episode, self.block, given, parameters, plan.method
            )
            if fixed:
                self._keeper.keep(self.episode)

    def gap(self, x0: Floats) -> float:
        """By how much a state breaks the constraints of its mode [m or rad]; what tracks may."""
        number = self.system.phase_of(x0)
        tracks = np.asarray(self.episode.data.phases[number].tracks, dtype=bool)
        h = self.episode.position_rows(
            self.problem, number, np.array([self.plan.start]), x0[None, :]
        )
        return float(np.abs(h[:, ~tracks]).max(initial=0.0))

    def run(self, x0: Floats) -> None:
        """Everything up to the end, or to a failure."""
        x = self.episode.begin(self.problem, self.plan.start, x0)
        if self._keeper:
            self._keeper.begin(self.plan.start, x)
        fixed = self.plan.method in FIXED_STEP
        with Progress(f"{self.system.name}: {self.plan.method}", self.progress) as shown:
            (self._fixed if fixed else self._located)(x, shown)
        if self.told.failure is None and (failure := self._untold()):
            self.told.cut(failure)
        self.told.statistics["transitions"] = len(self.told.transitions)

    # ---- steps that adapt -----------------------------------------------------------------------

    def _located(self, x: Floats, shown: Progress) -> None:
        plan, told = self.plan, self.told
        chattering = Chattering(instant(plan.duration))
        t, exit, error = plan.start, -1, 0.0
        while t < plan.end and told.failure is None:
            if exit < 0:
                exit = self.episode.fires(self.problem, t, x, AHEAD)
            if exit < 0:
                watch = self._segment(t, x, shown)
                t, x = float(told.times[-1][-1]), told.states[-1][-1].copy()
                exit, error = watch.exit, watch.error
                if exit < 0:
                    return
            crowded = chattering.found
            leaving = self.system.phases.phases[self.episode.phase_of(x)].exits[exit]
            if crowded and leaving.rest is None:
                told.failure = Failure(t, chattering.what(), MEND)
                return
            if not self.episode.cross(self.problem, t, x, exit, crowded):
                told.failure = self._cannot_begin()
                return
            (crossed,) = self.episode.take_log()
            told.transitions.append(self._record(crossed, error))
            chattering.note(told.transitions[-1])
            if crowded:
                chattering.calm()
            x, exit = crossed.state, -1
            if self._keeper:
                self._keeper.begin(t, x)
        if told.failure is None and not told.times:  # all of it at one instant
            told.add(Trajectory(np.array([t]), x[None, :]))

    def _segment(self, t: float, x: Floats, shown: Progress) -> ExitWatch:
        """The run in one phase, up to its end."""
        plan, phase = self.plan, self.episode.phase_of(x)
        part = _Segment(
            plan.method, plan.end - t, plan.step, plan.rtol, plan.atol, plan.output_step,
            plan.step_limit, t, plan.start, plan.duration,
        )  # fmt: skip
        problem = self._problem_of(phase)
        watch = ExitWatch(
            self.system, problem, self.episode, phase, self.events, self.parameters,
            (plan.rtol, plan.atol), ADAPTIVE_SAMPLES,
        )  # fmt: skip
        names = list(self.system.state_names)
        self.told.add(METHODS[plan.method](problem, names, x, part, shown, watch))
        for record in watch.records:
            self.told.events.append(record.as_data())
            if self._keeper:
                self._keeper.note(record)
        self.problem.raised = problem.raised
        return watch

    def _problem_of(self, phase: int) -> Problem:
        if phase not in self._problems:
            given, constrained = self.given, self.episode.phases[phase]
            problem = constrained.problem(given.u, self.block, given.refresher())
            if self.plan.method in IMPLICIT:
                there = self.system.apart()
                there.enter(*there.phases.phases[phase].modes)
                newton_for(there, problem, self.plan, self.parameters)
            if self._keeper:
                self._keeper.keep(problem)
            self._problems[phase] = problem
        return self._problems[phase]

    # ---- fixed steps ----------------------------------------------------------------------------

    def _fixed(self, x: Floats, shown: Progress) -> None:
        plan, step = self.plan, self.plan.step or DEFAULT_STEP
        every = steps_per_output(plan.output_step, step)
        whole = int(np.floor(plan.duration / step + _SLIVER))
        run = FixedStep(self.problem, plan.method, x, plan.start, step)
        chattering = Chattering(0.25 * MOST * step)  # four a step, for sixteen steps
        rows, status = [run.x[None, :].copy()], Status.REACHED
        while run.steps < whole and self._goes_on(status):
            status, more = run.advance(min(_CHUNK, whole - run.steps), every)
            rows.append(more)
            self._follow(run, status, chattering)
            shown.update(run.steps / whole)
        states = np.vstack(rows)
        times = plan.start + np.arange(0.0, len(states)) * every * step
        last, remainder = run, plan.duration - whole * step
        if remainder > _SLIVER * step and self._goes_on(status):
            self.problem.leave_memories(run.steps)
            last = FixedStep(self.problem, plan.method, run.x, run.t, remainder)
            status, _ = last.advance(1)
            self._follow(last, status, chattering)
        if last.t > times[-1]:
            times, states = np.append(times, last.t), np.vstack([states, last.x])
        failure = self.told.failure
        self.told.add(Trajectory(times, states, {"steps": run.steps, "step": step}, failure))

    def _goes_on(self, status: Status) -> bool:
        return status == Status.REACHED and self.told.failure is None and not self.problem.raised

    def _follow(self, run: FixedStep, status: Status, chattering: Chattering) -> None:
        for crossed in self.episode.take_log():
            self.told.transitions.append(self._record(crossed, None))
            chattering.note(self.told.transitions[-1])
            if self._exit_of(crossed).rest is not None:
                chattering.calm()  # such contacts stay in the end
        if self.episode.chattering or chattering.found:
            self.told.failure = Failure(run.t, self._crowd(), MEND)
        elif self.episode.failed is not None:
            self.told.failure = self._cannot_begin()
        elif status == Status.NOT_FINITE:
            mend = f"take a shorter step than {run.step:g} s, and check inputs and parameters there"
            names = list(self.system.state_names)
            self.told.failure = not_finite(self.problem, names, run.t, run.x, run.bad, mend)

    def _crowd(self) -> str:
        return described(self.told.transitions[-MOST:])

    # ---- what is told ---------------------------------------------------------------------------

    def _untold(self) -> Failure | None:
        """An indicator that was no number when the run was recorded: what happens can't be told."""
        times, states = np.concatenate(self.told.times), np.vstack(self.told.states)
        good = np.isfinite(states).all(axis=1)
        times, states = times[good], states[good]
        numbers = self.episode.phases_of(states)
        for number in map(int, np.unique(numbers)):
            phase, at = self.system.phases.phases[number], numbers == number
            values = self.episode.indicator_rows(self.problem, number, times[at], states[at])
            rows, exits = np.nonzero(np.isnan(values))
            if rows.size:
                return Failure(
                    float(times[at][rows[0]]),
                    f"`when` of transition '{phase.exits[exits[0]].name}' isn't a number in mode "
                    f"'{phase.name}', so that nobody can tell whether it passes zero",
                    "mend its expression (a root or logarithm of what falls below zero?)",
                )
        return None

    def _kept(self, times: Floats, states: Floats) -> dict[str, float]:
        """Counts of the formulations. How well constraints were kept is read from what is recorded:
        steps that are tried beyond a transition, and left again, may break them."""
        good = np.isfinite(states).all(axis=1)
        times, states = times[good], states[good]
        numbers = self.episode.phases_of(states)
        largest = 0.0
        for number in map(int, np.unique(numbers)):
            at = numbers == number
            h = self.episode.position_rows(self.problem, number, times[at], states[at])
            largest = max(largest, float(np.abs(h).max(initial=0.0)))
        counts = self.episode.statistics
        return {**counts, "largest_h": largest, "singular": 0, "not_converged": 0}

    def _exit_of(self, crossed: Crossed) -> Any:
        return self.system.phases.phases[crossed.phase].exits[crossed.exit]

    def _record(self, crossed: Crossed, error: float | None) -> TransitionRecord:
        phases = self.system.phases.phases
        if self._keeper:
            self._keeper.cross(self._exit_of(crossed).name, crossed)
        before, after = (
            self.system.energy_at(x, self.parameters, crossed.time)
            for x in (crossed.before, crossed.state)
        )
        return TransitionRecord(
            crossed.time, phases[crossed.phase].name, phases[crossed.after].name,
            self._exit_of(crossed).name, after - before, error,
        )  # fmt: skip

    def _cannot_begin(self) -> Failure:
        failed = self.episode.failed
        if failed is None:
            raise InputError(f"{self.system.name}: a transition failed for no reason.")
        t, phase, number, gap = failed
        each = self.system.phases.phases[phase].exits[number]
        target = self.system.phases.phases[each.target].name
        if np.isfinite(gap):
            what = f"mode '{target}' can't begin: its constraints are open by {gap:.3g} m (or rad)"
        else:
            what = f"mode '{target}' can't begin: its constraints can't be met from there"
        return Failure(
            t,
            f"{what} when transition '{each.name}' leads to it",
            "let `when` be the gap that closes, or give a `reset` that closes it",
        )

    def as_run(self, metadata: dict[str, Any]) -> Run:
        """States, inputs, multipliers of all constraints and sensors, with what happened."""
        system, told = self.system, self.told
        times, states = np.concatenate(told.times), np.vstack(told.states)
        inputs = self.problem.input_rows(times, states)[:, 1:]
        before = self.episode.statistics["paradoxes"]
        solutions, outputs = self.episode.rows(self.problem, times, states)
        paradoxes = self.episode.statistics["paradoxes"] - before  # as the counts of `_kept`
        forces = solutions[:, system.sizes[1] :]
        names = system.phases.row_names
        columns: list[tuple[str, Column]] = [
            *(("state", c) for c in zip(system.state_names, system.state_units, states.T)),
            *(("input", c) for c in zip(system.input_names, system.input_units, inputs.T)),
            *(("multiplier", (name, "", values)) for name, values in zip(names, forces.T)),
            *(("output", c) for c in zip(system.output_names, system.output_units, outputs.T)),
        ]
        kept = self._kept(times, states) | {"paradoxes": paradoxes}
        rubbing = [x for phase in self.episode.phases for x in phase.functions.rubbing]
        shared = [x for phase in self.episode.phases for x in phase.shared]
        about = {
            **metadata,
            "constraints": self.episode.formulation,
            "modes": {state: list(modes) for state, modes in system.modes.items()},
            "transitions": [record.as_data() for record in told.transitions],
            "events": told.events,
            "statistics": {**told.statistics, **kept},
            "remarks": remarks(self.episode.formulation, kept, rubbing, shared),
        }
        if self._keeper:
            about["books"] = self._keeper.finish().as_data()
        return named_run(times, columns, about)


def _episode(system: Any, method: str, constraints: str | None, logging: bool) -> Episode:
    formulation = constraints or DEFAULT
    if formulation not in FORMULATIONS:
        raise unknown_name("formulation", formulation, FORMULATIONS)
    return Episode(system.episode_data(), formulation, method, logging=logging)


@dataclass
class EnforcedEpisodes(Enforced):
    """The problem of a system with modes for runs against a clock."""

    def functions(self, system: Any) -> Any:
        """The episode: its sensors and memories are those of the present mode."""
        return self.constrained

    def settled(self, t: float, x: Floats) -> Floats:
        """A state made consistent in its mode."""
        episode: Any = self.constrained
        return np.asarray(episode.begin(self.problem, t, x))


def enforce_episodes(
    system: Any,
    method: str,
    constraints: str | None,
    given: Inputs,
    parameters: dict[str, Any],
) -> EnforcedEpisodes:
    """The problem of a system with modes, whose fixed steps hold the transitions."""
    episode: Any = _episode(system, method, constraints, logging=False)
    block = system.constrained_block(parameters)
    return EnforcedEpisodes(episode.problem(given.u, block, given.refresher()), episode)


def is_episodic(system: CompiledSystem) -> bool:
    """Whether a system has modes."""
    return isinstance(system, EpisodicSystem)


__all__ = ["EpisodeRun", "EpisodicSystem", "enforce_episodes", "is_episodic"]
