"""Phases as data: what reigns, the ways out, and the impacts on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from touchback.model.automata import Automaton
from touchback.model.episodes import Transition

if TYPE_CHECKING:
    from touchback.system.motions.motion import Acting


@dataclass(frozen=True)
class Exit:
    """A transition out of a phase. Numbers of phases, and places: `mode_place` in x of the mode's
    number, `values` where its indicator, its resets and its restitutions stand."""

    name: str
    transition: Transition
    target: int
    rest: int | None
    mode_place: int
    target_number: int
    rest_number: int
    when: int
    reset_places: tuple[int, ...]
    reset_start: int
    restitution_start: int  # one for each contact in `impact`


@dataclass(frozen=True)
class Phase:
    """The modes that reign, the equations that hold, and the ways out."""

    modes: tuple[str, ...]
    acting: Acting
    exits: tuple[Exit, ...]
    rows: np.ndarray  # places of its constraint rows among all
    uses_forces: bool  # whether its indicators read accelerations or multipliers

    @property
    def name(self) -> str:
        """The modes, in one word or several."""
        return " + ".join(self.modes)

    @property
    def tracks(self) -> list[bool]:
        """Of each row, whether the effort of a coordinate keeps it: then only that one moves."""
        written, names = self.acting.model.constraints, self.acting.rows.names
        return [name in written and written[name].through is not None for name in names]


@dataclass(frozen=True)
class Impact:
    """The constraints that take part in a transition: those of the target and the contacts struck;
    `contacts` has of each row the number of its contact, −1 for the others."""

    acting: Acting
    contacts: np.ndarray


@dataclass(frozen=True)
class Phases:
    """Everything that reigns or may reign."""

    automata: list[Automaton]
    phases: list[Phase]
    impacts: dict[tuple[int, int], Impact]  # by phase and exit
    rest_impacts: dict[tuple[int, int], Impact]
    row_names: tuple[str, ...]  # of all constraints

    @cached_property
    def reigning(self) -> dict[tuple[str, ...], Phase]:
        """Phases by their modes."""
        return {phase.modes: phase for phase in self.phases}


NO_PHASES = Phases([], [], {}, {}, ())
