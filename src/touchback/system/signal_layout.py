"""Where everything sits: names, units and indices of coordinates, states, inputs and parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.model import Input, Limit, Model, Parameter, limits_of, sensor_names
from touchback.names import unknown
from touchback.numbers import by_name, read_array, read_number
from touchback.system.array_arguments import leading

Item = TypeVar("Item")
Values = Mapping[str, ArrayLike] | ArrayLike | None
"""Numbers by name, in order, or none: those that are usual."""


@dataclass(frozen=True)
class Layout:
    """x = [q, v, z]; u = [time, inputs…, further arguments of a function]; parameters in order of
    description."""

    q: tuple[str, ...]
    v: tuple[str, ...]
    z: tuple[str, ...]
    inputs: tuple[str, ...]
    parameters: tuple[str, ...]
    outputs: tuple[str, ...]
    q_units: tuple[str, ...]
    v_units: tuple[str, ...]
    z_units: tuple[str, ...]
    output_units: tuple[str, ...]
    input_units: tuple[str, ...]
    input_defaults: tuple[float, ...]
    input_ranges: tuple[Input, ...]
    ranges: tuple[Parameter, ...]  # of the parameters
    memories: tuple[str, ...]  # states that change only at ticks
    limits: tuple[Limit, ...]  # of coordinates, by parameters

    def copied(self, names: Sequence[str], shared: int = 0) -> "Layout":
        """That of so many mechanisms: the positions of all, copy by copy, then all velocities, …;
        names are "copy/name", but those of the first `shared` inputs, which all have in common."""

        def every(own: Sequence[str]) -> tuple[str, ...]:
            return tuple(f"{copy}/{name}" for copy in names for name in own)

        def in_common(own: tuple[Item, ...]) -> tuple[Item, ...]:
            return own[:shared] + own[shared:] * count

        count = len(names)
        return Layout(
            every(self.q), every(self.v), every(self.z),
            self.inputs[:shared] + every(self.inputs[shared:]), every(self.parameters),
            every(self.outputs), self.q_units * count, self.v_units * count,
            self.z_units * count, self.output_units * count,
            in_common(self.input_units), in_common(self.input_defaults),
            in_common(self.input_ranges), self.ranges * count, every(self.memories),
            tuple(
                limit.moved(f"{copy}/", i * len(self.parameters))
                for i, copy in enumerate(names)
                for limit in self.limits
            ),
        )  # fmt: skip

    @property
    def sizes(self) -> tuple[int, int, int]:
        """(nq, nv, nz)."""
        return len(self.q), len(self.v), len(self.z)

    @property
    def state_names(self) -> list[str]:
        """Signal names of x: a velocity that is named like a position gets " rate"."""
        positions = set(self.q)
        rates = [f"{name} rate" if name in positions else name for name in self.v]
        return [*self.q, *rates, *self.z]

    @property
    def state_units(self) -> list[str]:
        """Units of x."""
        return [*self.q_units, *self.v_units, *self.z_units]

    @property
    def memory_places(self) -> tuple[int, ...]:
        """Where the memories are in x."""
        start = len(self.q) + len(self.v)
        return tuple(start + i for i, name in enumerate(self.z) if name in self.memories)

    def index(self, parameter: str) -> int:
        """The place of a parameter."""
        if parameter not in self.parameters:
            raise InputError(str(unknown("parameter", parameter, self.parameters)))
        return self.parameters.index(parameter)

    def input_range(self, name: str) -> Input:
        """What the model says of an input."""
        return self.input_ranges[self.inputs.index(name)]

    def check_input(self, name: str, value: float | np.ndarray) -> None:
        """Refuses a value of an input, or any of several, outside the range of its model."""
        _check_within(f"Input '{name}'", self.input_range(name), np.array(value))

    def changed(self, values: np.ndarray, overrides: Mapping[str, float]) -> np.ndarray:
        """Values of all parameters with some replaced, which must lie in their ranges."""
        given = by_name("parameters", overrides)
        return self.varied(
            values, {name: read_number(_parameter(name), each) for name, each in given.items()}
        )

    def varied(self, values: np.ndarray, overrides: Mapping[str, ArrayLike]) -> np.ndarray:
        """The same with numbers or arrays of them: (…, parameters)."""
        given = by_name("parameters", overrides)
        if not given:
            return values.copy()
        numbers = {name: read_array(_parameter(name), each) for name, each in given.items()}
        lead = leading([number[..., None] for number in numbers.values()])
        changed = np.broadcast_to(values, (*lead, len(values))).copy()
        for name, number in numbers.items():
            index = self.index(name)
            _check_within(_parameter(name), self.ranges[index], number)
            changed[..., index] = number
        touched = {self.index(name) for name in numbers}
        for limit in self.limits:  # of a row of copies, only those of the copy that changes
            if touched.intersection(limit.places.values()) and (said := limit.crossed(changed)):
                raise InputError(said)
        return changed


def _check_within(label: str, known: Parameter | Input, number: np.ndarray) -> None:
    low = -np.inf if known.min is None else known.min
    high = np.inf if known.max is None else known.max
    outside = ~((low <= number) & (number <= high))
    if outside.any():
        raise InputError(
            f"{label}: {number[outside].flat[0]} lies outside its range [{low}, {high}]"
            f"{known.unit and f' {known.unit}'}."
        )


def _parameter(name: str) -> str:
    return f"Parameter '{name}'"


def layout_of(model: Model) -> Layout:
    """The layout of a flat model."""
    q: list[str] = []
    v: list[str] = []
    q_units: list[str] = []
    v_units: list[str] = []
    for name, joint in model.joints.items():
        q += joint.position_names(name)
        v += joint.velocity_names(name)
        q_units += joint.kind.position_units()
        v_units += joint.kind.velocity_units()
    driven = {target for control in model.controls.values() for target in control.drives}
    outputs: list[str] = []
    output_units: list[str] = []
    taken = {*q, *v, *model.states}
    for name, kind in model.outputs().items():
        for full, unit in zip(sensor_names(name, kind), kind.units(), strict=True):
            outputs.append(f"{full} sensor" if full in taken else full)
            output_units.append(unit)
    inputs = {name: given for name, given in model.inputs.items() if name not in driven}
    return Layout(
        tuple(q), tuple(v), tuple(model.states), tuple(inputs), tuple(model.parameters),
        tuple(outputs), tuple(q_units), tuple(v_units),
        tuple(state.unit for state in model.states.values()), tuple(output_units),
        tuple(given.unit for given in inputs.values()),
        tuple(given.default for given in inputs.values()), tuple(inputs.values()),
        tuple(model.parameters.values()), tuple(model.memories), limits_of(model),
    )  # fmt: skip


def fill(label: str, given: object, names: tuple[str, ...], default: np.ndarray) -> np.ndarray:
    """An array of one number a name: from nothing (the defaults), a dict by name, or any
    sequence."""
    if given is None:
        return default
    if isinstance(given, dict):
        filled = default.copy()
        index = {name: i for i, name in enumerate(names)}
        for name, number in given.items():
            if name not in index:
                raise InputError(str(unknown(label, name, names)))
            filled[index[name]] = read_number(f"{label} '{name}'", number)
        return filled
    array = read_array(label, given)
    if array.shape != (len(names),):
        raise InputError(
            f"{label}: {len(names)} numbers are expected ({', '.join(names[:6])}"
            f"{'…' if len(names) > 6 else ''}), got an array of shape {array.shape}."
        )
    return array
