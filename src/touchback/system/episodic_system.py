"""A compiled model with modes: every mode's equations are emitted ahead and share one parameter
block and one state, of which the number of the present mode is a part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from touchback.codegen import Backend
from touchback.errors import InputError, SolveError
from touchback.model.automata import in_modes
from touchback.model.model import Model
from touchback.model.names import unknown
from touchback.native.episode.data import EpisodeData, ExitData, ImpactData, PhaseData
from touchback.system.assembly import assemble_positions, assemble_velocities
from touchback.system.constrained import Terms
from touchback.system.constrained_system import ConstrainedSet, ConstrainedSystem
from touchback.system.constraint_checks import check_constraints
from touchback.system.phases import Impact, Phase, PhaseDerivation, Phases
from touchback.system.plan import Plan
from touchback.system.state import State


class EpisodicSystem(ConstrainedSystem):
    """A system that is in one of several modes. Functions on arrays (accelerations, multipliers,
    sensors, freedoms, …) are those of the mode it was last told to `enter`; runs find theirs in the
    state."""

    def __init__(self, model: Model, plan: Plan, backend: Backend) -> None:
        super().__init__(model, plan, backend)
        self.whole = model  # with all its modes
        derivation = PhaseDerivation(self, model)
        self._phase = derivation.modes.index(tuple(a.initial for a in derivation.automata))
        self.model = in_modes(model, derivation.modes[self._phase])
        self.phases: Phases = derivation.phases()

    # ---- modes ----------------------------------------------------------------------------------

    @property
    def modes(self) -> dict[str, tuple[str, ...]]:
        """The modes by the state that holds their number: "mode", or "part/mode"."""
        return {each.state: each.modes for each in self.phases.automata}

    @property
    def mode(self) -> str:
        """The mode that functions on arrays belong to."""
        return self.phases.phases[self._phase].name

    @property
    def initial_modes(self) -> tuple[str, ...]:
        """The mode that each automaton begins in."""
        return tuple(automaton.initial for automaton in self.phases.automata)

    def enter(self, *modes: str) -> None:
        """Let functions on arrays be those of a mode; with several automata, one of each or some
        of them."""
        self._use(self._phase_with(modes))

    def _phase_with(self, modes: tuple[str, ...]) -> int:
        present = list(self.phases.phases[self._phase].modes)
        given: dict[int, str] = {}
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
                known = [name for names in self.modes.values() for name in names]
                raise InputError(str(unknown("mode", mode, known)))
        return [phase.modes for phase in self.phases.phases].index(tuple(present))

    def _use(self, phase: int) -> None:
        if phase != self._phase:
            with self.deriving:
                self._phase = phase
                self._now(self.phases.phases[phase].model)

    def phase_of(self, x: np.ndarray) -> int:
        """The number of the phase that a state is in."""
        number = 0
        for automaton in self.phases.automata:
            place = self.state_names.index(automaton.state)
            mode = round(float(x[place])) if np.isfinite(x[place]) else -1
            if not 0 <= mode < len(automaton.modes) or mode != x[place]:
                raise InputError(
                    f"{self.name}: '{automaton.state}' is {x[place]:g} in this state; its modes "
                    f"are numbered 0 to {len(automaton.modes) - 1}. Name one of them: "
                    f"system.assemble(mode='{automaton.initial}')."
                )
            number = number * len(automaton.modes) + mode
        return number

    def activate(self, *names: str) -> None:
        """Refused: modes say which constraints act."""
        raise InputError(f"{self.name}: modes say which constraints act; use `enter`.")

    deactivate = activate

    # ---- what ConstrainedSystem asks -------------------------------------------------------------

    def _known_set(self, with_stiffness: bool) -> ConstrainedSet:
        if with_stiffness:
            raise InputError(
                f"{self.name}: the implicit formulations of constraints can't change modes; use "
                "'partitioning', 'multipliers', 'baumgarte' or 'projection'."
            )
        return self.phases.phases[self._phase].known

    def sensors(
        self, q: Any = None, v: Any = None, u: Any = None, t: Any = 0.0, z: Any = None
    ) -> dict[str, Any]:
        """What every sensor shows in the mode entered."""
        phase = self.phases.phases[self._phase]
        a, multipliers = self._solved(q, v, u, t, z)
        every = np.zeros((*a.shape[:-1], len(self.phases.row_names)))
        every[..., phase.rows] = multipliers
        outputs = phase.known.functions["outputs"]
        extra = np.concatenate([a, every], axis=-1)
        return self._shown(self._evaluate(outputs, q, v, u, t, extra, z))

    def assemble(  # type: ignore[override]  # no coordinate is called "mode"
        self,
        positions: Mapping[str, float] | None = None,
        rates: Mapping[str, float] | None = None,
        states: Mapping[str, float] | None = None,
        guess: Mapping[str, float] | None = None,
        t: float = 0.0,
        inputs: Any = None,
        mode: str | Sequence[str] = (),
        **named: float,
    ) -> State:
        """A consistent state in a mode (default: the one entered last), as in any system;
        coordinates that track go where they are to be, and move nothing else."""
        self.enter(*([mode] if isinstance(mode, str) else mode))
        state = super().assemble(positions, rates, states, guess, t, inputs, **named)
        numbers = self.phases.phases[self._phase].modes
        for automaton, name in zip(self.phases.automata, numbers, strict=True):
            state.z[self.layout.z.index(automaton.state)] = automaton.modes.index(name)
        return state

    def _tracking(self) -> tuple[np.ndarray, list[int]]:
        """Which rows of the present mode are kept by coordinates that track, and these: places
        among the velocities."""
        rows = np.array(self._tracks(self.phases.phases[self._phase]), dtype=bool)
        W = self._rows.W
        return rows, [] if W is None else [int(j) for i, j in zip(W.rows, W.columns) if rows[i]]

    def _closed_from(self, q: np.ndarray, kept: list[int], t: float, u: Any) -> np.ndarray:
        rows, idle = self._tracking()
        n = len(self.layout.v)
        moved = [k for k in kept if self._increments(q)[k, idle].any()]
        if not idle or moved:  # one that is to stay lets the others move
            return super()._closed_from(q, kept, t, u)
        others = replace(self._rows, holonomic=self._rows.holonomic & ~rows)
        held = (lambda at: self._increments(at)[kept]) if kept else None
        q = assemble_positions(
            q, idle, n, others, lambda at: self._positions(at, t, u), self._moved, held=held
        )
        still = [j for j in range(n) if j not in idle]
        return assemble_positions(
            q, still, n, self._rows, lambda at: self._positions(at, t, u), self._moved
        )

    def _met(self, v: np.ndarray, kept: list[int], terms: Terms) -> np.ndarray:
        rows, idle = self._tracking()
        if not idle or set(kept) & set(idle):
            return super()._met(v, kept, terms)
        J, b = np.where(rows[:, None], 0.0, terms.J), np.where(rows, 0.0, terms.b)
        v = assemble_velocities(v, [*kept, *idle], J, b, self._rows)
        still = [j for j in range(len(v)) if j not in idle]
        return assemble_velocities(v, still, terms.J, terms.b, self._rows)

    def check(self) -> None:
        """Refuse modes whose constraints contradict each other or leave motion without inertia,
        where their initial configuration can be assembled; back in the first mode afterwards."""
        first = self._phase
        for number in range(len(self.phases.phases)):
            self._use(number)
            try:
                self.assemble()
            except SolveError:
                if number == first:
                    raise
                continue  # a mode that begins elsewhere: runs find out
            check_constraints(self)
        self._use(first)

    # ---- what a run needs -----------------------------------------------------------------------

    def energy_at(
        self, x: np.ndarray, overrides: Mapping[str, float] | None = None, t: float = 0.0
    ) -> float:
        """Kinetic and potential energy in a state, with some parameters replaced [J]."""
        function = self.function("energy")
        block = function.block_for(self._with(overrides or {}))
        return float(function.at(x, np.append(t, self.input_defaults), block).sum())

    def episode_data(self) -> EpisodeData:
        """All phases as C needs them (native/episode/episode.py)."""
        phases = [self._phase_data(i, phase) for i, phase in enumerate(self.phases.phases)]
        places = [self.state_names.index(each.state) for each in self.phases.automata]
        counts = [len(each.modes) for each in self.phases.automata]
        return EpisodeData(
            self.sizes, len(self.layout.inputs), self.phases.row_names, phases, places, counts,
            len(self.layout.outputs),
        )  # fmt: skip

    def _phase_data(self, number: int, phase: Phase) -> PhaseData:
        functions = phase.known.functions
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
        outputs = functions["outputs"].compiled if self.layout.outputs else None
        return PhaseData(
            self.constrained_functions(known=phase.known), phase.rows, self._tracks(phase),
            functions["indicators"].compiled if exits else None, functions["indicators"].out_size,
            phase.uses_forces, outputs,
            functions["updates"].compiled if self.memory_places else None, exits,
        )  # fmt: skip

    def _tracks(self, phase: Phase) -> list[bool]:
        """Of each row, whether the effort of a coordinate keeps it: then only that one moves."""
        written = phase.model.constraints
        names = phase.known.layout.names
        return [name in written and written[name].through is not None for name in names]

    def _impact_data(self, impact: Impact) -> ImpactData:
        return ImpactData(self.constrained_functions(known=impact.known), impact.contacts)


def episodic_system(model: Model, plan: Plan, backend: Backend) -> EpisodicSystem:
    """The system of a model with modes, checked mode by mode."""
    system = EpisodicSystem(model, plan, backend)
    system.check()
    return system
