"""Which points a sweep computes: each design gives the same ones whenever it is asked, so that a
sweep that was broken off can go on.

How a parameter of a sweep is spread: each is its quantile function, from [0, 1] to values.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Protocol

import numpy as np

from touchback.errors import InputError
from touchback.numbers import (
    MOST,
    is_real,
    keep,
    number_within,
    positive_number,
    shown,
    whole_within,
)

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


MOST_RUNS = 10_000_000


FAILURE = "failure"  # the column that says why a run has no outcomes


_SEEDS = 2**63


_FEW = 20  # values that are told one by one


class Design(ABC):
    """Names of parameters, and a point of them for each run."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """Of the parameters."""

    @abstractmethod
    def points(self) -> np.ndarray:
        """A row for each run, a column for each parameter."""

    @abstractmethod
    def __len__(self) -> int:
        """How many runs there are."""

    @abstractmethod
    def about(self) -> dict[str, object]:
        """What tells it from other designs, in words and numbers."""


@dataclass(frozen=True)
class Grid(Design):
    """Every combination of some values of each parameter; the last parameter goes round first."""

    axes: Mapping[str, Sequence[float] | np.ndarray]

    def __post_init__(self) -> None:
        read = {name: _values(name, given) for name, given in _named(self.axes).items()}
        object.__setattr__(self, "axes", read)
        _count("Grid: its combinations", len(self))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.axes)

    def __len__(self) -> int:
        return prod(len(values) for values in self.axes.values())

    def points(self) -> np.ndarray:
        mesh = np.meshgrid(*self.axes.values(), indexing="ij")
        return np.stack([values.ravel() for values in mesh], axis=1)

    def about(self) -> dict[str, object]:
        axes = {f"axis {name!r}": _told(np.asarray(given)) for name, given in self.axes.items()}
        return {"design": "Grid", **axes}


@dataclass(frozen=True)
class Sampled(Design):
    """Points drawn from distributions: `axes` maps names to a pair (low, high), `Uniform`,
    `LogUniform` or `Normal`; another `seed` gives others."""

    axes: Mapping[str, Distribution | tuple[float, float]]
    runs: int
    seed: int = 0

    def __post_init__(self) -> None:
        axes = {name: as_distribution(name, given) for name, given in _named(self.axes).items()}
        object.__setattr__(self, "axes", axes)
        seed = whole_within(f"{self._kind}: seed must be a whole number ≥ 0", self.seed, 0, _SEEDS)
        keep(self, runs=_count(f"{self._kind}: runs", self.runs), seed=seed)

    @property
    def _kind(self) -> str:
        return type(self).__name__

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.axes)

    def __len__(self) -> int:
        return self.runs

    @abstractmethod
    def shares(self) -> np.ndarray:
        """Points of the unit cube, a row for each run."""

    def points(self) -> np.ndarray:
        return self._spread(self.shares())

    def _spread(self, shares: np.ndarray) -> np.ndarray:
        axes = [as_distribution(name, given) for name, given in self.axes.items()]
        return np.stack([axis.at(each) for axis, each in zip(axes, shares.T)], axis=1)

    def about(self) -> dict[str, object]:
        axes = {f"axis {name!r}": repr(given) for name, given in self.axes.items()}
        return {"design": self._kind, "runs": len(self), "seed": self.seed, **axes}


class MonteCarlo(Sampled):
    """Points drawn one by one: errors of means fall with 1/√n, and are told by the spread."""

    def shares(self) -> np.ndarray:
        return np.random.default_rng(self.seed).random((self.runs, len(self.axes)))


class LatinHypercube(Sampled):
    """Each parameter has one value in each of as many equal shares of its distribution as there are
    runs (McKay, Beckman, Conover 1979)."""

    def shares(self) -> np.ndarray:
        from scipy.stats import qmc  # slow to import

        rng = np.random.default_rng(self.seed)
        return np.asarray(qmc.LatinHypercube(len(self.axes), seed=rng).random(self.runs))


class Sobol(Sampled):
    """Sobol's sequence with Owen's scrambling: points that leave no holes; errors of means of
    smooth outcomes fall almost with 1/n. `runs` is a power of two."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _power_of_two("Sobol: runs", self.runs)

    def shares(self) -> np.ndarray:
        return _sobol(len(self.axes), self.runs, self.seed)


class Saltelli(Sampled):
    """What Sobol's sensitivity indices are computed from (Saltelli et al. 2010, Computer Physics
    Communications 181): two matrices A and B of `runs` points each, a power of two, and for each of
    k parameters A with that column of B; (k + 2) times as many runs as `runs` in all."""

    def __post_init__(self) -> None:
        super().__post_init__()
        _power_of_two("Saltelli: runs", self.runs)
        _count("Saltelli: runs of all its matrices", len(self))

    def __len__(self) -> int:
        return self.runs * (len(self.axes) + 2)

    @cached_property
    def _halves(self) -> tuple[np.ndarray, np.ndarray]:
        count = len(self.axes)
        both = _sobol(2 * count, self.runs, self.seed)
        return both[:, :count], both[:, count:]

    def shares(self) -> np.ndarray:
        """A, B, then A with one column of B after the other."""
        a, b = self._halves
        mixed = [np.where(np.arange(len(self.axes)) == k, b, a) for k in range(len(self.axes))]
        return np.concatenate([a, b, *mixed])


def _sobol(columns: int, rows: int, seed: int) -> np.ndarray:
    from scipy.stats import qmc  # slow to import

    engine = qmc.Sobol(columns, scramble=True, seed=np.random.default_rng(seed))
    return np.asarray(engine.random_base2(rows.bit_length() - 1))


def _count(label: str, given: object) -> int:
    return whole_within(
        f"{label} must be a whole number from 1 to {MOST_RUNS}", given, 1, MOST_RUNS
    )


def _power_of_two(label: str, runs: int) -> None:
    if runs & (runs - 1):
        below = 1 << (runs.bit_length() - 1)
        raise InputError(
            f"{label} must be a power of two, of which the sequence is even, got {runs}; give "
            f"{below} or {2 * below}."
        )


def _named(axes: object) -> dict[str, object]:
    if not isinstance(axes, Mapping) or not axes:
        raise InputError(f"axes must map names of parameters to their values, got {shown(axes)}.")
    for name in axes:
        if not isinstance(name, str) or not name or name == FAILURE:
            raise InputError(
                f"axes: a parameter's name is a text other than {FAILURE!r}, got {shown(name)}."
            )
    return dict(axes)


def _told(values: np.ndarray) -> object:
    if len(values) <= _FEW:
        return values.tolist()
    return f"{len(values)} values from {float(values[0])!r} to {float(values[-1])!r}"


def _values(name: str, given: object) -> np.ndarray:
    try:
        values = np.array(given, dtype=float)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        raise InputError(f"Axis {name!r}: give finite numbers in a row, got {shown(given)}.")
    return values
