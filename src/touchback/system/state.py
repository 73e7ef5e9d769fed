"""A state of a system."""

from dataclasses import dataclass, field

import numpy as np


@dataclass
class State:
    """Positions q, velocities v and extra states z. `names` are those of its elements, where they
    are known: a system takes a state with its own names only."""

    q: np.ndarray
    v: np.ndarray
    z: np.ndarray
    names: tuple[str, ...] = field(default=(), repr=False, compare=False)

    @property
    def x(self) -> np.ndarray:
        """[q, v, z]."""
        return np.concatenate([self.q, self.v, self.z])
