"""A state of a system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from touchback.errors import InputError
from touchback.numbers import read_array, shown


@dataclass(frozen=True)
class Assembly:
    """How a state was assembled: the coordinates and velocities that were given, and the values of
    the parameters."""

    positions: tuple[int, ...]
    rates: tuple[int, ...]
    parameters: tuple[float, ...]


@dataclass(eq=False)
class State:
    """Positions q, velocities v and extra states z. `names` are those of its elements, where they
    are known: a system takes a state with its own names only, and states are equal that have the
    same numbers and, where both know them, the same names."""

    q: np.ndarray
    v: np.ndarray
    z: np.ndarray
    names: tuple[str, ...] = field(default=(), repr=False)
    assembly: Assembly | None = field(default=None, repr=False)

    def __setattr__(self, name: str, given: Any) -> None:
        """Refuses what can't be part of a state, when it is made and later."""
        if name in ("q", "v", "z"):
            given = read_array(f"State: its {name}", given)
            if given.ndim != 1:
                raise InputError(
                    f"State: its {name} is a list of numbers, got an array of shape {given.shape}; "
                    "functions take arrays of states as arrays."
                )
        elif name == "names" and not (
            isinstance(given, tuple) and all(isinstance(each, str) for each in given)
        ):
            raise InputError(f"State: its names are a tuple of texts, got {shown(given)}.")
        elif name == "assembly" and not isinstance(given, Assembly | None):
            raise InputError(
                f"State: its assembly is what `system.assemble` notes there, got {shown(given)}."
            )
        object.__setattr__(self, name, given)

    def __eq__(self, other: object) -> bool:
        """To all digits."""
        if not isinstance(other, State):
            return NotImplemented
        named = not (self.names and other.names) or self.names == other.names
        pairs = ((self.q, other.q), (self.v, other.v), (self.z, other.z))
        return named and all(np.array_equal(*pair) for pair in pairs)

    @property
    def x(self) -> np.ndarray:
        """[q, v, z]."""
        return np.concatenate([self.q, self.v, self.z])


def elements_of(
    system: str, names: Sequence[str], sizes: tuple[int, int, int], given: object
) -> np.ndarray:
    """The elements of a state, or of what has one, as many as there are names, of which `sizes`
    are positions, velocities and extra states; a copy."""
    state = getattr(given, "state", given)
    try:
        x = read_array("state", getattr(state, "x", state)).copy()
    except InputError:
        raise InputError(
            f"{system}: a state is an array of {len(names)} numbers, or what "
            f"`system.assemble(name=value)` gives, got {shown(given)}."
        ) from None
    if x.shape != (len(names),):
        raise InputError(
            f"{system}: the state has {len(names)} elements ({', '.join(names[:6])}"
            f"{', …' if len(names) > 6 else ''}), got an array of shape {x.shape}."
        )
    if isinstance(state, State):
        found = len(state.q), len(state.v), len(state.z)
        if found != sizes:
            raise InputError(
                f"{system}: a state has {sizes[0]} positions q, {sizes[1]} velocities v and "
                f"{sizes[2]} extra states z, got {found[0]}, {found[1]} and {found[2]}; "
                "`system.assemble(name=value)` gives one."
            )
        _refuse_foreign(system, names, state.names)
    return x


def finite_elements(system: str, names: Sequence[str], x: np.ndarray) -> np.ndarray:
    """The elements of a state, refused by name where one is no finite number."""
    bad = np.flatnonzero(~np.isfinite(x))
    if len(bad):
        raise InputError(
            f"{system}: '{names[bad[0]]}' of the state is {x[bad[0]]}; give a state of finite "
            "numbers."
        )
    return x


def _refuse_foreign(system: str, own: Sequence[str], foreign: Sequence[str]) -> None:
    """A state that was made for other elements than the system has."""
    if len(foreign) not in (0, len(own)):
        raise InputError(
            f"{system}: the state has {len(own)} elements and {len(foreign)} names; give it names "
            "for all (`system.state_names`), or none."
        )
    for k, (theirs, ours) in enumerate(zip(foreign, own)):
        if theirs != ours:
            raise InputError(
                f"{system}: the state is that of another system: element {k} is {theirs!r} there "
                f"and {ours!r} here; assemble one here (`system.assemble(name=value)`), or give "
                "its numbers as an array (`state.x`) if they are meant."
            )
