"""A run under way: what every way to run a mechanism has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from touchback.native import Problem, slices, stop_asked
from touchback.numbers import Floats
from touchback.progress import Progress
from touchback.recording import Run
from touchback.simulate.event_monitor import Monitor, NoMonitor
from touchback.simulate.input_sampling_check import InputTrace, Quadrature
from touchback.simulate.run_protocols import Plain
from touchback.simulate.time_span import Span, Trajectory
from touchback.system import IntegrationProblem, System

Label = tuple[str, str, str]  # kind, name, unit of a recorded signal


def signal_labels(system: System, posed: IntegrationProblem) -> list[Label]:
    """States, inputs, multipliers and sensors: after the states, what `IntegrationProblem.rows`
    gives."""
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
        """What the run says of itself: events, changes of mode, energy balance, diagnostics."""


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
        {
            **about,
            "diagnostics": [],
            **stepper.about(trajectory),
            "statistics": trajectory.statistics,
        },
    )


def _distinct(labels: Iterable[Label]) -> Iterable[str]:
    """Names made unique by their kind where an input or output is called like a state."""
    taken: set[str] = set()
    for kind, name, _ in labels:
        label = name if name not in taken else f"{name} ({kind})"
        taken.add(label)
        yield label
