"""Whose the numbers of a hand are."""

from __future__ import annotations

from touchback.model.forces import Hand
from touchback.system import System


def of_a_hand(system: System, name: str) -> bool:
    """Whether an input or a parameter is one of a hand's, which all begin with its name."""
    if system.names:  # a row of copies, which no hand can hold
        return False
    forces = system.model.forces.items()
    return any(isinstance(force, Hand) and name.startswith(f"{hand} ") for hand, force in forces)
