"""What the tests of imports share: dynamics over plain numbers, and where references lie."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from touchback.dynamics import Coordinates, Instant
from touchback.dynamics.forward import entries, inverse
from touchback.model import Model
from touchback.symbolic.scalars import Operators


@dataclass
class Dynamics:
    """τ = M a + c."""

    tau: np.ndarray
    M: np.ndarray
    c: np.ndarray


def dynamics_over_numbers(
    model: Model, q: Sequence[float], v: Sequence[float], a: Sequence[float]
) -> Dynamics:
    def instant() -> Instant:
        at = Coordinates(list(map(float, q)), list(map(float, v)), {}, {}, 0.0, {})
        return Instant(model, Operators(), at)

    M = np.zeros((len(v), len(v)))
    for (i, j), entry in entries(instant()).items():
        M[i, j] = entry
    tau = np.array(inverse(instant(), list(map(float, a))), dtype=float)
    return Dynamics(tau, M, np.array(inverse(instant(), None), dtype=float))


@pytest.fixture(scope="session")
def dynamics() -> Callable[..., Dynamics]:
    return dynamics_over_numbers


@pytest.fixture(scope="session")
def reference_folder() -> Path:
    folder = Path(__file__).parents[3] / "shared" / "reference"
    if not folder.is_dir():
        pytest.skip("the folder ../shared/reference with published data is not here")
    return folder
