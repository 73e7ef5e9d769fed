"""Energy books of runs with modes: powers of the mode that reigns, integrated from transition to
transition; what a transition did to the stored energy counts as an impact under its name."""

from __future__ import annotations

from typing import Any

import numpy as np

from touchback.native import Problem
from touchback.native.episode.data import Crossed
from touchback.native.episode.episode import STEPS, Episode
from touchback.native.integrate.books import live_multipliers
from touchback.recording import EnergyBooks
from touchback.simulate.books import BookKeeper
from touchback.simulate.inputs import Inputs
from touchback.simulate.protocol import Floats
from touchback.system import System
from touchback.system.powers import power_set_of_modes


class EpisodeKeeper(BookKeeper):
    """Keeps the books of one run with modes, of which the run's `episode` may be in any; rates and
    multipliers come from an episode of the books' own, whose mode is that of the state."""

    def __init__(
        self,
        system: System,
        episode: Episode,
        block: Floats,
        inputs: Inputs,
        given: dict[str, Any] | None,
        method: str,
    ) -> None:
        own: Any = Episode(episode.data, episode.formulation, next(iter(STEPS)), logging=False)
        problem = own.settled_problem(inputs.u, block, inputs.refresher())
        super().__init__(
            system, power_set_of_modes(system), problem, method, given, live_multipliers(own)
        )
        self._episode, self._problem = own, problem
        self._first: tuple[float, Floats] | None = None

    def keep(self, run: Problem | Episode) -> None:
        """Lets the steps of a phase's problem, or those that hold transitions, be added."""
        if isinstance(run, Episode):
            run.keep_books(self._native)
        else:
            self._native.attach(run)

    def begin(self, t: float, x: Floats) -> None:
        """Goes on from a state, in the mode it is in."""
        self._native.start_at(t, self._episode.begin(self._problem, t, x))
        self._first = self._first or self._native.end

    def cross(self, name: str, crossed: Crossed) -> None:
        """Counts a transition."""
        self.jump(name, crossed.time, np.array([crossed.before, crossed.state]))

    def finish(self) -> EnergyBooks:
        """The books from the start to where the last step ended."""
        first, last = self._first or self._native.end, self._native.end
        return self.closed(np.array([first[0], last[0]]), np.array([first[1], last[1]]))
