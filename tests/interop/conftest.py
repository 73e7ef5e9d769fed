"""What the tests of imports share: dynamics of the compiled model."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pytest

from touchback.model import Model


@dataclass
class Dynamics:
    """τ = M a + c."""

    tau: np.ndarray
    M: np.ndarray
    c: np.ndarray


def compiled_dynamics(
    model: Model, q: Sequence[float], v: Sequence[float], a: Sequence[float]
) -> Dynamics:
    system = model.compile()
    return Dynamics(system.inverse_dynamics(q, v, a), system.mass_matrix(q), system.bias(q, v))


@pytest.fixture(scope="session")
def dynamics() -> Callable[..., Dynamics]:
    return compiled_dynamics
