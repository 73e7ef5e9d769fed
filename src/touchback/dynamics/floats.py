"""A model at one instant over plain floats, for checks and pictures: no code, no compiler."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from touchback.dynamics import Instant
from touchback.dynamics.stops import initial_coordinates
from touchback.errors import InputError
from touchback.model.flatten import flatten
from touchback.model.model import Model
from touchback.names import unknown
from touchback.numbers import shown
from touchback.symbolic.scalars import Operators


def float_instant(
    model: Model,
    q: Sequence[float] | NDArray[np.float64] | None = None,
    parameters: Mapping[str, float] | None = None,
) -> Instant:
    """The instant at positions q (default: the initial ones), initial velocities and defaults. With
    an array q of shape (nq, T) it is T instants at once."""
    flat = flatten(model)
    at = initial_coordinates(flat)
    if q is not None and len(q) != len(at.q):
        raise InputError(f"Model '{model.name}': {len(at.q)} positions are expected, got {len(q)}.")
    if parameters is not None and not isinstance(parameters, Mapping):
        raise InputError(
            f"Model '{model.name}': parameters are given by name, as {{'length': 1.0}}, got "
            f"{shown(parameters)}."
        )
    for name in parameters or {}:
        if name not in flat.parameters:
            raise unknown("parameter", name, flat.parameters)
    if q is not None:
        at.q = list(q) if isinstance(q, np.ndarray) else [float(x) for x in q]
    at.parameters = {**at.parameters, **(parameters or {})}
    return Instant(flat, Operators(), at)
