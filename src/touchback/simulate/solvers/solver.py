"""What a solver is: a way to run a mechanism that carries its own options and says what it can."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import Flag, auto
from typing import TYPE_CHECKING, TypedDict

from touchback.contact import ContactKind

if TYPE_CHECKING:
    from touchback.simulate.course import Asked, Course


class Can(Flag):
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
    BOOKS = auto()  # powers integrated along its steps


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
    def can(self) -> Can:
        """What it can do."""

    @property
    def adaptive(self) -> bool:
        """Whether tolerances choose its steps."""
        return Can.ADAPTIVE in self.can

    @abstractmethod
    def course(self, asked: Asked) -> Course:
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
