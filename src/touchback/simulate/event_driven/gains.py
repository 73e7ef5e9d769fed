"""Impacts that give energy, which no real one does: they are counted, and said."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from touchback.simulate.event_driven.at_contacts import AtContacts
from touchback.simulate.event_driven.impacts import Jump

_ROUNDING = 1e-9  # of what rows do; m/s, rad/s beside it
_MENDS = {
    "newton": "Newton's restitution with friction can (Kane); take impacts='poisson'",
    "sequential": "Newton's restitution with friction can (Kane); lower restitution or friction",
    "poisson": "lower restitution or friction",
    "moreau-jean": "Newton's restitution with friction can (Kane); take method='event-driven' "
    "with impacts='poisson'",
}


@dataclass
class Gains:
    """What impacts by a law gave, by the contacts that were hit: instants [s] and energies [J]."""

    law: str
    _found: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    def look_at(self, t: float, felt: AtContacts, jump: Jump, hit: list[str]) -> None:
        """Keeps an impact after which there is more energy than before, as seen by its walls."""
        rows = slice(felt.layout.bilateral, None)
        p, u = jump.impulses[rows], (felt.u + jump.u)[rows]
        gain = 0.5 * float(p @ u)
        if gain > np.abs(p) @ (_ROUNDING * np.abs(u) + _ROUNDING):
            self.add(t, gain, hit)

    def add(self, t: float, gain: float, hit: list[str]) -> None:
        """Keeps what an impact of contacts gave [J]."""
        self._found.setdefault(", ".join(f"'{name}'" for name in hit), []).append((t, gain))

    def remarks(self) -> list[str]:
        """One for each contact, or contacts hit together: the first instant and what it gave."""
        return [self._told(names, found) for names, found in self._found.items()]

    def _told(self, names: str, found: list[tuple[float, float]]) -> str:
        (t, gain), more = found[0], len(found) - 1
        total = sum(each for _, each in found)
        also = f" ({more} more until t = {found[-1][0]:.6g} s: {total:.3g} J in all)" * bool(more)
        return (
            f"At t = {t:.6g} s the impact of {names} raised the energy by {gain:.3g} J{also}: "
            f"{_MENDS[self.law]}."
        )
