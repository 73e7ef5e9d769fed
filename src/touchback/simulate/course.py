"""A run under way: what was asked of it, and what every way to run a mechanism has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field

from touchback.native import Formulation, Problem
from touchback.simulate.event import Event
from touchback.simulate.inputs import Inputs
from touchback.simulate.progress import Progress
from touchback.simulate.protocol import Floats, Plain
from touchback.simulate.span import Span, Trajectory
from touchback.simulate.watch import Sides
from touchback.system import System
from touchback.system.posed import Posed

Label = tuple[str, str, str]  # kind, name, unit of a recorded signal


@dataclass(frozen=True)
class Asked:
    """What was asked of a run, read and checked; `parameters` replace compiled ones. `sides` are
    those of events where the part of it before, if there was one, ended."""

    system: System
    span: Span
    given: Inputs
    constraints: str | Formulation | None
    parameters: dict[str, float]
    events: Sequence[Event]
    books: bool
    sides: Sides = field(default_factory=dict)

    @property
    def width(self) -> int:
        """How many numbers there are in a recorded row, at least."""
        system = self.system
        return len([*system.state_names, *system.input_names, *system.output_names])


def labels_of(system: System, posed: Posed) -> list[Label]:
    """States, inputs, multipliers and sensors: what `Posed.rows` gives, after the states."""
    units = system.multiplier_units
    return [
        *(("state", *each) for each in zip(system.state_names, system.state_units)),
        *(("input", *each) for each in zip(system.input_names, system.input_units)),
        *(("multiplier", name, units.get(name, "")) for name in posed.row_names),
        *(("output", *each) for each in zip(system.output_names, system.output_units)),
    ]


class Course(ABC):
    """One run of a mechanism: how it goes from its start to its end, and what there is to record.

    `problem` is what has its inputs, and what those raised."""

    problem: Problem

    def gap(self, x: Floats) -> float:
        """By how much a state breaks the constraints [m or rad]."""
        return 0.0

    @abstractmethod
    def go(self, x: Floats, shown: Progress) -> Trajectory:
        """Everything from the state x up to the end, or to a failure."""

    @abstractmethod
    def labels(self) -> list[Label]:
        """Which signals there are at each instant."""

    @abstractmethod
    def rows(self, part: slice, times: Floats, states: Floats) -> Floats:
        """The signals at some of the instants that `go` gave, a row each."""

    @abstractmethod
    def about(self, trajectory: Trajectory) -> Plain:
        """What the run says of itself: events, changes of mode, energy books, remarks."""
