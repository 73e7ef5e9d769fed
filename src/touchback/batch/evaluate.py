"""A function of a system at the states of many instances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from touchback.batch.given import room_for, states_of
from touchback.batch.gpu.on_card import lies_on_card
from touchback.errors import InputError
from touchback.system import System
from touchback.system.array_arguments import filled, read_array, read_number
from touchback.system.compiled_function import Floats, Function

Arguments = tuple[Any, Any, Any]


def arguments_of(
    system: System, function: Function, count: int, given: Arguments, t: float
) -> Arguments:
    """Rows of x, of [t, inputs…] and of the further argument, each of which may lie on a graphics
    card; of the latter two, one may serve all."""
    x, u, further = given
    layout = system.layout
    inputs = filled("u", u, layout.inputs, np.array(layout.input_defaults, dtype=float))
    time = np.broadcast_to(read_number("t", t), (*inputs.shape[:-1], 1))
    head = np.concatenate([time, inputs], axis=-1)
    if further is None and function.second.size("u") > head.shape[-1]:
        raise InputError(
            f"{function.name}: its further argument, {len(layout.v)} numbers, is needed."
        )
    return (
        _states(system, count, x),
        _rows("u", head, count, head.shape[-1]),
        np.zeros(0) if further is None else _rows("further", further, count, len(layout.v)),
    )


def _states(system: System, count: int, given: Any) -> Any:
    """A row for each instance, on the card where it lies there."""
    size = len(system.state_names)
    if lies_on_card(given):
        return _rows("x", given, count, size, single=False)
    if isinstance(given, Mapping):
        given = states_of(system, count, given, {})
        given = given[0] if len(given) == 1 else given
    found = _rows("x", getattr(given, "x", given), count, size)
    if found.ndim == 2:
        return found
    every = room_for(system, count)
    every[:] = found
    return every


def _rows(name: str, given: Any, count: int, size: int, single: bool = True) -> Any:
    """An array with a row for each instance, or with one for all where that may be."""
    array = given if lies_on_card(given) else read_array(name, given)
    if tuple(array.shape) not in [(count, size), *([(size,)] if single else [])]:
        raise InputError(
            f"{name}: an array of shape {(count, size)} is expected, a row for each instance, got "
            f"{tuple(array.shape)}."
        )
    return array


def evaluated(function: Function, block: Floats, given: Arguments) -> Floats:
    """By the processor."""
    if any(lies_on_card(each) for each in given):
        raise InputError("An argument lies on a graphics card: give on='gpu'.")
    parts, at = [], 0
    for each in given:
        parts.append((np.ascontiguousarray(each), at))
        at += each.shape[-1]
    x = given[0]
    result = np.empty((len(x), function.out_size))
    function.rows((x.shape[1], at - x.shape[1]), parts, block, result)
    return result.reshape(len(x), *function.shape)
