"""A model at one instant over plain floats, for checks and pictures: no code, no compiler. How
large a mechanism is, for tolerances that go with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from touchback.dynamics.joint_stops import initial_coordinates
from touchback.dynamics.mechanism_instant import Instant
from touchback.errors import InputError
from touchback.model import Model, Value, flatten
from touchback.names import unknown
from touchback.numbers import shown
from touchback.symbolic import Operators


def size_of(instant: Instant) -> float:
    """The farthest [m] that two points of one body are apart at which others hold it, or its centre
    of mass; over floats. 0 where a mechanism has no lengths."""
    model = instant.model
    points: dict[str, list[tuple[Value, ...]]] = {
        name: [body.com] for name, body in model.bodies.items()
    }
    joints, loops = model.joints.values(), model.closures.values()
    ends = [(each.parent, each.child) for each in joints] + [(each.a, each.b) for each in loops]
    for frame in (frame for pair in ends for frame in pair):
        points.setdefault(frame.body, []).append(frame.at)
    spans = [
        np.ptp([[float(instant.value(x)) for x in point] for point in own], axis=0)
        for own in points.values()
    ]
    return max((float(np.linalg.norm(span)) for span in spans), default=0.0)


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
