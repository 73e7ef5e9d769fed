"""What each instance of a batch starts from and is given, read kindly."""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.model import ForceKind
from touchback.names import unknown_name
from touchback.numbers import by_name, read_array
from touchback.simulate import Span, read_state
from touchback.system import State, System, filled, with_found_states

Floats = np.ndarray


@dataclass(frozen=True)
class BatchInputs:
    """Of each instance: the state (a row each; None: the model's own), parameters that differ,
    constant inputs, and inputs as samples. Arrays have a row for each instance or one for all."""

    count: int
    x0: Floats | None
    parameters: dict[str, Floats]
    constants: dict[str, Floats]  # (1,) or (count,)
    samples: dict[str, Floats]  # (1, samples) or (count, samples)

    def of(self, i: int, span: Span) -> tuple[Floats | None, dict[str, float], dict[str, Any]]:
        """State, parameters and inputs of an instance, as `tb.simulate` takes them."""
        parameters = {name: float(_row(each, i)) for name, each in self.parameters.items()}
        inputs: dict[str, Any] = {n: float(_row(each, i)) for n, each in self.constants.items()}
        for name, each in self.samples.items():
            inputs[name] = np.linspace(span.start, span.end, each.shape[1]), _row(each, i)
        return (None if self.x0 is None else _row(self.x0, i)), parameters, inputs


def _row(array: Floats, i: int) -> Any:
    return array[i if len(array) > 1 else 0]


def room_for(system: System, count: int) -> Floats:
    """An array for a state of each instance; refused where memory doesn't hold so many."""
    try:
        return np.empty((count, len(system.state_names)))
    except (MemoryError, ValueError):  # of a size that no machine has
        raise InputError(
            f"{system.name}: memory has no room for the states of {count} instances; run fewer at "
            "a time."
        ) from None


def read_batch_inputs(
    system: System,
    count: int,
    x0: Any,
    inputs: Mapping[str, ArrayLike] | None,
    parameters: Mapping[str, ArrayLike] | None,
) -> BatchInputs:
    """Sorts what a user gave; refused where it is of another number of instances."""
    differing: dict[str, Floats] = {}
    for name, each in by_name("parameters", parameters).items():
        differing[name] = _one_of_each(f"Parameter '{name}'", each, count)
    system.layout.varied(system.parameter_values(None), _flat(differing))  # refused by range
    constants, samples = _inputs(system, count, inputs)
    return BatchInputs(
        count, states_of(system, count, x0, differing), differing, constants, samples
    )


def _flat(given: Mapping[str, Floats]) -> dict[str, Floats | float]:
    return {name: each if len(each) > 1 else float(each[0]) for name, each in given.items()}


def _one_of_each(label: str, given: ArrayLike, count: int) -> Floats:
    """(1,) or (count,)."""
    array = read_array(label, given)
    if array.ndim > 1 or array.size not in (1, count) or (array.ndim and len(array) != count):
        raise InputError(
            f"{label}: a number, or {count} of them, one for each instance, are expected, got an "
            f"array of shape {array.shape}."
        )
    flat = array.reshape(-1)
    bad = np.flatnonzero(~np.isfinite(flat))
    if len(bad):
        whose = f" of instance {bad[0]}" if len(flat) > 1 else ""
        raise InputError(f"{label}{whose}: finite numbers are expected, got {flat[bad[0]]}.")
    return flat


def _inputs(
    system: System, count: int, inputs: Mapping[str, ArrayLike] | None
) -> tuple[dict[str, Floats], dict[str, Floats]]:
    constants: dict[str, Floats] = {}
    samples: dict[str, Floats] = {}
    for name, each in by_name("inputs", inputs).items():
        if name not in system.input_names:
            raise unknown_name("input", name, system.input_names)
        if callable(each):
            raise InputError(
                f"Input '{name}': a batch takes numbers or samples, no function of time; give its "
                "values at equal times, as an array of shape (1, samples)."
            )
        label, array = f"Input '{name}'", read_array(f"Input '{name}'", each)
        if array.ndim < 2:
            constants[name] = _one_of_each(label, each, count)
        elif array.ndim > 2 or len(array) not in (1, count) or array.shape[1] < 2:
            raise InputError(
                f"{label}: samples have the shape (1, samples) or ({count}, samples), with two at "
                f"least, got {array.shape}."
            )
        elif not np.isfinite(array).all():
            raise InputError(f"{label}: samples must be finite numbers.")
        else:
            samples[name] = array
        system.layout.check_input(name, array)
    return constants, samples


def states_of(
    system: System, count: int, x0: Any, parameters: Mapping[str, Floats]
) -> Floats | None:
    """A row for all or of each; None where each is to begin as the model does."""
    first = system.initial_state()
    if x0 is None:
        return None if system.constrained else _found(system, first.x[None, :], parameters)
    named = isinstance(x0, Mapping)
    if named and system.constrained:
        raise InputError(
            f"{system.name}: its constraints need whole states; give an array with a row of "
            "each, such as [system.assemble(…).x, …]."
        )
    given = read_state(system, x0) if isinstance(x0, State) else getattr(x0, "x", x0)
    states = filled("state", given, tuple(system.state_names), first.x)
    rows = np.array(np.atleast_2d(states), dtype=float)
    if rows.ndim > 2 or len(rows) not in (1, count):
        for name, each in x0.items() if named else ():
            _one_of_each(f"State '{name}'", each, count)  # which of them it is
        raise InputError(
            f"{system.name}: {count} states, or one for all, are expected, got an array of shape "
            f"{states.shape}."
        )
    bad = np.argwhere(~np.isfinite(rows))
    if len(bad):
        i, k = bad[0]
        raise InputError(
            f"{system.name}: the initial value of {system.state_names[k]!r} of instance {i} is "
            f"{rows[i, k]}."
        )
    if not named:
        return rows
    kept = {k for k, name in enumerate(system.state_names) if name in x0}
    return _found(system, rows, parameters, kept)


def _found(
    system: System, rows: Floats, parameters: Mapping[str, Floats], kept: Set[int] = frozenset()
) -> Floats:
    """With what forces track found where the bodies are, of each instance."""
    model, (nq, nv, _) = system.model, system.sizes
    if not any(_tracks(force) for force in model.forces.values()):
        return rows
    differing = [each for each in parameters.values() if len(each) > 1]
    count = max([len(rows), *map(len, differing)])
    rows = np.broadcast_to(rows, (count, rows.shape[1])).copy()
    for i, row in enumerate(rows):
        own = {**system.parameters, **{name: float(_row(p, i)) for name, p in parameters.items()}}
        found = with_found_states(model, row[:nq], row[nq + nv :], own)
        for k in range(nq + nv, len(row)):
            if k not in kept:
                row[k] = found[k - nq - nv]
    return rows


def _tracks(force: ForceKind) -> bool:
    return type(force).begin is not ForceKind.begin
