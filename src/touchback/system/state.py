"""A state of a system."""

from dataclasses import dataclass

import numpy as np


@dataclass
class State:
    """Positions q, velocities v and extra states z."""

    q: np.ndarray
    v: np.ndarray
    z: np.ndarray

    @property
    def x(self) -> np.ndarray:
        """[q, v, z]."""
        return np.concatenate([self.q, self.v, self.z])
