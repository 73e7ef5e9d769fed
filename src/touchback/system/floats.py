"""A model at one instant over plain floats, for checks and pictures: no code, no compiler."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from touchback.dynamics import Coordinates, Instant
from touchback.errors import InputError
from touchback.model.model import Model
from touchback.model.names import unknown
from touchback.model.part import flatten
from touchback.symbolic.scalars import Operators


def float_instant(
    model: Model,
    q: Sequence[float] | NDArray[np.float64] | None = None,
    parameters: Mapping[str, float] | None = None,
) -> Instant:
    """The instant at positions q (default: the initial ones), initial velocities and defaults. With
    an array q of shape (nq, T) it is T instants at once."""
    flat = flatten(model)
    initial = [x for joint in flat.joints.values() for x in joint.initial_position()]
    if q is not None and len(q) != len(initial):
        raise InputError(
            f"Model '{model.name}': {len(initial)} positions are expected, got {len(q)}."
        )
    for name in parameters or {}:
        if name not in flat.parameters:
            raise unknown("parameter", name, flat.parameters)
    given = list(q) if isinstance(q, np.ndarray) else [float(x) for x in q or ()]
    defaults = {name: item.default for name, item in flat.parameters.items()}
    return Instant(
        flat,
        Operators(),
        Coordinates(
            q=initial if q is None else given,
            v=[x for joint in flat.joints.values() for x in joint.initial_velocity()],
            z={name: item.initial for name, item in flat.states.items()},
            u={name: item.default for name, item in flat.inputs.items()},
            time=0.0,
            parameters={**defaults, **(parameters or {})},
        ),
    )
