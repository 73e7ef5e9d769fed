"""What users give to functions of a system, read kindly: numbers, dicts by name, arrays of states,
and arrays to write to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from touchback.errors import InputError
from touchback.names import unknown
from touchback.native import as_floats
from touchback.numbers import Floats, read_array, shown


class Misfit(InputError):
    """Arrays that don't go together; who was called says its name in front."""


def filled(label: str, given: Any, names: tuple[str, ...], default: Floats) -> Floats:
    """Numbers by name, (…, names): from nothing (the defaults), a dict by name whose values may be
    arrays, or any array with these numbers in its last dimension."""
    if given is None:
        return default
    if isinstance(given, Mapping):
        numbers = {name: read_array(f"{label} '{name}'", number) for name, number in given.items()}
        for name in numbers:
            if name not in names:
                raise InputError(str(unknown(label, name, names)))
        lead = leading([number[..., None] for number in numbers.values()])
        array = np.broadcast_to(default, (*lead, len(names))).copy()
        for name, number in numbers.items():
            array[..., names.index(name)] = number
        return array
    array = read_array(label, given)
    if array.ndim == 0 or array.shape[-1] != len(names):
        raise InputError(
            f"{label}: {len(names)} numbers are expected ({', '.join(names[:6])}"
            f"{'…' if len(names) > 6 else ''}), got an array of shape {array.shape}."
        )
    return array


def read_times(t: Any) -> Floats:
    return read_array("t", t)[..., None]


def leading(given: Sequence[Floats]) -> tuple[int, ...]:
    shapes = [array.shape[:-1] for array in given]
    different = set(shapes) - {()}
    if len(different) < 2:
        return different.pop() if different else ()
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        known = ", ".join(str(shape) for shape in dict.fromkeys(shapes) if shape)
        raise Misfit(
            f"arrays of states with leading dimensions {known} don't go together; they must be "
            "equal or one, as NumPy broadcasts."
        ) from None


def as_rows(array: Floats, lead: tuple[int, ...], out: Floats | None) -> Floats:
    """One row for all, or a row for each, apart from what is written."""
    if math.prod(array.shape[:-1]) == 1:
        array = array.reshape(array.shape[-1])
    elif array.shape[:-1] != lead:
        array = np.broadcast_to(array, (*lead, array.shape[-1]))
    whole = as_floats(array)
    if out is not None and np.may_share_memory(whole, out):
        whole = whole.copy()
    return whole if array.ndim == 1 else whole.reshape(math.prod(lead), array.shape[-1])


def checked_out(out: Any, shape: tuple[int, ...]) -> Floats:
    """An array that a result can be written to."""
    if not isinstance(out, np.ndarray) or out.dtype != np.float64 or out.shape != shape:
        kind = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else shown(out)
        raise Misfit(f"out must be a float64 array of shape {shape}, got {kind}.")
    if isinstance(out, np.ma.MaskedArray):
        raise Misfit("out must be a plain array, got a masked one; give its `.data`.")
    if not out.flags.carray:
        raise Misfit("out must be contiguous, aligned, in native byte order and writeable.")
    return out


def write_result(result: Floats, out: Any) -> Floats:
    """A result of its own, or in the array that was given for it."""
    if result is out or (out is None and result.base is None):
        return result
    if out is None:
        return result.copy()
    checked_out(out, result.shape)[...] = result
    return out


def components(result: Floats) -> list[Any]:
    """The components in the last dimension: numbers, or views over the states."""
    if result.ndim == 1:
        return [float(number) for number in result]
    return [result[..., i] for i in range(result.shape[-1])]
