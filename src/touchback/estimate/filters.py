"""What every filter says of itself, and how it runs over samples."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from touchback.errors import InputError


class Filter(Protocol):
    """A causal filter with one input and one output. Samples are floats, arrays of floats or
    expressions: the lines of `step` are the same."""

    def at_rest(self, sample: float) -> tuple[float, ...]:
        """The memory after the input has been `sample` for ever."""

    def step(self, memory: Sequence[Any], sample: Any) -> tuple[Sequence[Any], Any]:
        """The memory after a sample, and the estimate at it."""


def run(filter: Filter, samples: Any) -> np.ndarray:
    """The estimates at all samples (along the first axis); the filter starts at rest at the first
    one."""
    series = np.asarray(samples, dtype=float)
    estimates = np.empty_like(series)
    memory: Sequence[Any] = filter.at_rest(series[0]) if len(series) else ()
    for i, sample in enumerate(series):
        memory, estimates[i] = filter.step(memory, sample)
    return estimates


def check_period(what: str, period: float) -> None:
    """Refuse a sampling period that is no time."""
    if not (np.isfinite(period) and period > 0.0):
        raise InputError(f"{what}: its period is {period} s; give the time between two samples.")
