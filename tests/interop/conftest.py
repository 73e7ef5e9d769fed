"""What the tests of imports share: dynamics of the compiled model, and where references lie."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

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


@pytest.fixture(scope="session")
def reference_folder() -> Path:
    folder = Path(__file__).parents[3] / "shared" / "reference"
    if not folder.is_dir():
        pytest.skip("the folder ../shared/reference with published data is not here")
    return folder
