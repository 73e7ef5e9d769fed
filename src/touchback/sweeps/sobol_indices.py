"""Sobol's sensitivity indices: which share of an outcome's variance a parameter has by itself, and
which with all that it does together with others.

With f_A, f_B and f_k the outcomes of Saltelli's matrices A, B and A with column k of B, and V the
variance of the outcome (Saltelli et al. 2010, Computer Physics Communications 181, table 2, b and
f; the second is Jansen's):

    first order   S_k = mean(f_B (f_k − f_A)) / V
    total         T_k = mean((f_A − f_k)²) / 2V
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from touchback.errors import InputError
from touchback.figure_style import BODIES, PICTURES, finish_figure, light_grid, pyplot
from touchback.numbers import number_within
from touchback.safe_files import check_output
from touchback.sweeps.sweep_designs import Design, Saltelli

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_RESAMPLES = 1000


_FEWEST = 16  # rows that a bootstrap can draw from


@dataclass(frozen=True)
class Sensitivity:
    """Indices of one outcome, an entry for each of `names`; intervals are rows of (low, high).
    `left_out` rows of the matrices, with a run that failed, don't count."""

    outcome: str
    names: tuple[str, ...]
    first: np.ndarray
    total: np.ndarray
    first_interval: np.ndarray
    total_interval: np.ndarray
    confidence: float
    left_out: int

    def __str__(self) -> str:
        width = max(map(len, self.names))
        first = map(_between, self.first, self.first_interval)
        total = map(_between, self.total, self.total_interval)
        lines = [
            f"  {name:<{width}}  by itself {alone}   with others {together}"
            for name, alone, together in zip(self.names, first, total, strict=True)
        ]
        head = f"{self.outcome}: shares of its variance, {100 * self.confidence:g} % intervals"
        tail = [f"  {self.left_out} rows with a failed run don't count"] if self.left_out else []
        return "\n".join([head, *lines, *tail])

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """Bars of both indices, with their intervals."""

        return plot_sensitivity(self, path)


def _between(value: float, interval: np.ndarray) -> str:
    return "{:6.3f} ({:.3f} … {:.3f})".format(value, *interval)


def sensitivity_of(
    design: Design, outcome: str, values: np.ndarray, confidence: float
) -> Sensitivity:
    """Indices from a design of Saltelli, with intervals by bootstrap over its rows (too wide rather
    than too narrow: points of Sobol's sequence are more even than what is drawn)."""
    if not isinstance(design, Saltelli):
        raise InputError(
            f"Sensitivity indices need runs of tb.sweeps.Saltelli, and these are of "
            f"{type(design).__name__}."
        )
    level = number_within("confidence must be between 0 and 1", confidence, 1e-6, 1 - 1e-6)
    table = values.reshape(len(design.names) + 2, design.runs)
    whole = np.isfinite(table).all(axis=0)
    table = table[:, whole]
    if table.shape[1] < _FEWEST:
        raise InputError(
            f"{outcome!r}: {table.shape[1]} of {design.runs} rows have no failed run; at least "
            f"{_FEWEST} are needed."
        )
    if (table == table[0, 0]).all():
        value = float(table[0, 0])
        raise InputError(f"{outcome!r} is {value!r} in all runs: nothing to share out.")
    terms = _terms(table / np.abs(table).max())  # shares have no size, and squares are to have one
    found = _indices(terms.mean(axis=0))
    drawn = _indices(_resampled(terms))
    tails = [(1.0 - level) / 2.0, (1.0 + level) / 2.0]
    low, high = np.quantile(drawn, tails, axis=0)
    first, total = (np.stack([low[k], high[k]], axis=1) for k in range(2))
    return Sensitivity(
        outcome, design.names, found[0], found[1], first, total, level, int((~whole).sum())
    )


def _terms(table: np.ndarray) -> np.ndarray:
    """What each row adds to the means: for first indices, for totals, to the outcome and its
    square. Outcomes are centred first, so that little cancels."""
    a, b, *mixed = table - table[:2].mean()
    first = [b * (each - a) for each in mixed]
    total = [(a - each) ** 2 / 2.0 for each in mixed]
    return np.stack([*first, *total, (a + b) / 2.0, (a * a + b * b) / 2.0], axis=1)


def _indices(means: np.ndarray) -> np.ndarray:
    """First and total indices, (…, 2, k), from means of the terms."""
    variance = means[..., -1] - means[..., -2] ** 2
    both = means[..., :-2].reshape(*means.shape[:-1], 2, -1)
    return np.asarray(both / variance[..., None, None])


def _resampled(terms: np.ndarray) -> np.ndarray:
    """Means of the terms of rows drawn with replacement, many times."""
    rng, count = np.random.default_rng(0), len(terms)
    drawn = (rng.integers(count, size=count) for _ in range(_RESAMPLES))
    return np.stack([np.bincount(rows, minlength=count) @ terms / count for rows in drawn])


def plot_sensitivity(found: Sensitivity, path: str | os.PathLike[str] | None) -> Figure:
    """Bars of first and total indices."""
    if path is not None:
        check_output(path, PICTURES, "Plot")
    size = (2.4 + 1.0 * len(found.names), 3.2)
    figure, axis = pyplot().subplots(figsize=size, layout="constrained")
    places = np.arange(len(found.names))
    rows = [
        ("by itself", found.first, found.first_interval),
        ("with others", found.total, found.total_interval),
    ]
    for shift, colour, (label, values, interval) in zip((-0.2, 0.2), BODIES, rows):
        beyond = np.abs(interval.T - values)
        axis.bar(places + shift, values, 0.36, color=colour, label=label)
        axis.errorbar(places + shift, values, beyond, fmt="none", ecolor="black", capsize=3)
    axis.set_xticks(places, found.names)
    axis.set(ylabel="share of the variance", title=found.outcome)
    axis.axhline(0.0, color="black", linewidth=0.8)
    axis.legend(fontsize="small")
    light_grid(axis)
    return finish_figure(figure, path)
