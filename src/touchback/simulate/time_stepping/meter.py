"""Powers of a run with contacts, from what its steps gave."""

from __future__ import annotations

import numpy as np

from touchback.native.contact.moreau_jean import Steps
from touchback.simulate.books import Lines
from touchback.simulate.protocol import Floats
from touchback.system.contact_rows import ContactLayout
from touchback.system.powers import WORK


class StepMeter:
    """Powers of forces at the middle of each step, which is of the method's order, and what
    contacts took, which is exact where masses and directions stay."""

    def __init__(
        self, lines: Lines, layout: ContactLayout, start: Floats, steps: Steps, step: float
    ) -> None:
        self._lines, self._layout, self._steps = lines, layout, steps
        self._states = states = np.vstack([start, steps.states])
        rates = np.diff(states, axis=0) / step
        forces = steps.impulses[:, : layout.bilateral] / step
        inputs = np.hstack([steps.inputs, rates, forces])
        self._work = step * lines.powers(0.5 * (states[1:] + states[:-1]), inputs)
        first = steps.inputs[:1] if len(steps.inputs) else np.zeros((1, steps.inputs.shape[1]))
        self._inputs = np.vstack([first, steps.inputs])

    @property
    def work(self) -> Floats:
        """What each line did in all steps [J]."""
        found: Floats = self._work.sum(axis=0)
        return found

    def inputs(self, times: Floats, states: Floats) -> Floats:
        """Those that the first and the last step used: books are closed at the ends only."""
        return self._inputs[[0, -1]]

    def signals(self) -> dict[str, Floats]:
        """Stored energy, and cumulated work, impact loss and friction loss, at each instant [J]."""
        lines, losses, layout = self._lines.set.lines, self._steps.losses, self._layout
        signs = np.array([1.0 if line.side == WORK else -1.0 for line in lines])
        work = self._work @ signs + self._steps.moved.sum(axis=1)
        impacts = losses[:, list(layout.normals)].sum(axis=1)
        friction = losses[:, layout.bilateral :].sum(axis=1) - impacts
        levels = self._lines.levels(self._states, self._inputs)
        moving = np.zeros(len(levels))
        for line in lines:
            if line.stored >= 0:
                moving += levels[:, line.stored] - levels[0, line.stored]
        return {
            "energy": levels.sum(axis=1),
            "work": _cumulated(work) + moving,
            "impact loss": _cumulated(impacts),
            "friction loss": _cumulated(friction),
        }


def _cumulated(parts: Floats) -> Floats:
    return np.concatenate([[0.0], np.cumsum(parts)])
