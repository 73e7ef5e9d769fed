"""How a parameter of a sweep is spread: each is its quantile function, from [0, 1] to values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from touchback.errors import InputError
from touchback.numbers import MOST, is_real, keep, number_within, positive_number, shown

_INSIDE = 2.0**-53  # of 0 and 1, where a normal distribution ends


class Distribution(Protocol):
    """What a design asks of an axis."""

    def at(self, share: np.ndarray) -> np.ndarray:
        """The values below which so much of the distribution lies."""
        ...


@dataclass(frozen=True)
class Uniform:
    """Any value from `low` to `high` is as likely."""

    low: float
    high: float

    def __post_init__(self) -> None:
        low = number_within("Uniform: low must be a finite number", self.low, -MOST, MOST)
        high = number_within("Uniform: high must be a finite number", self.high, -MOST, MOST)
        _rising("Uniform", low, high)
        keep(self, low=low, high=high)

    def at(self, share: np.ndarray) -> np.ndarray:
        """low + u (high − low), written so that neither end is passed by rounding."""
        return self.low * (1.0 - share) + self.high * share


@dataclass(frozen=True)
class LogUniform:
    """Any value of the logarithm from that of `low` to that of `high` is as likely: for what may be
    of several orders of magnitude."""

    low: float
    high: float

    def __post_init__(self) -> None:
        low = positive_number("LogUniform: low", self.low)
        high = positive_number("LogUniform: high", self.high)
        _rising("LogUniform", low, high)
        keep(self, low=low, high=high)

    def at(self, share: np.ndarray) -> np.ndarray:
        """low (high/low)^u."""
        between = np.exp(math.log(self.low) * (1.0 - share) + math.log(self.high) * share)
        return np.clip(between, self.low, self.high)


@dataclass(frozen=True)
class Normal:
    """Of a mean and a standard deviation."""

    mean: float
    deviation: float

    def __post_init__(self) -> None:
        mean = number_within("Normal: mean must be a finite number", self.mean, -MOST, MOST)
        keep(self, mean=mean, deviation=positive_number("Normal: deviation", self.deviation))

    def at(self, share: np.ndarray) -> np.ndarray:
        """mean + deviation Φ⁻¹(u)."""
        from scipy.special import ndtri  # slow to import

        return self.mean + self.deviation * ndtri(np.clip(share, _INSIDE, 1.0 - _INSIDE))


def _rising(kind: str, low: float, high: float) -> None:
    if not (low < high and high - low <= MOST):
        raise InputError(f"{kind}: low must be below high, got {low!r} and {high!r}.")


def as_distribution(name: str, given: object) -> Distribution:
    """A distribution, or a pair (low, high) for a uniform one."""
    if isinstance(given, Uniform | LogUniform | Normal):
        return given
    if isinstance(given, tuple | list) and len(given) == 2 and all(map(is_real, given)):
        try:
            return Uniform(*given)
        except InputError as error:
            raise InputError(f"Axis {name!r}: {error}") from None
    raise InputError(
        f"Axis {name!r}: give a pair (low, high), or Uniform, LogUniform or Normal of tb.sweeps, "
        f"got {shown(given)}."
    )
