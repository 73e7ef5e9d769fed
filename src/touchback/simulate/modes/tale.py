"""What a run with modes tells: its transitions, how constraints were kept, what went wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from touchback.errors import InputError
from touchback.native import Problem
from touchback.native.modes.data import Crossed
from touchback.native.modes.modes import Modes
from touchback.recording.transitions import TransitionRecord
from touchback.simulate.protocol import Floats
from touchback.simulate.span import Failure
from touchback.system import System
from touchback.system.modes import SystemMode


class Tale:
    """The `transitions` of one run, and what else its states tell."""

    def __init__(
        self, system: System, modes: Modes, problem: Problem, parameters: dict[str, float]
    ) -> None:
        self._system, self._every, self._parameters = system, system.motion.modes.every, parameters
        self._modes, self._problem = modes, problem
        self.transitions: list[TransitionRecord] = []

    def exit_of(self, crossed: Crossed) -> Any:
        """The transition that was taken."""
        return self._every[crossed.mode].exits[crossed.exit]

    def note(self, crossed: Crossed, error: float | None) -> TransitionRecord:
        """One more transition, with how well it was located."""
        before, after = (
            self._system.stored_energy(x, self._parameters, crossed.time)
            for x in (crossed.before, crossed.state)
        )
        record = TransitionRecord(
            crossed.time, self._every[crossed.mode].name, self._every[crossed.after].name,
            self.exit_of(crossed).name, after - before, error,
        )  # fmt: skip
        self.transitions.append(record)
        return record

    def cannot_begin(self) -> Failure:
        """Why the mode to which a transition leads can't begin."""
        failed = self._modes.failed
        if failed is None:
            raise InputError(f"{self._system.name}: a transition failed for no reason.")
        return not_begun(self._every, *failed)

    def unread(self, times: Floats, states: Floats) -> Failure | None:
        """The first indicator that was no number when the run was recorded: what happens from there
        on can't be told."""
        found = []
        for number, t, x in self._by_mode(times, states):
            values = self._modes.indicator_rows(self._problem, number, t, x)
            rows, exits = np.nonzero(np.isnan(values))
            if rows.size:
                found.append((float(t[rows[0]]), number, int(exits[0])))
        return not_read(self._every, *min(found)) if found else None

    def kept(self, times: Floats, states: Floats) -> dict[str, float]:
        """Counts of the formulations. How well constraints were kept is read from what is recorded:
        steps that are tried beyond a transition, and left again, may break them."""
        largest = 0.0
        for number, t, x in self._by_mode(times, states):
            h = self._modes.position_rows(self._problem, number, t, x)
            largest = max(largest, float(np.abs(h).max(initial=0.0)))
        counts = self._modes.statistics
        return {**counts, "largest_h": largest, "singular": 0, "not_converged": 0}

    def _by_mode(self, times: Floats, states: Floats) -> Iterator[tuple[int, Floats, Floats]]:
        """States that are numbers, by the mode they are in."""
        good = np.isfinite(states).all(axis=1)
        times, states = times[good], states[good]
        numbers = self._modes.modes_of(states)
        for number in map(int, np.unique(numbers)):
            at = numbers == number
            yield number, times[at], states[at]


def not_begun(every: Sequence[SystemMode], t: float, mode: int, number: int, gap: float) -> Failure:
    """The mode that an exit leads to couldn't begin: by how much its constraints were open."""
    each = every[mode].exits[number]
    target = every[each.target].name
    if np.isfinite(gap):
        what = f"mode '{target}' can't begin: its constraints are open by {gap:.3g} m (or rad)"
    else:
        what = f"mode '{target}' can't begin: its constraints can't be met from there"
    return Failure(
        t,
        f"{what} when transition '{each.name}' leads to it",
        "let `when` be the gap that closes, or give a `reset` that closes it",
    )


def not_read(every: Sequence[SystemMode], t: float, mode: int, number: int) -> Failure:
    """The indicator of an exit was no number."""
    return Failure(
        t,
        f"`when` of transition '{every[mode].exits[number].name}' isn't a number in mode "
        f"'{every[mode].name}', so that nobody can tell whether it passes zero",
        "mend its expression (a root or logarithm of what falls below zero?)",
    )
