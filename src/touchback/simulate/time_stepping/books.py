"""Energy books of a run with contacts, step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from touchback.recording import EnergyBooks
from touchback.simulate.protocol import Floats
from touchback.system import System
from touchback.system.function import Function
from touchback.system.powers import DISSIPATED, WORK, power_set


class StepBooks:
    """Powers of forces at the middle of each step, which is of the method's order, and the losses
    of contacts, which are exact where masses and directions stay."""

    def __init__(
        self, system: System, contacts: Sequence[str], starts: Sequence[int], rows: int,
        parameters: Mapping[str, Any] | None,
    ) -> None:  # fmt: skip
        self._set = power_set(system)
        self._contacts, self._starts = contacts, list(starts)
        for function in (self._set.powers, self._set.levels):
            function.block[:] = function.block_for(system._with(parameters or {}))
        self._work = np.zeros(len(self._set.lines))
        self._losses = np.zeros(rows)
        self._first = self._last = np.zeros(len(self._set.stored))

    def open(self, x: Floats, u: Floats) -> None:
        """Begins at a state, with u = [t, inputs…]."""
        self._first = self._last = _evaluated(self._set.levels, x, u)

    def add(self, x: Floats, change: Floats, u: Floats, h: float, losses: Floats) -> None:
        """A step of length h from x by `change`, with the losses of its contact rows."""
        rates = np.concatenate([u, change / h])
        self._work = self._work + h * _evaluated(self._set.powers, x + 0.5 * change, rates)
        self._losses = self._losses + losses
        self._last = _evaluated(self._set.levels, x + change, u)

    def totals(self) -> tuple[float, float, float, float]:
        """Stored energy, work that came in by forces, and what impacts and friction took [J]."""
        signs = [1.0 if line.side == WORK else -1.0 for line in self._set.lines]
        moved = self._moved()
        work = float(np.dot(signs, self._work) + moved.sum())
        impacts = float(self._losses[self._starts].sum())
        return float(self._last.sum()), work, impacts, float(self._losses.sum()) - impacts

    def close(self) -> EnergyBooks:
        """The books so far."""
        sides: dict[str, dict[str, float]] = {WORK: {}, DISSIPATED: {}}
        for line, joules, moved in zip(self._set.lines, self._work, self._moved(), strict=True):
            sides[line.side][line.name] = float(joules + (moved if line.side == WORK else -moved))
        impacts = {}
        ends = [*self._starts[1:], len(self._losses)]
        for name, start, end in zip(self._contacts, self._starts, ends, strict=True):
            impacts[name] = float(self._losses[start])
            if end > start + 1:
                sides[DISSIPATED][f"{name} friction"] = float(self._losses[start + 1 : end].sum())
        stored = dict(zip(self._set.stored, map(float, self._last - self._first), strict=True))
        return EnergyBooks(sides[WORK], stored, sides[DISSIPATED], impacts)

    def _moved(self) -> Floats:
        """What lines take from the difference of a potential."""
        change = self._last - self._first
        return np.array([change[x.stored] if x.stored >= 0 else 0.0 for x in self._set.lines])


def _evaluated(function: Function, x: Floats, u: Floats) -> Floats:
    function.x[:] = x[: function.x.size]
    function.u[:] = u[: function.u.size]
    function.bound()
    return function.out.copy()
