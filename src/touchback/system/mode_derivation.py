"""The equations that hold in each mode of a system, which is one mode of every group.

All modes are derived on one tape, so that they share one parameter block, and every function reads
u = [t, inputs…, accelerations, multipliers of all constraint rows, resting ones too].
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING

import numpy as np

from touchback.dynamics.forward import configuration_rate
from touchback.errors import ModelError
from touchback.model.mode_groups import ModeGroup, active_constraints, in_modes, mode_groups
from touchback.model.model import Model
from touchback.model.signals import ExtraState
from touchback.model.value import Value
from touchback.system.constrained import ConstraintEquations, derive_constraints
from touchback.system.derivation import Derivation, solved_arguments
from touchback.system.functions import update_equations
from touchback.system.layout import Layout
from touchback.system.modes import Exit, Impact, SystemMode, SystemModes
from touchback.system.motions.acting import Acting

if TYPE_CHECKING:
    from touchback.system.motions.with_modes import WithModes

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

    def __init__(self, motion: WithModes) -> None:
        self.motion, self.model, self.layout = motion, motion.whole, motion.layout
        model = self.model
        self.groups = mode_groups(model)
        self.names = combinations(self.groups)
        self.rows = tuple(row for rows in model.constraint_rows().values() for row in rows)
        self.extra = solved_arguments(self.layout, self.rows)
        self.base = motion.derive(model, self.extra)
        self.wanted: dict[str, list[int]] = {}
        self.sets: dict[frozenset[str], tuple[str, ConstraintEquations]] = {}

    def derivation(self, model: Model) -> Derivation:
        """One more on the same tape."""
        return self.motion.derive(model, self.extra, self.base.tape)

    def modes(self) -> SystemModes:
        """All of them, as compiled functions on one parameter block."""
        found = [self._derive(i, names) for i, names in enumerate(self.names)]
        impacts, rest_impacts = {}, {}
        for i, (_, _, exits) in enumerate(found):
            for k, exit in enumerate(exits):
                impacts[i, k] = self._struck(exit.target, exit)
                if exit.rest is not None:
                    rest_impacts[i, k] = self._struck(exit.rest, exit)
        functions = self.base.functions(self.wanted)

        def acting(key: str, equations: ConstraintEquations) -> Acting:
            own = {
                name: name.removeprefix(f"{key}: ")
                for name in functions
                if name.startswith(f"{key}: ")
            }
            return Acting(equations.model, equations.layout, functions.only(own))

        modes = []
        for names, (key, equations, exits) in zip(self.names, found, strict=True):
            own = acting(key, equations)
            rows = np.array([self.rows.index(x) for x in equations.layout.names], dtype=np.int32)
            inputs = 1 + len(self.layout.inputs)
            forces = own.functions["indicators"].second.size("u") > inputs
            modes.append(SystemMode(names, own, tuple(exits), rows, forces))
        return SystemModes(
            self.groups,
            modes,
            {where: Impact(acting(*own), contacts) for where, (own, contacts) in impacts.items()},
            {where: Impact(acting(*own), rows) for where, (own, rows) in rest_impacts.items()},
            self.rows,
        )

    def _in(self, modes: Sequence[str], also: Sequence[str] = ()) -> Model:
        return in_modes(self.model, modes, also)

    def _derive(
        self, number: int, modes: tuple[str, ...]
    ) -> tuple[str, ConstraintEquations, list[Exit]]:
        """Equations, outputs and indicators of a mode; the functions wanted are noted."""
        model = self._in(modes)
        d = self.derivation(model)
        key = f"mode {number}"
        equations = self._equations(d, key)
        d.solved(equations.rows)
        self.wanted[f"{key}: outputs"] = d.outputs()
        self.wanted[f"{key}: updates"] = update_equations(d)
        self.sets[_acting(model)] = key, equations
        exits, values = self._exits(d, modes)
        self.wanted[f"{key}: indicators"] = values
        return key, equations, exits

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
                    name, each, self.names.index(tuple(after)),
                    None if each.rest is None else self.names.index(tuple(resting)),
                    _place(self.layout, group.state), group.modes.index(target),
                    -1 if each.rest is None else group.modes.index(each.rest),
                    when, places, resets, rebounds,
                )
            )  # fmt: skip
        return exits, values

    def _struck(
        self, target: int, exit: Exit
    ) -> tuple[tuple[str, ConstraintEquations], np.ndarray]:
        """The set of constraints that a transition's impulses come from, and whose rows they are.
        Contacts that act in the target can't rebound: they count among its own."""
        model = self._in(self.names[target], exit.transition.impact)
        acting = _acting(model)
        if acting not in self.sets:
            key = f"impact {len(self.sets)}"
            self.sets[acting] = key, self._equations(self.derivation(model), key)
        kept = _acting(self._in(self.names[target]))
        own = self.model.constraint_rows()
        contact_of = {
            row: number
            for number, contact in enumerate(exit.transition.impact)
            if contact not in kept
            for row in own[contact]
        }
        names = self.sets[acting][1].layout.names
        contacts = np.array([contact_of.get(name, -1) for name in names], dtype=np.int32)
        return self.sets[acting], contacts


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
