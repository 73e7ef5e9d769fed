"""Modes as data: the equations of each, the ways out, and the impacts on them.

The mode of a system is one mode of every group of its model (`ModeGroup`) together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from touchback.errors import InputError
from touchback.model.mode_groups import ModeGroup
from touchback.model.modes import Transition

if TYPE_CHECKING:
    from touchback.system.motions.acting import Acting


@dataclass(frozen=True)
class Exit:
    """A transition out of a mode. Numbers of modes, and places: `mode_place` in x of the mode's
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
class SystemMode:
    """The equations that hold in it, and the ways out; `names` has one mode of every group."""

    names: tuple[str, ...]
    acting: Acting
    exits: tuple[Exit, ...]
    rows: np.ndarray  # places of its constraint rows among all
    uses_forces: bool  # whether its indicators read accelerations or multipliers

    @property
    def name(self) -> str:
        """In one word or several."""
        return " + ".join(self.names)

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
class SystemModes:
    """Everything that reigns or may reign."""

    groups: list[ModeGroup]
    every: list[SystemMode]
    impacts: dict[tuple[int, int], Impact]  # by mode and exit
    rest_impacts: dict[tuple[int, int], Impact]
    row_names: tuple[str, ...]  # of all constraints

    @cached_property
    def reigning(self) -> dict[tuple[str, ...], SystemMode]:
        """Modes by their names."""
        return {mode.names: mode for mode in self.every}

    def number_in(self, x: np.ndarray, states: Sequence[str], owner: str) -> int:
        """The number of the mode that a state x of these names is in; `owner` is told in errors."""
        number = 0
        for group in self.groups:
            at = float(x[states.index(group.state)])
            mode = round(at) if np.isfinite(at) else -1
            if not 0 <= mode < len(group.modes) or mode != at:
                raise InputError(
                    f"{owner}: '{group.state}' is {at:g} in this state; its modes "
                    f"are numbered 0 to {len(group.modes) - 1}. Name one of them: "
                    f"system.assemble(mode='{group.initial}')."
                )
            number = number * len(group.modes) + mode
        return number


NO_MODES = SystemModes([], [], {}, {}, ())
