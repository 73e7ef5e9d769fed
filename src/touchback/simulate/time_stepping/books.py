"""Energy books of a run with contacts, from what its steps gave."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from touchback.native import evaluate_rows
from touchback.native.contact.moreau_jean import Steps
from touchback.recording import EnergyBooks
from touchback.simulate.protocol import Floats
from touchback.system.contact_equations import ContactEquations
from touchback.system.function import Function
from touchback.system.powers import DISSIPATED, WORK, power_set


class StepBooks:
    """Powers of forces at the middle of each step, which is of the method's order, and what
    contacts took, which is exact where masses and directions stay."""

    def __init__(
        self,
        equations: ContactEquations,
        start: Floats,
        steps: Steps,
        step: float,
        parameters: Mapping[str, Any] | None,
    ) -> None:
        system = equations.system
        self._layout, self._names = equations.layout, list(equations.contacts)
        self._set = power_set(system)
        self._block = self._set.powers.block_for(system.parameter_values(parameters))
        states = np.vstack([start, steps.states])
        change = np.diff(states, axis=0)
        forces = steps.impulses[:, : self._layout.bilateral] / step
        inputs = np.hstack([steps.inputs, change / step, forces])
        middles = 0.5 * (states[1:] + states[:-1])
        self._work = step * self._rows(self._set.powers, middles, inputs)
        first = steps.inputs[:1] if len(steps.inputs) else np.zeros((1, steps.inputs.shape[1]))
        self._levels = self._rows(self._set.levels, states, np.vstack([first, steps.inputs]))
        self._losses, self._moved = steps.losses, steps.moved

    def _rows(self, function: Function, states: Floats, inputs: Floats) -> Floats:
        compiled = function.compiled
        return evaluate_rows(
            compiled.address, states, inputs, self._block, function.out_size, compiled.work_size,
            compiled.context_address,
        )  # fmt: skip

    def signals(self) -> dict[str, Floats]:
        """Stored energy, and cumulated work, impact loss and friction loss, at each instant [J]."""
        signs = np.array([1.0 if line.side == WORK else -1.0 for line in self._set.lines])
        work = self._work @ signs + self._moved.sum(axis=1)
        impacts = self._losses[:, list(self._layout.normals)].sum(axis=1)
        friction = self._losses[:, self._layout.bilateral :].sum(axis=1) - impacts
        level = self._levels.sum(axis=1)
        moving = np.zeros_like(level)
        for line in self._set.lines:
            if line.stored >= 0:
                moving += self._levels[:, line.stored] - self._levels[0, line.stored]
        return {
            "energy": level,
            "work": _cumulated(work) + moving,
            "impact loss": _cumulated(impacts),
            "friction loss": _cumulated(friction),
        }

    def books(self) -> EnergyBooks:
        """The books of the whole run."""
        change = self._levels[-1] - self._levels[0]
        sides: dict[str, dict[str, float]] = {WORK: {}, DISSIPATED: {}}
        for line, joules in zip(self._set.lines, self._work.sum(axis=0), strict=True):
            moved = change[line.stored] if line.stored >= 0 else 0.0
            sides[line.side][line.name] = float(joules + (moved if line.side == WORK else -moved))
        losses, moved_by = self._losses.sum(axis=0), self._moved.sum(axis=0)
        impacts = {}
        for i, (name, normal) in enumerate(zip(self._names, self._layout.normals, strict=True)):
            impacts[name] = float(losses[normal])
            rubbing = [row for rows, contact in self._layout.groups if contact == i for row in rows]
            if rubbing:
                sides[DISSIPATED][f"{name} friction"] = float(losses[rubbing].sum())
            surface = float(moved_by[[normal, *rubbing]].sum())
            if surface:
                sides[WORK][f"{name} moving"] = surface
        stored = dict(zip(self._set.stored, map(float, change), strict=True))
        return EnergyBooks(sides[WORK], stored, sides[DISSIPATED], impacts)


def _cumulated(parts: Floats) -> Floats:
    return np.concatenate([[0.0], np.cumsum(parts)])
