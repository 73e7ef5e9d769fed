"""A row of copies of one system: each with its own state, inputs and parameters, all with the same
code."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from touchback.codegen import native_lanes
from touchback.errors import InputError, ModelError
from touchback.model.names import check_name, unknown
from touchback.native.calls.copies import CopiedFunction, Parts, Row
from touchback.system.layout import Layout
from touchback.system.state import State
from touchback.system.system import System


class Copies(System):
    """What `copies` returns: a system to simulate or to run live. Names are "copy/name".

    Unlike a model with as many parts, it is derived and compiled once, and its code stays in the
    processor's cache however many copies there are; as many as a vector register holds are computed
    at once. x = [q, v, z] as always: the positions of all copies, copy by copy, then all
    velocities, then the other states."""

    def __init__(self, one: System, names: Sequence[str]) -> None:
        self.one, self.names = one, tuple(names)
        self.name = f"{len(self.names)} × {one.name}"
        self.plan = one.plan
        self.layout = _layout(one.layout, self.names)
        self._parameters = np.tile(one._parameters, len(self.names))
        self.deriving = one.deriving

    @property
    def model(self) -> NoReturn:  # type: ignore[override]
        raise ModelError(
            f"{self.name}: a row of copies has no model of its own; see `.one.model`, that of each."
        )

    @property
    def _functions(self) -> NoReturn:  # type: ignore[override]
        raise ModelError(
            f"{self.name}: a row of copies has only what a run needs; call the functions of `.one`."
        )

    def event_functions(
        self, wanted: Sequence[Any], overrides: Mapping[str, Any] | None = None
    ) -> NoReturn:
        raise ModelError(
            f"{self.name}: events of a row of copies are looked for by Python functions f(t, x), "
            f"not by {wanted[0]!r}; `states_of(x)` has the state of each copy."
        )

    @property
    def input_units(self) -> list[str]:
        return self.one.input_units * len(self.names)

    @cached_property
    def input_defaults(self) -> np.ndarray:
        return np.tile(self.one.input_defaults, len(self.names))

    def _with(self, overrides: Mapping[str, float]) -> np.ndarray:
        changed = self._parameters.copy()
        size = len(self.one.layout.parameters)
        for name, number in overrides.items():
            copy, inner = divmod(self._parameter_index(name), max(size, 1))
            own = self.one.layout.parameters[inner]
            changed[copy * size + inner] = self.one._with({own: number})[inner]
        return changed

    def _parameter_index(self, name: str) -> int:
        if name not in self.layout.parameters:
            raise InputError(str(unknown("parameter", name, self.layout.parameters)))
        return self.layout.parameters.index(name)

    def parameter_block(self, overrides: Mapping[str, Any] | None = None) -> np.ndarray:
        rows = self._with(overrides or {}).reshape(len(self.names), -1)
        return self._row.block(np.array([self.one._run["rate"].block_for(row) for row in rows]))

    def initial_state(self) -> State:
        start, count = self.one.initial_state(), len(self.names)
        return State(np.tile(start.q, count), np.tile(start.v, count), np.tile(start.z, count))

    def states_of(self, x: np.ndarray) -> np.ndarray:
        """The states of the copies, a row for each."""
        ends = np.cumsum([len(self.names) * size for size in self.one.sizes])[:-1]
        parts = [part.reshape(len(self.names), -1) for part in np.split(x, ends) if part.size]
        return np.concatenate(parts, axis=1)

    def stored_energy(
        self, x: np.ndarray, parameters: Mapping[str, float], t: float = 0.0
    ) -> float:
        own = self.one.layout.parameters
        return sum(
            self.one.stored_energy(row, {name: parameters[f"{copy}/{name}"] for name in own}, t)
            for copy, row in zip(self.names, self.states_of(x), strict=True)
        )

    # ---- what a run needs ------------------------------------------------------------------------

    @cached_property
    def rate(self) -> Any:
        return self._copied("rate", self.one.sizes)

    @cached_property
    def configuration_rate(self) -> Any:
        if self.plan.plain_coordinates:
            return None
        return self._copied("configuration rate", (self.one.sizes[0], 0, 0))

    @cached_property
    def outputs(self) -> Any:
        count = len(self.one.layout.outputs)
        return self._copied("outputs", (count, 0, 0)) if count else None

    @cached_property
    def updates(self) -> Any:
        count = len(self.one.memory_places)
        return self._copied("updates", (count, 0, 0)) if count else None

    @cached_property
    def memory_places(self) -> tuple[int, ...]:
        nq, nv, nz = self.one.sizes
        start, count = nq + nv, len(self.names)
        own = [place - start for place in self.one.memory_places]
        return tuple(count * start + copy * nz + place for copy in range(count) for place in own)

    @cached_property
    def _row(self) -> Row:
        rate, lanes = self.one._run["rate"], native_lanes()
        wide = rate.compiled.backend == "machine" and lanes <= len(self.names)
        return Row(
            len(self.names), lanes if wide else 1, self.one.sizes, len(self.one.layout.inputs),
            rate.block_size,
        )  # fmt: skip

    def _copied(self, name: str, outputs: Parts) -> CopiedFunction:
        function, lanes = self.one._run[name], self._row.lanes
        return CopiedFunction(self._row, function.compiled, function.for_lanes(lanes), outputs)

    def __repr__(self) -> str:
        return f"{self.name}: {', '.join(self.names[:8])}{'…' if len(self.names) > 8 else ''}"


def copies(system: System, names: Sequence[str]) -> Copies:
    """A row of copies of a compiled system, with a name each."""
    if not isinstance(system, System) or isinstance(system, Copies):
        raise InputError(f"copies: a compiled system of one mechanism is expected, got {system!r}.")
    if not names or isinstance(names, str) or len(set(names)) != len(names):
        raise InputError(f"{system.name}: copies need names, each once; got {names!r}.")
    for name in names:
        check_name("Copy", name)
    if system.constraint_names or system.model.modes:
        raise InputError(
            f"{system.name}: it has constraints or modes, which are solved for each mechanism "
            "alone; put copies of it into one model by `m.add`."
        )
    return Copies(system, names)


def _layout(one: Layout, names: Sequence[str]) -> Layout:
    def every(own: Sequence[str]) -> tuple[str, ...]:
        return tuple(f"{copy}/{name}" for copy in names for name in own)

    def repeated(own: Sequence[str]) -> tuple[str, ...]:
        return tuple(own) * len(names)

    return Layout(
        every(one.q), every(one.v), every(one.z), every(one.inputs), every(one.parameters),
        every(one.outputs), repeated(one.q_units), repeated(one.v_units), repeated(one.z_units),
        repeated(one.output_units),
    )  # fmt: skip
