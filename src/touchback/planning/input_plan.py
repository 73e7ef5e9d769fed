"""What a planner plans: inputs over a while ahead, linear between knots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from touchback.names import unknown_name


@dataclass(frozen=True, eq=False)
class Plan:
    """Inputs `names` at `times` [s], (knots, inputs), and what running along them costs."""

    names: tuple[str, ...]
    times: np.ndarray
    values: np.ndarray = field(repr=False)
    cost: float

    def at(self, time: float) -> dict[str, float]:
        """The inputs at a time: linear between knots, beyond them as at the nearest."""
        return {
            name: float(np.interp(time, self.times, self.values[:, i]))
            for i, name in enumerate(self.names)
        }

    def over(self, times: np.ndarray) -> np.ndarray:
        """The inputs at some times, a row each."""
        columns = [np.interp(times, self.times, column) for column in self.values.T]
        return np.stack(columns, axis=1)


class Rollouts:
    """What a cost looks at: `rollouts["name"]` is a state, a sensor or a planned input of every
    instance at every `time`, (instances, times)."""

    def __init__(
        self, time: np.ndarray, signals: Mapping[str, np.ndarray], inputs: Mapping[str, np.ndarray]
    ) -> None:
        self.time, self._signals, self._inputs = time, signals, inputs

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self._inputs:
            return self._inputs[name]
        if name not in self._signals:
            raise unknown_name("signal", name, [*self._signals, *self._inputs])
        return self._signals[name]
