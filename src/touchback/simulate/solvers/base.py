"""What a solver is: a way to run a mechanism that carries its own options and says what it can."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import Flag, auto
from typing import ClassVar, TypedDict

from touchback.contact import ContactKind
from touchback.simulate.input_sampling_check import Quadrature
from touchback.simulate.mode_stepper import ModeStepper
from touchback.simulate.run_failure import cut_where_not_finite
from touchback.simulate.run_spec import RunSpec
from touchback.simulate.run_stepper import Segment, Stepper
from touchback.simulate.smooth_stepper import SmoothStepper
from touchback.simulate.time_span import (
    Trajectory,
    keep_count,
    keep_positive,
    optional_positive,
    refuse_rows,
    refuse_steps,
)


class Capability(Flag):
    """What a solver can do, or treat."""

    ADAPTIVE = auto()  # chooses its steps by tolerances; others have a fixed one
    STIFF = auto()  # steps as long as the motion allows, however fast what has died out
    FORMULATIONS = auto()  # lets the run choose how constraints are enforced
    CONSTRAINTS = auto()  # closures, couplings, drives
    CONTACTS = auto()  # rigid ones
    MODES = auto()  # transitions between sets of constraints
    TICKS = auto()  # memories, which change at ticks
    COPIES = auto()
    RUBBING = auto()  # constraints with friction
    EVENTS = auto()
    SWITCHES = auto()  # constraints switched while the run goes on
    LIVE = auto()  # against a clock
    ENERGY_BALANCE = auto()  # powers integrated along its steps
    BATCHES = auto()  # equal whole steps, which C makes of many instances


class Options(TypedDict, total=False):
    """Options of solvers that `tb.simulate` takes beside the name of a method."""

    step: float | None
    rtol: float | None
    atol: float | None
    output_step: float | None
    step_limit: int | None
    rate: float | None
    theta: float | None
    correct_positions: bool | None
    impacts: str | None
    rest: float | None
    event_limit: int | None
    contacts: Mapping[str, ContactKind] | None


@dataclass(frozen=True, kw_only=True)
class Solver(ABC):
    """A way to run a mechanism, called `word`. Its other fields are its options."""

    word: str = field(init=False, repr=False, default="")

    @property
    @abstractmethod
    def can(self) -> Capability:
        """What it can do."""

    @property
    def adaptive(self) -> bool:
        """Whether tolerances choose its steps."""
        return Capability.ADAPTIVE in self.can

    @abstractmethod
    def stepper(self, spec: RunSpec) -> Stepper:
        """The run that was asked for, ready to go."""

    @abstractmethod
    def refuse_excess(self, duration: float, width: int) -> None:
        """Refuse, before any work, too many steps or more numbers than memory should hold, with so
        many (`width`) in a recorded row."""

    def options(self) -> dict[str, object]:
        """Its options by name, as they are."""
        return {name: getattr(self, name) for name in option_names(self)}


def option_names(solver: Solver) -> list[str]:
    """What can be given to a solver beside its name."""
    return [each.name for each in fields(solver) if each.name != "word"]


@dataclass(frozen=True, kw_only=True)
class Integrator(Solver):
    """`rtol` and `atol` bound the error of a step where steps adapt, say how well events are
    located and how far Newton's method goes; `output_step` [s] is the time between recorded
    instants."""

    samples: ClassVar[int]  # parts of a step in which signs of events are compared

    step: float | None = None
    rtol: float = 1e-8
    atol: float = 1e-10
    output_step: float | None = None
    step_limit: int = 10_000_000

    def __post_init__(self) -> None:
        optional_positive(self, "step", "output_step")
        keep_positive(self, "rtol", "atol")
        keep_count(self, "step_limit")

    @property
    def quadrature(self) -> Quadrature:
        """Where in a step it sees inputs, and how much each counts for what it does."""
        return (0.0, 1.0), (0.5, 0.5)

    @property
    def implicit(self) -> bool:
        """Whether it needs the Jacobian of the rate."""
        return False

    @property
    def momenta(self) -> bool:
        """Whether it works on momenta, and needs their rates."""
        return False

    @property
    def rate(self) -> float | None:
        """Ticks a second, at which memories change, where there can be any."""
        return None

    @abstractmethod
    def integrate(self, segment: Segment) -> Trajectory:
        """As far as it gets."""

    def run(self, segment: Segment) -> Trajectory:
        """What `integrate` gives, up to where it is no number, at the instants asked for."""
        found = self.integrate(segment)
        mend = "take a shorter step, and check the initial state, inputs and parameters there"
        cut_where_not_finite(segment.problem, segment.names, found, mend)
        if self.output_step and len(found.times) > 1 and found.failure is None:
            found.thin(segment.span, self.output_step)
        return found

    def stepper(self, spec: RunSpec) -> Stepper:
        """The run of a mechanism with modes, or in one."""
        kind = ModeStepper if spec.system.modes else SmoothStepper
        return kind(spec, self)

    def refuse_excess(self, duration: float, width: int) -> None:
        """Of steps by their longest, of rows by `output_step`."""
        if self.step:
            refuse_steps(duration, self.step, self.step_limit)
        if self.output_step:
            refuse_rows(duration, self.output_step, width)
