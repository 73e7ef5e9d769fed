"""Gaps of contacts along a run: what overlaps, and how far gaps are rounded."""

from __future__ import annotations

import numpy as np

from touchback.errors import SolveError
from touchback.native import Problem
from touchback.native.contact.contact_state import ContactState
from touchback.simulate.event_driven.at_contacts import AtContacts
from touchback.simulate.protocol import Floats
from touchback.simulate.rigid import TOUCHING, length_scale, overlaps, reach
from touchback.simulate.span import Failure
from touchback.system.contact_equations import ContactEquations

INSIDE = 1e-13  # m: less deep is rounding
_PUSHES = 10  # apart, at the start
_NUDGE = 1e-6  # of a position: for slopes of gaps


class Walls:
    """What the contacts of a run feel at its states, and the states moved out of walls. What is to
    be `said` of overlaps at the start is kept."""

    def __init__(self, equations: ContactEquations, state: ContactState, problem: Problem) -> None:
        self._equations, self._state, self._problem = equations, state, problem
        self._names, self._positions = list(equations.contacts), equations.system.sizes[0]
        self.said: list[str] = []
        self._deepest = TOUCHING
        self._reach = 0.0  # how far contacts were from the origin at the start [m]

    def felt(self, t: float, x: Floats) -> AtContacts:
        """The mechanism as its contacts feel it."""
        return AtContacts.at(self._equations, x, self._problem.input_rows([t], x[None, :])[0])

    def apart(self, t: float, x: Floats) -> Floats:
        """The state at the start with contacts that overlap moved apart, least by mass: from inside
        a wall there is no way out that an event could tell. Velocities stay."""
        model, contacts, q = (
            self._equations.system.model, self._equations.contacts, x[: self._positions],
        )  # fmt: skip
        self._deepest = TOUCHING * min(1.0, length_scale(model, contacts, q))
        self._reach = reach(model, contacts, q)
        self.said = overlaps(self._names, self.felt(t, x).gap, "its bodies were moved apart.")
        x = self._pushed(t, x)
        gaps = self.felt(t, x).gap
        if gaps.size and gaps.min() < -TOUCHING:
            raise SolveError(
                f"contact '{self._names[int(gaps.argmin())]}' overlaps by {-gaps.min():.3g} m at "
                "the start and can't be moved apart; start where nothing overlaps"
            )
        return x

    def overlap(self, times: Floats, states: Floats) -> tuple[int, Failure | None]:
        """The first of the states in which a contact overlaps, and what is wrong there; their
        number and nothing where none does."""
        if not self._names or not len(times):
            return len(times), None
        inputs = self._problem.input_rows(times, states)
        gaps = self._equations.gaps(states, inputs, times)
        inside = np.flatnonzero((gaps < -self._deepest).any(axis=0))
        if not inside.size:
            return len(times), None
        row = int(inside[0])
        return row, Failure(float(times[row]), self._told(gaps[:, row]), "")

    def out_of(self, t: float, x: Floats) -> tuple[Floats, AtContacts]:
        """The state with what rounding left inside a wall moved out of it, and what is felt."""
        felt = self.felt(t, x)
        deepest = felt.gap.min(initial=0.0)
        if deepest < -TOUCHING:
            raise SolveError(self._told(felt.gap))
        if deepest >= -INSIDE:
            return x.copy(), felt
        x = self._pushed(t, x)
        return x, self.felt(t, x)

    def rounding(self, t: float, x: Floats) -> Floats:
        """How far gaps may be off [m]: by a unit in the last place of each position, and of where
        their frames are."""
        count = self._positions
        states = np.tile(x, (1 + count, 1))
        states[np.arange(1, 1 + count), np.arange(count)] *= 1 + _NUDGE
        times = np.full(len(states), t)
        gaps = self._equations.gaps(states, self._problem.input_rows(times, states), times)
        slopes = np.abs(gaps[:, 1:] - gaps[:, :1]).sum(axis=1) / _NUDGE
        found: Floats = np.finfo(float).eps * (slopes + self._reach)
        return found

    def _pushed(self, t: float, x: Floats) -> Floats:
        """The state with contacts that overlap moved apart, least by mass."""
        closed = self._state.closed
        before, x = closed.copy(), x.copy()
        for _ in range(_PUSHES):
            inside = self.felt(t, x).gap < -INSIDE
            if not inside.any():
                break
            closed |= inside
            x[: self._positions] = self._problem.settle(t, x)[: self._positions]
        closed[:] = before
        return x

    def _told(self, gaps: Floats) -> str:
        return (
            f"contact '{self._names[int(gaps.argmin())]}' overlaps by {-gaps.min():.3g} m (at most "
            f"{self._deepest:.3g} m may): where it closed was not found; lower `step`, or use "
            "method='moreau-jean'"
        )
