"""Branches: closures that tie directions can also be met the wrong way round."""

from collections.abc import Mapping

import numpy as np

from touchback.dynamics.floats import float_instant
from touchback.errors import SolveError
from touchback.model.closures import Closure
from touchback.model.frame import AXES
from touchback.model.joints import Cylindrical, Fixed, Planar, Prismatic, Revolute
from touchback.model.joints.base import axis_vector
from touchback.model.model import Model


def check_branches(model: Model, q: np.ndarray, parameters: Mapping[str, float]) -> None:
    """Refuse closures whose axes are opposite where they should be parallel."""
    tied = {
        name: axes
        for name, closure in model.closures.items()
        if closure.active and (axes := _parallel_axes(closure))
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


def _parallel_axes(closure: Closure) -> list[np.ndarray]:
    """The axes that the two frames share in the branch that is meant."""
    kind = closure.kind
    if isinstance(kind, Fixed | Prismatic):
        return list(np.eye(3))
    if isinstance(kind, Revolute | Cylindrical):
        return [axis_vector(kind.axis)]
    return [np.eye(3)[AXES[kind.normal]]] if isinstance(kind, Planar) else []
