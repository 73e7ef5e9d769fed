"""The equations that hold in each mode of a system, which is one mode of every group.

All modes are derived on one tape, so that they share one parameter block, and every function reads
u = [t, inputs…, accelerations, multipliers of all constraint rows, resting ones too].
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from touchback.dynamics import configuration_rate
from touchback.errors import InputError, ModelError
from touchback.model import (
    ExtraState,
    ModeGroup,
    Model,
    Transition,
    Value,
    active_constraints,
    mode_groups,
    model_in_modes,
)
from touchback.native import ExitData, ImpactData, ModeData
from touchback.system.active_equations import ActiveEquations
from touchback.system.constraint_functions import ConstraintEquations, derive_constraints
from touchback.system.derivation import Derivation, solved_arguments
from touchback.system.function_definitions import update_equations
from touchback.system.signal_layout import Layout

if TYPE_CHECKING:
    from touchback.system.active_equations import ActiveEquations


# Modes as data: the equations of each, the ways out, and the impacts on them.
#
# The mode of a system is one mode of every group of its model (`ModeGroup`) together.


@dataclass(frozen=True)
class Exit:
    """A transition out of a mode, and what runs need of it: numbers and places."""

    name: str
    transition: Transition
    data: ExitData


@dataclass(frozen=True)
class SystemMode:
    """The equations that hold in it, and the ways out; `names` has one mode of every group. `data`
    is what runs need of it: numbers and places."""

    names: tuple[str, ...]
    acting: ActiveEquations
    exits: tuple[Exit, ...]
    data: ModeData

    @property
    def name(self) -> str:
        """In one word or several."""
        return " + ".join(self.names)


@dataclass(frozen=True)
class SystemModes:
    """Everything that reigns or may reign. `constraint_sets` are what acts in modes, and in
    impacts: the constraints of the mode that follows and the contacts struck. Data of modes and
    exits name them by number."""

    groups: list[ModeGroup]
    every: list[SystemMode]
    constraint_sets: tuple[ActiveEquations, ...]
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


NO_MODES = SystemModes([], [], (), ())


MOST = 256  # modes that may be compiled ahead


def holding_modes(flat: Model) -> Model:
    """A model without parts with the states that hold its modes, at their end."""
    other = copy(flat)
    groups = mode_groups(flat)
    for group in groups:
        for section in ("parameters", "inputs", "states", "sensors"):
            if group.state in getattr(flat, section):
                raise ModelError(
                    f"Mode '{group.initial}': the name '{group.state}' says which mode "
                    f"reigns, and is taken by one of the {section}; rename that."
                )
    held = {each.state: ExtraState(float(each.modes.index(each.initial))) for each in groups}
    other.states = {**flat.states, **held}
    other.described = flat.described or flat
    return other


def combinations(groups: Sequence[ModeGroup]) -> list[tuple[str, ...]]:
    """One mode of every group, in order: the last group's change fastest."""
    counts = [len(each.modes) for each in groups]
    if (count := math.prod(counts)) > MOST:
        sizes = f"{' × '.join(map(str, counts))} = {count} combinations"
        raise ModelError(
            f"Modes: {sizes if len(counts) > 1 else count} would have equations of their own; at "
            f"most {MOST} are compiled ahead. Compile mechanisms that don't touch each other apart."
        )
    return list(itertools.product(*(each.modes for each in groups)))


class ModeDerivation:
    """Derives modes on one tape."""

    def __init__(self, model: Model, layout: Layout, derive: Callable[..., Derivation]) -> None:
        """`derive` is that of a dynamics kind: of a model, extra arguments, and a tape."""
        self._derive_on, self.model, self.layout = derive, model, layout
        self.groups = mode_groups(model)
        self.names = combinations(self.groups)
        self.rows = tuple(row for rows in model.constraint_rows().values() for row in rows)
        self.extra = solved_arguments(self.layout, self.rows)
        self.base = derive(model, self.extra)
        self.wanted: dict[str, list[int]] = {}
        self.sets: list[tuple[str, ConstraintEquations]] = []  # by number
        self.number_of: dict[frozenset[str], int] = {}  # sets by the names of what acts

    def derivation(self, model: Model) -> Derivation:
        """One more on the same tape."""
        return self._derive_on(model, self.extra, self.base.tape)

    def modes(self) -> SystemModes:
        """All of them, as compiled functions on one parameter block."""
        found = [self._derive(i, names) for i, names in enumerate(self.names)]
        exits = [tuple(self._with_impacts(exit) for exit in each) for each in found]
        functions = self.base.functions(self.wanted)

        def acting(key: str, equations: ConstraintEquations) -> ActiveEquations:
            own = {
                name: name.removeprefix(f"{key}: ")
                for name in functions
                if name.startswith(f"{key}: ")
            }
            return ActiveEquations(equations.model, equations.layout, functions.only(own))

        sets = tuple(acting(*each) for each in self.sets)
        return SystemModes(
            self.groups,
            [
                SystemMode(names, sets[i], exits[i], self._mode_data(i, sets[i], exits[i]))
                for i, names in enumerate(self.names)
            ],
            sets,
            self.rows,
        )

    def _mode_data(self, number: int, acting: ActiveEquations, exits: Sequence[Exit]) -> ModeData:
        """The set of a mode has its number."""
        indicators = acting.functions["indicators"]
        written, names = acting.model.constraints, acting.rows.names
        return ModeData(
            number,
            tuple(self.rows.index(name) for name in names),
            # the effort of a coordinate keeps it: then only that one moves
            tuple(name in written and written[name].through is not None for name in names),
            indicators.out_size,
            indicators.second.size("u") > 1 + len(self.layout.inputs),
            tuple(exit.data for exit in exits),
        )

    def _in(self, modes: Sequence[str], also: Sequence[str] = ()) -> Model:
        return model_in_modes(self.model, modes, also)

    def _derive(self, number: int, modes: tuple[str, ...]) -> list[Exit]:
        """The exits of a mode, without impacts; the functions wanted are noted: equations, outputs
        and indicators."""
        model = self._in(modes)
        d = self.derivation(model)
        key = f"mode {number}"
        equations = self._equations(d, key)
        d.solved(equations.rows)
        self.wanted[f"{key}: outputs"] = d.outputs()
        self.wanted[f"{key}: updates"] = update_equations(d)
        self.number_of[_acting(model)] = number
        self.sets.append((key, equations))
        exits, values = self._exits(d, modes)
        self.wanted[f"{key}: indicators"] = values
        return exits

    def _equations(self, d: Derivation, key: str) -> ConstraintEquations:
        equations = derive_constraints(d)
        self.wanted |= {
            f"{key}: terms": equations.terms,
            f"{key}: positions": equations.positions,
            f"{key}: velocity level": equations.velocity_level,
            f"{key}: configuration rate": configuration_rate(d.instant),
        }
        return equations

    def _exits(self, d: Derivation, modes: tuple[str, ...]) -> tuple[list[Exit], list[int]]:
        """The ways out of a mode, and the values that they need: indicators first."""
        leaving = [
            (a, name, each)
            for a, group in enumerate(self.groups)
            for name, each in group.leaving(modes[a]).items()
        ]
        values = [_labelled(d, name, each.when) for _, name, each in leaving]
        exits = []
        for when, (a, name, each) in enumerate(leaving):
            group = self.groups[a]
            resets, rebounds = len(values), len(values) + len(each.reset)
            values += [_labelled(d, name, item) for item in each.reset.values()]
            values += [_labelled(d, name, each.restitution.get(x, 0.0)) for x in each.impact]
            places = tuple(_place(self.layout, key) for key in each.reset)
            target = each.after(modes[a])
            after = [*modes[:a], target, *modes[a + 1 :]]
            resting = [*modes[:a], each.rest or target, *modes[a + 1 :]]
            exits.append(
                Exit(
                    name, each,
                    ExitData(
                        self.names.index(tuple(after)),
                        -1 if each.rest is None else self.names.index(tuple(resting)),
                        _place(self.layout, group.state), group.modes.index(target),
                        -1 if each.rest is None else group.modes.index(each.rest),
                        each.direction, when, places, resets, rebounds, each.law == "poisson",
                        each.rest_speed,
                    ),
                )
            )  # fmt: skip
        return exits, values

    def _with_impacts(self, exit: Exit) -> Exit:
        data = replace(exit.data, impact=self._impact(exit.data.target, exit))
        if data.rest >= 0:
            data = replace(data, rest_impact=self._impact(data.rest, exit))
        return replace(exit, data=data)

    def _impact(self, target: int, exit: Exit) -> ImpactData:
        """The set of constraints that a transition's impulses come from, and whose rows they are.
        Contacts that act in the target can't rebound: they count among its own."""
        model = self._in(self.names[target], exit.transition.impact)
        acting = _acting(model)
        if acting not in self.number_of:
            self.number_of[acting] = len(self.sets)
            key = f"impact {len(self.sets)}"
            self.sets.append((key, self._equations(self.derivation(model), key)))
        kept = _acting(self._in(self.names[target]))
        own = self.model.constraint_rows()
        contact_of = {
            row: number
            for number, contact in enumerate(exit.transition.impact)
            if contact not in kept
            for row in own[contact]
        }
        number = self.number_of[acting]
        names = self.sets[number][1].layout.names
        return ImpactData(number, tuple(contact_of.get(name, -1) for name in names))


def _acting(model: Model) -> frozenset[str]:
    return frozenset(active_constraints(model))


def _place(layout: Layout, key: str) -> int:
    """Where a state stands in x: "q:joint", "v:joint" or an extra state."""
    kind, _, name = key.partition(":")
    if kind == "q" and name:
        return layout.q.index(name)
    if kind == "v" and name:
        return len(layout.q) + layout.v.index(name)
    return len(layout.q) + len(layout.v) + layout.z.index(key)


def _labelled(d: Derivation, name: str, given: Value) -> int:
    try:
        return int(d.instant.value(given))
    except ModelError as error:
        raise ModelError(f"Transition '{name}': {error}") from None
