"""A run under way: what was asked of it, and what every way to run a mechanism has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from touchback.native import Cells, Formulation, Knots, Problem, slices, stop_asked
from touchback.recording import Run
from touchback.simulate.event_monitor import Event, Monitor, NoMonitor, Sides
from touchback.simulate.input_trace import InputTrace, Quadrature
from touchback.simulate.inputs import Inputs
from touchback.simulate.progress import Progress
from touchback.simulate.protocol import Floats, Plain, StepOptions
from touchback.simulate.span import Span, Trajectory
from touchback.simulate.step_knots import Evaluated, find_cells, step_limits
from touchback.system import System
from touchback.system.integration_problem import IntegrationProblem

Label = tuple[str, str, str]  # kind, name, unit of a recorded signal


@dataclass(frozen=True)
class RunSpec:
    """What was asked of a run, read and checked; `parameters` replace compiled ones. `sides` are
    those of events where the part of it before, if there was one, ended; `trace` sums up what it
    sees of its inputs."""

    system: System
    span: Span
    inputs: Inputs
    constraints: str | Formulation | None
    parameters: dict[str, float]
    events: Sequence[Event]
    books: bool
    sides: Sides = field(default_factory=dict)
    trace: InputTrace | None = None

    def knots(self, solver: StepOptions, evaluated: Evaluated | None = None) -> Knots | None:
        """Where steps of a solver that adapts end: by what functions switch that it evaluates, of
        the system unless others are given. The trace is told of them, and of the longest step."""
        if not solver.adaptive:
            return None
        functions = self.system.on_blocks(self.parameters) if evaluated is None else evaluated
        found = step_limits(
            self.span, self.inputs, functions, solver.step, solver.output_step,
            bool(self.system.names),
        )  # fmt: skip
        if self.trace:
            self.trace.knots = len(found.knots.at) if found.knots else 0
            self.trace.longest = found.longest
        return found.knots

    @property
    def width(self) -> int:
        """How many numbers there are in a recorded row, at least."""
        system = self.system
        return len([*system.state_names, *system.input_names, *system.output_names])

    def cells(self, solver: StepOptions, evaluated: Evaluated | None = None) -> Cells | None:
        """In which of positions a solver that adapts has to look, likewise."""
        if not solver.adaptive or self.system.names:
            return None
        functions = self.system.on_blocks(self.parameters) if evaluated is None else evaluated
        return find_cells(functions, self.system.sizes[0])


def signal_labels(system: System, posed: IntegrationProblem) -> list[Label]:
    """States, inputs, multipliers and sensors: what `Posed.rows` gives, after the states."""
    units = system.multiplier_units
    return [
        *(("state", *each) for each in zip(system.state_names, system.state_units)),
        *(("input", *each) for each in zip(system.input_names, system.input_units)),
        *(("multiplier", name, units.get(name, "")) for name in posed.row_names),
        *(("output", *each) for each in zip(system.output_names, system.output_units)),
    ]


class Stepper(ABC):
    """One run of a mechanism: how it goes from its start to its end, and what there is to record.

    `problem` is what has its inputs, and what those raised."""

    problem: Problem

    def gap(self, x: Floats) -> float:
        """By how much a state breaks the constraints [m or rad]."""
        return 0.0

    @abstractmethod
    def run(self, x: Floats, shown: Progress) -> Trajectory:
        """Everything from the state x up to the end, or to a failure."""

    @abstractmethod
    def labels(self) -> list[Label]:
        """Which signals there are at each instant."""

    @abstractmethod
    def rows(self, part: slice, times: Floats, states: Floats) -> Floats:
        """The signals at some of the instants that `run` gave, a row each."""

    @abstractmethod
    def about(self, trajectory: Trajectory) -> Plain:
        """What the run says of itself: events, changes of mode, energy books, remarks."""


@dataclass(frozen=True)
class Segment:
    """A problem from the state `x0` on, over a span; its states are called `names`. Steps that
    adapt end at the knots of the problem; a `trace` sums up what steps see of inputs."""

    problem: Problem
    names: Sequence[str]
    x0: Floats
    span: Span
    shown: Progress
    monitor: Monitor = field(default_factory=NoMonitor)
    trace: InputTrace | None = None

    @property
    def longest(self) -> float:
        """The longest step that inputs and laws of time allow [s]."""
        return self.trace.longest if self.trace else np.inf

    def sees(self, ends: Floats, quadrature: Quadrature, start: float) -> None:
        """That steps of a method ended there, one after the other from a start."""
        if self.trace and len(ends):
            before = ends.copy()
            if self.problem.knots:
                before = self.problem.knots.before_ends(ends)
            self.trace.add(np.append(start, ends[:-1]), ends, quadrature, before)

    def show(self, t: float) -> None:
        """That the run has come to a time."""
        self.shown.update((t - self.span.start) / self.span.duration)


def record_run(stepper: Stepper, trajectory: Trajectory, about: Mapping[str, object]) -> Run:
    """The run with all signals that belong to each recorded state, up to where Ctrl-C ended
    that."""
    labels, times, states = stepper.labels(), trajectory.times, trajectory.states
    table = np.empty((len(times), len(labels)), order="F")
    done = 0
    for part in slices(len(table)):
        table[part] = stepper.rows(part, times[part], states[part])
        done = part.stop
        if stop_asked():
            break
    names = list(_distinct(labels))
    return Run(
        times[:done],
        dict(zip(names, table[:done].T, strict=True)),
        {name: unit for name, (_, _, unit) in zip(names, labels, strict=True)},
        {**about, "remarks": [], **stepper.about(trajectory), "statistics": trajectory.statistics},
    )


def _distinct(labels: Iterable[Label]) -> Iterable[str]:
    """Names made unique by their kind where an input or output is called like a state."""
    taken: set[str] = set()
    for kind, name, _ in labels:
        label = name if name not in taken else f"{name} ({kind})"
        taken.add(label)
        yield label
