"""Initial values of states that follow from where the bodies are: forces that track something."""

from collections.abc import Mapping

import numpy as np

from touchback.dynamics.floats import float_instant
from touchback.errors import SolveError
from touchback.model.forces import ForceKind
from touchback.model.model import Model


def begun(
    model: Model, q: np.ndarray, z: np.ndarray, parameters: Mapping[str, float]
) -> np.ndarray:
    """The extra states z with those that forces find at the positions q."""
    z, order = z.copy(), list(model.states)
    for state, number in found_states(model, q, parameters).items():
        z[order.index(state)] = number
    return z


def found_states(model: Model, q: np.ndarray, parameters: Mapping[str, float]) -> dict[str, float]:
    """The states that forces find at the positions q, by name."""
    finding = {
        name: force
        for name, force in model.forces.items()
        if type(force).begin is not ForceKind.begin
    }
    if not finding:
        return {}
    instant = float_instant(model, q.tolist(), parameters)
    states: dict[str, float] = {}
    for name, force in finding.items():
        try:
            found = force.begin(instant)
        except SolveError as error:
            raise SolveError(f"Force '{name}': {error}") from None
        states |= {f"{name}.{state}": number for state, number in found.items()}
    return states
