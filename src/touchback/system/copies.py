"""A row of copies of one system: each with its own state, inputs and parameters, all with the same
code."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from touchback.errors import InputError, ModelError
from touchback.model.names import unknown
from touchback.native.copies import CopiedFunction
from touchback.system.layout import Layout
from touchback.system.state import State
from touchback.system.system import System


class Copies(System):
    """What `copies` returns: a system to simulate or to run live. Names are "copy/name".

    Unlike a model with as many parts, it is derived and compiled once, and its code stays in the
    processor's cache however many copies there are. All states of a copy stand together, as extra
    states of the row: methods that treat positions and velocities differently don't apply."""

    def __init__(self, one: System, names: Sequence[str]) -> None:
        self.one, self.names = one, tuple(names)
        self.name = f"{len(self.names)} × {one.name}"
        self.plan = one.plan
        self.layout = _layout(one.layout, self.names)
        self._parameters = np.tile(one._parameters, len(self.names))
        self._version = 0

    @property
    def model(self) -> NoReturn:  # type: ignore[override]
        raise ModelError(
            f"{self.name}: a row of copies has no model of its own; see `.one.model`, that of each."
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
        return np.concatenate([self.one._run["rate"].block_for(row) for row in rows])

    def initial_state(self) -> State:
        start = np.tile(self.one.initial_state().x, len(self.names))
        return State(np.empty(0), np.empty(0), start)

    def stored_energy(self, x: np.ndarray, parameters: Mapping[str, float]) -> float:
        own = self.one.layout.parameters
        return sum(
            self.one.stored_energy(row, {name: parameters[f"{copy}/{name}"] for name in own})
            for copy, row in zip(self.names, x.reshape(len(self.names), -1), strict=True)
        )

    # ---- what a run needs ------------------------------------------------------------------------

    @cached_property
    def rate(self) -> Any:
        return self._copied("rate", sum(self.one.sizes))

    @property
    def configuration_rate(self) -> None:
        return None

    @cached_property
    def outputs(self) -> Any:
        return (
            self._copied("outputs", len(self.one.layout.outputs)) if self.layout.outputs else None
        )

    @cached_property
    def updates(self) -> Any:
        count = len(self.one.memory_places)
        return self._copied("updates", count) if count else None

    @cached_property
    def memory_places(self) -> tuple[int, ...]:
        size, own = sum(self.one.sizes), self.one.memory_places
        return tuple(copy * size + place for copy in range(len(self.names)) for place in own)

    def _copied(self, name: str, outputs: int) -> CopiedFunction:
        function = self.one._run[name]
        return CopiedFunction(
            function.compiled, len(self.names), sum(self.one.sizes), len(self.one.layout.inputs),
            len(function.block), outputs,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"{self.name}: {', '.join(self.names[:8])}{'…' if len(self.names) > 8 else ''}"


def copies(system: System, names: Sequence[str]) -> Copies:
    """A row of copies of a compiled system, with a name each."""
    if not names or len(set(names)) != len(names):
        raise InputError(f"{system.name}: copies need names, each once; got {list(names)[:8]}.")
    if system.constraint_names:
        raise InputError(
            f"{system.name}: it has constraints, which are solved for each mechanism alone; put "
            "copies of it into one model by `m.add`."
        )
    return Copies(system, names)


def _layout(one: Layout, names: Sequence[str]) -> Layout:
    def every(own: Sequence[str]) -> tuple[str, ...]:
        return tuple(f"{copy}/{name}" for copy in names for name in own)

    def repeated(own: Sequence[str]) -> tuple[str, ...]:
        return tuple(own) * len(names)

    return Layout(
        (), (), every(one.state_names), every(one.inputs), every(one.parameters),
        every(one.outputs), (), (), repeated(one.state_units), repeated(one.output_units),
    )  # fmt: skip
