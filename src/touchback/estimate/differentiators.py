"""Velocity from equally spaced positions: the backward difference and smooth one-sided filters."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb

import numpy as np

from touchback.errors import InputError
from touchback.estimate.checks import check_period
from touchback.spatial.vectors import Scalar


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
