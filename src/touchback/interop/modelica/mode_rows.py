"""Which rows of constraints act in which modes, as conditions of Modelica."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from touchback.errors import InputError, TouchbackError
from touchback.model.mode_groups import ModeGroup, in_modes
from touchback.model.model import Model
from touchback.model.sensors import Readout, Signal
from touchback.model.value import Value
from touchback.symbolic.functions import select
from touchback.system import System

Numbers = tuple[int, ...]  # of modes, one of every group


class ModeRows:
    """Of every row of a constraint the modes in which it acts and adds something to the others.
    Without modes there is one state of affairs, and each active row acts in it."""

    def __init__(self, system: System) -> None:
        self.groups: list[ModeGroup] = list(system.motion.modes.groups)
        self._every = list(product(*(range(len(group.modes)) for group in self.groups)))
        self._acting: dict[str, set[Numbers]] = {}
        left: dict[str, set[Numbers]] = {}
        for numbers in self._every:
            own = system
            if self.groups:
                own = system.apart()
                own.enter(*(group.modes[i] for group, i in zip(self.groups, numbers)))
            redundant = _redundant(own)
            for row in own.constraint_names:
                chosen = left if row in redundant else self._acting
                chosen.setdefault(row, set()).add(numbers)
        self.redundant = tuple(row for row in left if row not in self._acting)

    def condition(self, row: str, at: Sequence[str | int]) -> str:
        """Whether a row acts, where the modes are so many numbers or what is called so: "true",
        "false" or an expression."""
        acting = self._acting.get(row, set())
        known = [
            numbers
            for numbers in self._every
            if all(x == given for x, given in zip(numbers, at) if isinstance(given, int))
        ]
        inside = [numbers for numbers in known if numbers in acting]
        if not inside or len(inside) == len(known):
            return "true" if inside else "false"
        for i, name in enumerate(at):  # one group may decide
            own = {numbers[i] for numbers in inside}
            if isinstance(name, str) and all((x[i] in own) == (x in acting) for x in known):
                return " or ".join(f"{name} == {number}" for number in sorted(own))
        return " or ".join(
            " and ".join(f"{name} == {x}" for name, x in zip(at, numbers) if isinstance(name, str))
            for numbers in inside
        )

    def begun(self, row: str, place: int, source: int, target: int) -> bool:
        """Whether a row may begin to act where a group's mode becomes another."""
        acting = self._acting.get(row, set())
        return any(
            (*numbers[:place], target, *numbers[place + 1 :]) in acting and numbers not in acting
            for numbers in self._every
            if numbers[place] == source
        )


def _redundant(system: System) -> tuple[str, ...]:
    if not system.constrained or not system.constraint_names:
        return ()
    try:
        return system.freedoms().redundant
    except TouchbackError:  # this mode isn't met from the start; its rows are looked at there
        return system.freedoms(system.initial_state().q).redundant


def model_in_all_modes(system: System) -> Model:
    """The model with every constraint that acts in some mode, and readouts as expressions of the
    modes' numbers."""
    whole, groups = system.motion.whole, system.motion.modes.groups
    if not groups:
        return system.model
    for name, mode in whole.modes.items():
        for row in mode.active:
            if row in whole.constraints and whole.constraints[row].through is not None:
                raise InputError(
                    f"modelica: mode '{name}' keeps an idle coordinate by '{row}', which jumps "
                    "there in transitions; leave its tracking away."
                )
    acting = sorted({row for mode in whole.modes.values() for row in mode.active})
    model = in_modes(whole, (), acting)
    for name, kind in whole.sensors.items():
        if isinstance(kind, Readout):
            model.sensors[name] = Signal(_readout(whole, groups, name), kind.measured_in)
    return model


def _readout(whole: Model, groups: Sequence[ModeGroup], name: str) -> Value:
    shown: Value = 0.0
    for group in groups:
        number = whole.signal(group.state)
        for i, mode in enumerate(group.modes):
            said = whole.modes[mode].readouts.get(name)
            if said is not None:
                shown = select(abs(number - float(i)) < 0.5, said, shown)
    return shown
