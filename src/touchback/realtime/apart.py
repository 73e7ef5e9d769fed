"""Loops whose ends are apart: closing one at a tick would be a jump, which nothing real makes."""

from __future__ import annotations

import numpy as np

from touchback.dynamics.floats import float_instant
from touchback.dynamics.size import size_of
from touchback.errors import InputError
from touchback.model import Model
from touchback.model.closures import Closure
from touchback.model.equations import Along, Apart, Meet
from touchback.model.mode_groups import governed
from touchback.system import System

_OPEN = 1e-2  # of the mechanism's size: points this far apart don't meet
_USUAL = 0.5  # m: the size of what has no lengths


def refuse_apart(
    system: System, model: Model, q: np.ndarray, t: float, z: np.ndarray,
    parameters: dict[str, float],
) -> None:  # fmt: skip
    """Refuses loops of a model that would act anew while their ends are apart, where its bodies are
    in a system now; those that modes switch act as the present one says."""
    old, switched = system.model.closures, governed(model)
    fresh = {
        name: loop
        for name, loop in model.closures.items()
        if loop.active and name not in switched and not (name in old and old[name].active)
    }
    if not fresh:
        return
    varied = None if parameters == system.parameters else parameters
    instant = float_instant(system.model, q, parameters)
    limit = _OPEN * (size_of(instant) or _USUAL)

    def gap(loop: Closure) -> float:
        """How far [m] its equations of lengths are from being met."""
        (R_Wa, p_Wa), (_, p_Wb) = (
            system.pose(frame, q, t=t, z=z, parameters=varied) for frame in (loop.a, loop.b)
        )
        way, off = p_Wb - p_Wa, [0.0]
        for equation in loop.kind.equations():
            if isinstance(equation, Meet):
                off.append(float(way[equation.axis]))
            elif isinstance(equation, Along):
                off.append(float(np.asarray(equation.direction) @ (R_Wa.T @ way)))
            elif isinstance(equation, Apart):
                off.append(float(np.linalg.norm(way)) - float(instant.value(equation.length)))
        return float(np.linalg.norm(off))

    for name, loop in fresh.items():
        apart = gap(loop)
        if apart > limit:
            raise InputError(
                f"Loop '{name}': its two points are {apart:.3g} m from where they meet, and "
                f"{limit:.2g} m are bridged at a tick; bring them together first, or close it as "
                "it is now."
            )
