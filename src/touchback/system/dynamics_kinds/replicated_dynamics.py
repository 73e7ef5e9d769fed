"""Motion of a row of copies of one mechanism: each with its own state, inputs and parameters, all
with the same code."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import numpy as np

from touchback.codegen import native_widths
from touchback.errors import ModelError
from touchback.model import Model
from touchback.native import Parts, ReplicatedFunction, Row
from touchback.system.active_equations import Key
from touchback.system.compiled_function import FunctionSet
from touchback.system.degrees_of_freedom import Freedoms
from touchback.system.dynamics_kinds.base import DynamicsKind
from touchback.system.system_state import State


class ReplicatedDynamics(DynamicsKind):
    """Unlike a model with as many parts, it is derived and compiled once, and its code stays in the
    processor's cache however many copies there are; as many as a vector register holds are computed
    at once. x = [q, v, z] as always: the positions of all copies, copy by copy, then all
    velocities, then the other states."""

    refused_as = ModelError
    cannot: ClassVar = {
        "model": "a row of copies has no model of its own; see `.replica.model`, that of each.",
        "functions": "a row of copies has only what a run needs; call the functions of `.replica`.",
        "events": "events of a row of copies are looked for by Python functions f(t, x), not by "
        "{given!r}; `states_of(x)` has the state of each copy.",
    }

    def __init__(
        self, one: DynamicsKind, initial: Callable[[], State], names: Sequence[str],
        shared: Sequence[str] = (),
    ) -> None:  # fmt: skip
        """Of the motion of one, without constraints, and what gives its initial state. `shared` are
        the first inputs of one, which are those of all."""
        self.one, self.names, self.shared = one, tuple(names), tuple(shared)
        self.whole, self.plan, self._initial = one.whole, one.plan, initial
        self.name = f"{len(self.names)} × {one.name}"
        self.layout = one.layout.copied(self.names, len(self.shared))
        self.first, self.deriving, self._known = (), one.deriving, {}

    def model(self, key: Key) -> Model:
        """Refused: there is none."""
        raise self._refusal("model")

    def output_units(self, key: Key) -> list[str]:
        """That of each."""
        return self.one.output_units(self.one.first) * len(self.names)

    def initial(self, parameters: Mapping[str, float]) -> State:
        """That of each."""
        start, count = self._initial(), len(self.names)
        q, v, z = (np.tile(part, count) for part in (start.q, start.v, start.z))
        return State(q, v, z, tuple(self.layout.state_names))

    def states_of(self, x: np.ndarray) -> np.ndarray:
        """The states of the copies, a row for each."""
        ends = np.cumsum([len(self.names) * size for size in self.one.layout.sizes])[:-1]
        parts = [part.reshape(len(self.names), -1) for part in np.split(x, ends) if part.size]
        return np.concatenate(parts, axis=1)

    def energy(self, key: Key, x: np.ndarray, values: np.ndarray, t: float) -> float:
        """The sum over all copies."""
        one = self.one
        return sum(
            one.energy(one.first, row, own, t)
            for row, own in zip(self.states_of(x), self._each(values), strict=True)
        )

    def _each(self, values: np.ndarray) -> np.ndarray:
        return values.reshape(len(self.names), -1)

    # ---- what a run needs -----------------------------------------------------------------------

    def compiled(self, key: Key, name: str) -> ReplicatedFunction:
        """A function of all copies."""
        return self.derive_once(("copied", name), lambda: self._copied(name))

    def _copied(self, name: str) -> ReplicatedFunction:
        nq, nv, nz = self.one.layout.sizes
        layout = self.one.layout
        parts: dict[str, Parts] = {
            "rate": (nq, nv, nz),
            "configuration rate": (nq, 0, 0),
            "outputs": (len(layout.outputs), 0, 0),
            "updates": (len(layout.memories), 0, 0),
        }
        function, row = self.one.active_equations(self.one.first).functions[name], self._row()
        wide = function.for_lanes(row.lanes)
        return ReplicatedFunction(row, function.compiled, wide, parts[name])

    def _row(self) -> Row:
        rate, count = self.one.active_equations(self.one.first).functions["rate"], len(self.names)
        widths = native_widths() if rate.compiled.backend == "machine" else (1,)
        lanes = min(widths, key=lambda width: count // width + count % width)  # fewest calls
        return Row(
            count, lanes, self.one.layout.sizes, len(self.shared),
            len(self.one.layout.inputs) - len(self.shared), rate.block_size,
        )  # fmt: skip

    def block(self, key: Key, values: np.ndarray, stiffness: bool = False) -> np.ndarray:
        """Those of all copies, interleaved as they are computed."""
        one = self.one.active_equations(self.one.first).functions
        return self._row().block(np.array([one.block_for(row) for row in self._each(values)]))

    def on_blocks(self, key: Key, values: np.ndarray) -> list[tuple[FunctionSet, np.ndarray]]:
        """Those of one, with the blocks of each."""
        functions = self.one.active_equations(self.one.first).functions
        each = np.unique(self._each(values), axis=0)
        return [(functions, functions.block_for(row)) for row in each]

    def text(self, key: Key, freedoms: Callable[[], Freedoms]) -> str:
        """Their names."""
        return f"{self.name}: {', '.join(self.names[:8])}{'…' if len(self.names) > 8 else ''}"
