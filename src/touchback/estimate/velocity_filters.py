"""Filters: what every one of them says of itself, the two ways to use one, and those that give a
velocity from positions: backward differences, smooth one-sided filters, and a window that is long
when moving slowly."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from touchback import Expr, Model, maximum, minimum, select
from touchback.errors import InputError
from touchback.model import Value
from touchback.numbers import Scalar, check_fields, check_period


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


def add_filter(model: Model, name: str, filter: Filter, signal: Value, rest: float = 0.0) -> Expr:
    """Put a filter into a model: it takes `signal` at each tick and starts at rest at `rest`.
    Returns the estimate, which is constant from tick to tick."""
    start = filter.at_rest(rest)
    estimate = filter_this_tick(model, name, filter, signal, rest)
    return model.memory(name, float(filter.step(start, rest)[1]), update=estimate)


def filter_this_tick(
    model: Model, name: str, filter: Filter, signal: Value, rest: float = 0.0
) -> Value:
    """The same for the update of another memory: the estimate of the tick at hand, which
    `add_filter` shows from then on. The filter's memory is in the model as the states "name.0",
    "name.1", …"""
    return filter_block(model, name, filter, [signal], rest)


def filter_block(
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


@dataclass(frozen=True)
class BackwardDifference:
    """(y_k − y_{k−1})/T: the velocity half a period ago. An encoder's step of Δ makes it jump by
    Δ/T."""

    period: float

    def __post_init__(self) -> None:
        check_period("BackwardDifference", self.period)

    @property
    def delay(self) -> float:
        """How old the estimate is [s]."""
        return self.period / 2.0

    def at_rest(self, sample: float) -> tuple[float, ...]:
        return (sample,)

    def step(self, memory: Sequence[Scalar], sample: Scalar) -> tuple[Sequence[Scalar], Scalar]:
        (before,) = memory
        return (sample,), (sample - before) * (1.0 / self.period)


@dataclass(frozen=True)
class SmoothDifferentiator:
    """The one-sided smooth filter (1 − x)(1 + x)^(N−1) / (2^(N−1) T), x a delay by one sample.
    N = 1 is the backward difference; each more adds a zero at half the sampling rate. Exact for
    straight lines and parabolas up to its delay of N/2 samples.

    Gallo 2012, table 4.3 (his 4.17–4.18 print the coefficients of the centred filter)."""

    period: float
    length: int = 4

    def __post_init__(self) -> None:
        check_period("SmoothDifferentiator", self.period)
        if not (isinstance(self.length, int) and 1 <= self.length <= 64):
            raise InputError(
                f"SmoothDifferentiator: its length is {self.length!r}; give a whole number from 1 "
                "(the backward difference) to 64."
            )

    @property
    def delay(self) -> float:
        """How old the estimate is [s]: N/2 samples at every frequency, for the filter is
        antisymmetric."""
        return self.length * self.period / 2.0

    @cached_property
    def coefficients(self) -> tuple[float, ...]:
        """Of the newest sample first, in 1/s."""
        binomial = [comb(self.length - 1, k) for k in range(self.length)]
        product = np.convolve([1.0, -1.0], binomial)
        return tuple(float(c) / (2.0 ** (self.length - 1) * self.period) for c in product)

    def at_rest(self, sample: float) -> tuple[float, ...]:
        return (sample,) * self.length

    def step(self, memory: Sequence[Scalar], sample: Scalar) -> tuple[Sequence[Scalar], Scalar]:
        window = (sample, *memory)
        estimate = sum(c * y for c, y in zip(self.coefficients, window, strict=True) if c)
        return window[:-1], estimate


@dataclass(frozen=True)
class AdaptiveWindow:
    """First-order adaptive windowing, end-fit: the slope of the longest line from the newest sample
    back to an older one that passes all samples in between within `noise` (half the step of an
    encoder, or the peak of the noise), over at most `longest` periods.

    Janabi-Sharifi, Hayward & Chen, IEEE Trans. Control Systems Technology 8(6), 2000."""

    period: float
    noise: float
    longest: int = 16

    def __post_init__(self) -> None:
        check_fields(self)
        check_period("AdaptiveWindow", self.period)
        if not self.noise >= 0.0:
            raise InputError(f"AdaptiveWindow: its noise is {self.noise}; it can't be negative.")
        if not (isinstance(self.longest, int) and 1 <= self.longest <= 64):
            raise InputError(
                f"AdaptiveWindow: its longest window is {self.longest!r} samples; give a whole "
                "number from 1 to 64."
            )

    def at_rest(self, sample: float) -> tuple[float, ...]:
        return (sample,) * self.longest

    def step(self, memory: Sequence[Scalar], sample: Scalar) -> tuple[Sequence[Scalar], Scalar]:
        window = (sample, *memory)
        estimate = (window[0] - window[1]) * (1.0 / self.period)
        margin: Value = 1.0  # how far inside the noise every line so far has stayed
        for n in range(2, self.longest + 1):
            rise = (window[0] - window[n]) * (1.0 / n)
            for i in range(1, n):
                off = window[0] - rise * float(i) - window[i]
                margin = minimum(margin, self.noise - maximum(off, -off))
            estimate = select(margin >= 0.0, rise * (1.0 / self.period), estimate)
        return window[:-1], estimate
