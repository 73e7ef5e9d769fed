"""Modes of a run that goes on as another structure: each goes on in the mode of its name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from touchback.errors import InputError
from touchback.native.live.swap import Renumbered
from touchback.system import System


def renumbered(old: System, new: System) -> list[Renumbered]:
    """The groups of modes that both have, with the numbers that the old modes have in the new. A
    group that is new begins in its first mode; one that is gone ruled what is gone with it."""
    names = list(new.state_names)
    return [
        Renumbered(
            names.index(state),
            modes,
            tuple(
                new.modes[state].index(mode) if mode in new.modes[state] else -1 for mode in modes
            ),
        )
        for state, modes in old.modes.items()
        if state in new.modes
    ]


def check_modes(old: System, new: System, state: Mapping[str, float]) -> dict[str, float]:
    """The numbers of the new structure's modes for those that a state of the old one is in; refused
    where it has none of that name."""
    found = {}
    for group in renumbered(old, new):
        name = new.state_names[group.place]
        number = int(state[name])
        if group.numbers[number] < 0:
            raise no_mode(new.name, group.modes[number], new.modes[name])
        found[name] = float(group.numbers[number])
    return found


def no_mode(structure: str, mode: str, known: Sequence[str]) -> InputError:
    """Says which mode is missed."""
    return InputError(
        f"{structure}: the run is in mode '{mode}', which this structure doesn't have; it has "
        f"{', '.join(map(repr, known))}. Describe that mode there too, or change the structure "
        "while the run is in one of these."
    )
