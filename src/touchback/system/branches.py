"""Branches: closures that tie directions can also be met the wrong way round."""

from collections.abc import Mapping

import numpy as np

from touchback.dynamics.floats import float_instant
from touchback.errors import SolveError
from touchback.model.model import Model


def check_branches(model: Model, q: np.ndarray, parameters: Mapping[str, float]) -> None:
    """Refuse closures whose axes are opposite where they should be parallel."""
    tied = {
        name: axes
        for name, closure in model.closures.items()
        if closure.active and (axes := closure.kind.shared_axes())
    }
    if not tied:
        return
    instant = float_instant(model, list(q), parameters)
    for name, axes in tied.items():
        a, b = model.closures[name].a, model.closures[name].b
        R_A, R_B = (np.array(instant.rotation(end), dtype=float) for end in (a, b))
        for axis in axes:
            if (R_A @ axis) @ (R_B @ axis) < 0.0:
                raise SolveError(
                    f"Closure '{name}': it is met the wrong way round, with the axes of its frames "
                    "opposite. Give a guess nearer to the branch that you want (`guess=`, or the "
                    f"initial positions of joints), or turn a frame of '{b.body}' by half a turn."
                )
