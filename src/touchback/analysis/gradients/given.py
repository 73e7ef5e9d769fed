"""What a rollout starts from and is given, read kindly: state, inputs of each step, parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from touchback.analysis.instance import state_of
from touchback.errors import InputError
from touchback.recording import unknown_name
from touchback.simulate.protocol import Where
from touchback.system import System
from touchback.system.reading import read_array

Floats = np.ndarray
Series = Mapping[str, ArrayLike] | ArrayLike | None


@dataclass(frozen=True)
class Given:
    """The state at the start, a row of inputs for each step, and values of all parameters."""

    x0: Floats
    inputs: Floats
    parameters: Floats


def read_given(
    system: System, steps: int, names: tuple[str, ...], x0: Where, inputs: Series, values: Series
) -> Given:
    """`names` are the parameters that vary: an array of values has these in order."""
    numbers = _parameters(system, names, values)
    own = system.apart(numbers)
    if x0 is None:
        own.enter(*own.initial_modes)
    return Given(
        state_of(own, x0).x, _inputs(system, steps, inputs), system.parameter_values(numbers)
    )


def _parameters(system: System, names: tuple[str, ...], values: Series) -> dict[str, float]:
    if values is None:
        return {}
    if isinstance(values, Mapping):
        return {name: float(read_array(f"Parameter '{name}'", x)) for name, x in values.items()}
    array = read_array("parameters", values)
    if array.shape != (len(names),):
        raise InputError(
            f"{system.name}: {len(names)} parameters vary ({', '.join(names)}); give as many "
            f"values, or a mapping by name, got an array of shape {array.shape}."
        )
    return dict(zip(names, map(float, array), strict=True))


def _inputs(system: System, steps: int, given: Series) -> Floats:
    """A row for each step."""
    names = list(system.input_names)
    rows = np.empty((steps, len(names)))
    rows[:] = system.input_defaults
    if isinstance(given, Mapping):
        for name, value in given.items():
            if name not in names:
                raise unknown_name("input", name, names)
            array = read_array(f"Input '{name}'", value)
            if array.shape not in ((), (steps,)):
                raise InputError(
                    f"Input '{name}': a number, or {steps}, one for each step, are expected, got "
                    f"an array of shape {array.shape}."
                )
            rows[:, names.index(name)] = array
    elif given is not None:
        array = read_array("inputs", given)
        if array.shape != rows.shape:
            raise InputError(
                f"{system.name}: inputs are an array of shape {rows.shape}, a row for each step, "
                f"or a mapping by name, got an array of shape {array.shape}."
            )
        rows[:] = array
    for i, name in enumerate(names):
        system.layout.check_input(name, rows[:, i])
    return rows


def read_variation(label: str, given: ArrayLike | None, shape: tuple[int, ...]) -> Floats:
    """Of one of them; nothing: it doesn't vary."""
    if given is None:
        return np.zeros(shape)
    array = read_array(label, given)
    if array.shape != shape:
        raise InputError(f"{label}: an array of shape {shape} is expected, got {array.shape}.")
    return np.array(array, order="C")
