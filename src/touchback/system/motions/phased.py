"""Motion in modes: every mode's equations are emitted ahead and share one parameter block and one
state, of which the number of the present mode is a part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from touchback.codegen import Backend
from touchback.errors import InputError
from touchback.model.model import Model
from touchback.model.names import unknown
from touchback.native.episode.data import EpisodeData, ExitData, ImpactData, PhaseData
from touchback.native.episode.episode import Episode
from touchback.system.closing import Closing
from touchback.system.motions.constrained import Constrained
from touchback.system.motions.motion import Acting, At, Key
from touchback.system.phase import Impact, Phase
from touchback.system.phases import PhaseDerivation
from touchback.system.plan import Plan
from touchback.system.posed import InModes, Posed, Posing

if TYPE_CHECKING:
    from touchback.system.arrays import Arrays
    from touchback.system.system import System


class Phased(Constrained):
    """What acts is one mode of every automaton. Functions on arrays (accelerations, multipliers,
    sensors, freedoms, …) are those of the modes that a system was last told to `enter`; runs find
    theirs in the state."""

    own = (*Constrained.own, "indicators")
    cannot: ClassVar = {
        **Constrained.cannot,
        "switch": "modes say which constraints act; use `enter`.",
        "stiffness": "the implicit formulations of constraints can't change modes; use "
        "'partitioning', 'multipliers', 'baumgarte' or 'projection'.",
    }

    def __init__(self, model: Model, plan: Plan, backend: Backend) -> None:
        super().__init__(model, plan, backend)
        self.phases = PhaseDerivation(self).phases()
        self.first = tuple(automaton.initial for automaton in self.phases.automata)

    # ---- what acts ------------------------------------------------------------------------------

    def _phase(self, key: Key) -> Phase:
        return self.phases.reigning[key]

    def model(self, key: Key) -> Model:
        """The model in these modes."""
        return self._phase(key).acting.model

    def acting(self, key: Key, stiffness: bool = False) -> Acting:
        """The same functions as with constraints, and the `indicators` of transitions."""
        if stiffness:
            self.refuse("stiffness")
        return self._phase(key).acting

    def entered(self, key: Key, modes: Sequence[str]) -> Key:
        """The modes that reign when some are entered: one of each automaton, or of some."""
        present, given = list(key), dict[int, str]()
        for mode in modes:
            for place, automaton in enumerate(self.phases.automata):
                if mode in automaton.modes:
                    if given.setdefault(place, mode) != mode:
                        raise InputError(
                            f"{self.name}: modes '{given[place]}' and '{mode}' exclude each other; "
                            f"'{automaton.state}' is one of them. Name one."
                        )
                    present[place] = mode
                    break
            else:
                known = [name for each in self.phases.automata for name in each.modes]
                raise InputError(str(unknown("mode", mode, known)))
        return tuple(present)

    # ---- functions on arrays, states ------------------------------------------------------------

    def solved(self, system: Arrays, at: At) -> np.ndarray:
        """Accelerations, and multipliers of all constraints: zero where one rests."""
        a, multipliers = self.solve(system, at)
        every = np.zeros((*a.shape[:-1], len(self.phases.row_names)))
        every[..., self._phase(system.key).rows] = multipliers
        return np.concatenate([a, every], axis=-1)

    def closing(self, system: System, at: At) -> Closing:
        """Coordinates that track go where they are to be, and move nothing else."""
        phase = self._phase(system.key)
        tracks, W = phase.tracks, phase.acting.rows.W
        idle = [] if W is None else [int(j) for i, j in zip(W.rows, W.columns) if tracks[i]]
        return Closing(system, at, tracks, idle)

    def numbered(self, key: Key, z: np.ndarray) -> np.ndarray:
        """With the numbers of the modes."""
        z = z.copy()
        for automaton, name in zip(self.phases.automata, key, strict=True):
            z[self.layout.z.index(automaton.state)] = automaton.modes.index(name)
        return z

    # ---- what a run needs -----------------------------------------------------------------------

    def problem(self, key: Key, asked: Posing) -> Posed:
        """With all modes: the state says which reigns."""
        solving = Episode(
            self.episode_data(), asked.constraints, asked.method, logging=not asked.clocked
        )
        return InModes(
            solving.problem(asked.u, self.block(key, asked.values), asked.refresh), solving
        )

    def episode_data(self) -> EpisodeData:
        """All phases, with transitions and impacts."""
        names, automata = self.layout.state_names, self.phases.automata
        return EpisodeData(
            (len(self.layout.q), len(self.layout.v), len(self.layout.z)),
            len(self.layout.inputs), self.phases.row_names,
            [self._phase_data(i, phase) for i, phase in enumerate(self.phases.phases)],
            [names.index(each.state) for each in automata],
            [len(each.modes) for each in automata], len(self.layout.outputs),
        )  # fmt: skip

    def _phase_data(self, number: int, phase: Phase) -> PhaseData:
        functions = phase.acting.functions
        exits = []
        for k, each in enumerate(phase.exits):
            rest = self.phases.rest_impacts.get((number, k))
            exits.append(
                ExitData(
                    each.target, each.rest, each.mode_place, each.target_number, each.rest_number,
                    each.transition.direction, each.when, each.reset_places, each.reset_start,
                    each.restitution_start, each.transition.law == "poisson",
                    each.transition.rest_speed,
                    self._impact_data(self.phases.impacts[number, k]),
                    None if rest is None else self._impact_data(rest),
                )
            )  # fmt: skip
        return PhaseData(
            self.for_c(phase.acting), phase.rows, phase.tracks,
            functions["indicators"].compiled if exits else None, functions["indicators"].out_size,
            phase.uses_forces, functions["outputs"].compiled if self.layout.outputs else None,
            functions["updates"].compiled if self.layout.memories else None, exits,
        )  # fmt: skip

    def _impact_data(self, impact: Impact) -> ImpactData:
        return ImpactData(self.for_c(impact.acting), impact.contacts)
