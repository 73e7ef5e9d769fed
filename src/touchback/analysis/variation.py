"""A state in motion together with its variations, at one instant."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from touchback.analysis.instance import Instance
from touchback.system.equations import Blocks, Point


@dataclass(frozen=True)
class Variation:
    """A point in motion with the variations S of [δ, v, z], a column for each direction, and of
    [a, λ], the `answers`; parameters vary `along` these columns."""

    at: Point
    S: np.ndarray
    answers: np.ndarray
    slopes: Blocks
    by_parameters: Blocks
    along: np.ndarray

    def of(self, row: str) -> np.ndarray:
        """Variation of a block of the equations at fixed a and λ."""
        by_state = [self.slopes[row, column] for column in ("position", "velocity", "state")]
        return np.hstack(by_state) @ self.S + self.by_parameters[row, "parameter"] @ self.along

    def outputs(self) -> np.ndarray:
        """Variation of what the sensors show."""
        slopes = self.slopes
        through = np.hstack([slopes["output", "acceleration"], slopes["output", "multiplier"]])
        return self.of("output") + through @ self.answers


def varied(
    instance: Instance, at: Point, S: np.ndarray, along: np.ndarray, alpha: float
) -> Variation:
    """The variation of a state that moves as the equations demand, held on the constraints by
    2 α (J v − b) + α² h."""
    values = instance.values(at)
    at = instance.in_motion(at, 2.0 * alpha * values["rate"] + alpha**2 * values["position"])
    slopes, by_p = instance.slopes(at), instance.parameter_slopes(at)
    still = Variation(at, S, np.zeros(0), slopes, by_p, along)
    pulls = 2.0 * alpha * still.of("rate") + alpha**2 * still.of("position")
    rest = np.vstack([still.of("effort"), still.of("acceleration") + pulls])
    return replace(still, answers=-instance.solve(slopes, rest))
