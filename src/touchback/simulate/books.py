"""Energy books of a run: which powers are integrated along it, and what the sums say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from touchback.native import Problem, evaluate_rows
from touchback.native.integrate.books import NativeBooks, Powers, live_multipliers
from touchback.recording import EnergyBooks, EventRecord
from touchback.simulate.constrained import IMPLICIT, Formulation, problem_for, word_of
from touchback.simulate.inputs import Inputs
from touchback.simulate.protocol import Floats
from touchback.simulate.span import Trajectory
from touchback.system import System
from touchback.system.powers import DISSIPATED, WORK, PowerSet, power_set


class BookKeeper:
    """Keeps the books of one run: of the lines of a `power_set`, with the parameters `given`. `own`
    evaluates rates and multipliers beside the run."""

    def __init__(
        self,
        system: System,
        lines: PowerSet,
        own: Problem,
        method: str,
        given: dict[str, Any] | None,
        multipliers: Floats | None = None,
    ) -> None:
        self._names = list(system.state_names)
        self._set, self._own = lines, own
        self._p = lines.powers.block_for(system.parameter_values(given))
        powers = Powers(lines.powers.compiled, self._p, len(lines.lines), lines.with_rates)
        self._native = NativeBooks(powers, own, method, multipliers)
        self._jumps: Floats = np.zeros(len(lines.stored))
        self._impacts: dict[str, float] = {}

    def open(self, problem: Problem, t: float, x: Floats) -> None:
        """Begins at the state from which a run starts."""
        self._native.attach(problem)
        self._native.start(t, x)

    def close(self, trajectory: Trajectory, events: Sequence[EventRecord] = ()) -> EnergyBooks:
        """The books up to the last recorded state. Where events changed the state, what that did to
        the stored energy counts as an impact."""
        for event in events:
            self.note(event)
        return self.closed(trajectory.times[[0, -1]], trajectory.states[[0, -1]])

    def note(self, event: EventRecord) -> None:
        """Counts an event that changed the state as an impact."""
        if event.after is not None:
            self.jump(event.name, event.time, self._states(event))

    def jump(self, name: str, t: float, states: Floats) -> None:
        """Counts what a jump between two states (rows) did to the stored energy as an impact."""
        before, after = self._levels([t] * 2, states)
        self._jumps += after - before
        self._impacts[name] = self._impacts.get(name, 0.0) + float((before - after).sum())

    def closed(self, times: Floats, states: Floats) -> EnergyBooks:
        """The books from the first to the last of two states (rows)."""
        ends = self._levels(times, states)
        change = ends[1] - ends[0]
        sides: dict[str, dict[str, float]] = {WORK: {}, DISSIPATED: {}}
        for line, joules in zip(self._set.lines, map(float, self._native.work), strict=True):
            if line.stored >= 0:
                moved = float(change[line.stored] - self._jumps[line.stored])
                joules += moved if line.side == WORK else -moved
            sides[line.side][line.name] = joules
        stored = dict(zip(self._set.stored, map(float, change), strict=True))
        return EnergyBooks(sides[WORK], stored, sides[DISSIPATED], dict(self._impacts))

    def _states(self, event: EventRecord) -> Floats:
        """Before and after an event; the run goes on from the latter made consistent."""
        before = [event.state[name] for name in self._names]
        after = [(event.after or {})[name] for name in self._names]
        return np.array([before, self._own.settle(event.time, after)])

    def _levels(self, times: Any, states: Floats) -> Floats:
        """Stored energies at states, a row each."""
        inputs = self._own.input_rows(times, states)
        levels = self._set.levels.compiled
        return evaluate_rows(
            levels.address, states, inputs, self._p, len(self._set.stored), levels.work_size,
            levels.context_address,
        )  # fmt: skip


def keeper_for(
    system: System,
    constraints: Formulation | None,
    inputs: Inputs,
    given: dict[str, Any] | None,
    method: str,
) -> BookKeeper:
    """The keeper of a run by the formulation `constraints`; the implicit ones, which are steps and
    no rates, have their multipliers evaluated by "multipliers"."""
    lines = power_set(system)
    formulation = "multipliers" if word_of(constraints) in IMPLICIT else constraints
    problem, enforced = problem_for(system, formulation, inputs, given)
    forces = live_multipliers(enforced.constrained) if enforced else None
    return BookKeeper(system, lines, problem, method, given, forces)
