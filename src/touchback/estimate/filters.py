"""What every filter says of itself, and the two ways to use one."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from touchback.errors import InputError
from touchback.model import Model
from touchback.model.value import Value
from touchback.spatial.vectors import Scalar
from touchback.symbolic.expression import Expr


class Filter(Protocol):
    """A causal filter with one input and one output. Samples are floats, arrays of floats or
    expressions: the lines of `step` are the same."""

    def at_rest(self, sample: float) -> tuple[float, ...]:
        """The memory after the input has been `sample` for ever."""

    def step(self, memory: Sequence[Scalar], sample: Scalar) -> tuple[Sequence[Scalar], Scalar]:
        """The memory after a sample, and the estimate at it."""


def run(filter: Filter, samples: ArrayLike) -> np.ndarray:
    """The estimates at all samples (along the first axis); the filter starts at rest at the first
    one."""
    series = np.asarray(samples, dtype=float)
    if series.ndim == 0:
        raise InputError(f"run: a series of samples is expected, got {samples!r}.")
    estimates = np.empty_like(series)
    memory: Sequence[Scalar] = filter.at_rest(series[0]) if len(series) else ()
    for i, sample in enumerate(series):
        memory, estimates[i] = filter.step(memory, sample)
    return estimates


def sampled(model: Model, name: str, filter: Filter, signal: Value, rest: float = 0.0) -> Expr:
    """Put a filter into a model: it takes `signal` at each tick and starts at rest at `rest`.
    Returns the estimate, which is constant from tick to tick."""
    start = filter.at_rest(rest)
    estimate = fresh(model, name, filter, signal, rest)
    return model.memory(name, float(filter.step(start, rest)[1]), update=estimate)


def fresh(model: Model, name: str, filter: Filter, signal: Value, rest: float = 0.0) -> Value:
    """The same for the update of another memory: the estimate of the tick at hand, which `sampled`
    shows from then on. The filter's memory is in the model as the states "name.0", "name.1", …"""
    return newest(model, name, filter, [signal], rest)


def newest(
    model: Model, name: str, filter: Filter, signals: Sequence[Value], rest: float = 0.0
) -> Value:
    """The same where several samples come at each tick, oldest first: the estimate at the last."""
    start = filter.at_rest(rest)
    after: Sequence[Scalar] = [
        model.memory(f"{name}.{i}", float(value)) for i, value in enumerate(start)
    ]
    estimate: Value = rest
    for signal in signals:
        after, estimate = filter.step(after, signal)
    for i, value in enumerate(after):
        model.set_update(f"{name}.{i}", value)
    return estimate
