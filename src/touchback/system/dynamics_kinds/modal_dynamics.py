"""Motion in modes: every mode's equations are emitted ahead and share one parameter block and one
state, of which the number of the present mode is a part."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from touchback.codegen import Backend
from touchback.errors import InputError
from touchback.model import Model
from touchback.names import unknown
from touchback.native import ModeFunctions, Modes, ModesData
from touchback.system.active_equations import ActiveEquations, At, Key
from touchback.system.compiled_function import FunctionSet
from touchback.system.derivation_plan import Plan
from touchback.system.dynamics_kinds.constrained_dynamics import ConstrainedDynamics
from touchback.system.integration_problem import IntegrationProblem, ModalProblem, ProblemSpec
from touchback.system.method_dispatch import Calls
from touchback.system.mode_equations import ModeDerivation, SystemMode
from touchback.system.state_assembly import StateAssembler


class ModalDynamics(ConstrainedDynamics):
    """What acts is one mode of every group. Functions on arrays (accelerations, multipliers,
    sensors, freedoms, …) are those of the modes that a system was last told to `enter`; runs find
    theirs in the state."""

    own = (*ConstrainedDynamics.own, "indicators")
    cannot: ClassVar = {
        **ConstrainedDynamics.cannot,
        "switch": "modes say which constraints act; use `enter`.",
        "stiffness": "the implicit formulations of constraints can't change modes; use "
        "'partitioning', 'multipliers', 'baumgarte' or 'projection'.",
    }

    def __init__(self, model: Model, plan: Plan, backend: Backend) -> None:
        super().__init__(model, plan, backend)
        self.modes = ModeDerivation(model, self.layout, self.derive).modes()
        self.first = tuple(group.initial for group in self.modes.groups)

    # ---- what acts ------------------------------------------------------------------------------

    def _mode(self, key: Key) -> SystemMode:
        return self.modes.reigning[key]

    def model(self, key: Key) -> Model:
        """The model in these modes."""
        return self._mode(key).acting.model

    def active_equations(self, key: Key, stiffness: bool = False) -> ActiveEquations:
        """The same functions as with constraints, and the `indicators` of transitions."""
        if stiffness:
            self.refuse("stiffness")
        return self._mode(key).acting

    def key_with_modes(self, key: Key, modes: Sequence[str]) -> Key:
        """The modes that reign when some are entered: one of each group, or of some."""
        present, given = list(key), dict[int, str]()
        for mode in modes:
            for place, group in enumerate(self.modes.groups):
                if mode in group.modes:
                    if given.setdefault(place, mode) != mode:
                        raise InputError(
                            f"{self.name}: modes '{given[place]}' and '{mode}' exclude each other; "
                            f"'{group.state}' is one of them. Name one."
                        )
                    present[place] = mode
                    break
            else:
                known = [name for each in self.modes.groups for name in each.modes]
                raise InputError(str(unknown("mode", mode, known)))
        return tuple(present)

    def multiplier_units(self, key: Key) -> dict[str, str]:
        """Of the rows of every mode."""
        every = (mode.acting.rows.multiplier_units for mode in self.modes.every)
        return {name: unit for units in every for name, unit in units.items()}

    # ---- functions on arrays, states ------------------------------------------------------------

    def solved(self, calls: Calls, at: At) -> np.ndarray:
        """Accelerations, and multipliers of all constraints: zero where one rests."""
        solution = np.concatenate(self.solve(calls, at), axis=-1)
        return self.for_outputs(calls.key, solution)

    def for_outputs(self, key: Key, solution: np.ndarray) -> np.ndarray:
        """Among the multipliers of all constraints: zero where one rests."""
        n = len(self.layout.v)
        every = np.zeros((*solution.shape[:-1], n + len(self.modes.row_names)))
        every[..., :n] = solution[..., :n]
        every[..., n + np.array(self._mode(key).data.rows, dtype=int)] = solution[..., n:]
        return every

    def assembler(self, calls: Calls, at: At) -> StateAssembler:
        """Coordinates that track go where they are to be, and move nothing else."""
        mode = self._mode(calls.key)
        tracks, W = mode.data.tracks, mode.acting.rows.W
        idle = [] if W is None else [int(j) for i, j in zip(W.rows, W.columns) if tracks[i]]
        return self._assembler(calls, at, tracks, idle)

    def set_mode_states(self, key: Key, z: np.ndarray) -> np.ndarray:
        """With the numbers of the modes."""
        z = z.copy()
        for group, name in zip(self.modes.groups, key, strict=True):
            z[self.layout.z.index(group.state)] = group.modes.index(name)
        return z

    # ---- what a run needs -----------------------------------------------------------------------

    def problem(self, key: Key, asked: ProblemSpec) -> IntegrationProblem:
        """With all modes: the state says which reigns."""
        solving = Modes(
            self.modes_data(), asked.constraints, asked.method, logging=not asked.clocked
        )
        return ModalProblem(
            solving.problem(asked.u, self.block(key, asked.values), asked.refresh), solving
        )

    def on_blocks(self, key: Key, values: np.ndarray) -> list[tuple[FunctionSet, np.ndarray]]:
        """Those of all modes, which share one block."""
        block = self.block(key, values)
        return [(mode.acting.functions, block) for mode in self.modes.every]

    def modes_data(self) -> ModesData:
        """All modes, with transitions and impacts."""
        return self.derive_once(("modes data",), self._modes_data)

    def _modes_data(self) -> ModesData:
        layout, modes = self.layout, self.modes
        return ModesData(
            (len(layout.q), len(layout.v), len(layout.z)), len(layout.inputs), len(layout.outputs),
            modes.row_names,
            tuple(layout.state_names.index(each.state) for each in modes.groups),
            tuple(len(each.modes) for each in modes.groups),
            tuple(mode.data for mode in modes.every),
            tuple(self.for_c(each) for each in modes.constraint_sets),
            tuple(self._functions_for_c(mode) for mode in modes.every),
        )  # fmt: skip

    def _functions_for_c(self, mode: SystemMode) -> ModeFunctions:
        own = mode.acting.functions
        return ModeFunctions(
            own["indicators"].compiled if mode.exits else None,
            own["outputs"].compiled if self.layout.outputs else None,
            own["updates"].compiled if self.layout.memories else None,
        )
