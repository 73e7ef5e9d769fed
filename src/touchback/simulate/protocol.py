"""Words of runs: arrays, and states."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class StateData(Protocol):
    """A state with all its elements x = [q, v, z]."""

    @property
    def x(self) -> Floats: ...
