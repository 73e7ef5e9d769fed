"""What a fit found: values with their standard errors and intervals, what can't be told, what is
left, and a figure of it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from touchback.estimate.identification_inputs import Recorded, Unknowns, unfed_inputs
from touchback.estimate.robust_losses import Loss
from touchback.figure_style import (
    ACCENT,
    BODIES,
    INK,
    PICTURES,
    SOFT,
    finish_figure,
    light_grid,
    pyplot,
)
from touchback.names import unknown_name, with_unit
from touchback.numbers import number_within
from touchback.safe_files import check_output

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_UNSEEN = 1e-8  # of the largest singular value: changes along such a direction can't be seen
_SHARE = 0.05  # of a direction: what has less of it isn't named
_COLOURED = 0.3  # a correlation from sample to sample above which intervals are too narrow,
_BY_CHANCE = 3.0  # unless white noise has it: its own is about 1/√samples
_FEW = 10  # samples beyond unknowns, below which medians know the noise too badly
_AT_BOUND = 1e-6  # of an unknown's size


@dataclass(frozen=True, eq=False)
class Misfit:
    """Of each sample: measured less modelled, its derivatives by the unknowns, the number of its
    signal, and its place (run, instant)."""

    left: np.ndarray
    derivatives: np.ndarray
    signal: np.ndarray
    places: np.ndarray

    def effective_parameters(self, sigma: np.ndarray) -> np.ndarray:
        """How many samples of each signal the unknowns can follow, together as many as there are
        of these: sums of the diagonal of J (JᵀJ)⁻¹ Jᵀ, weighed by the noise of each signal."""
        weighed = self.derivatives / sigma[self.signal][:, None]
        length = np.linalg.norm(weighed, axis=0)
        left, size, _ = np.linalg.svd(
            weighed / np.where(length > 0.0, length, 1.0), full_matrices=False
        )
        share = (left[:, size > _UNSEEN * size[0]] ** 2).sum(axis=1)
        return np.bincount(self.signal, share, len(sigma))


@dataclass(frozen=True, eq=False)
class Identification:
    """Unknowns by name: `values`, `errors` (standard errors) and `interval(confidence)`, of each
    (low, high), in `units`. `covariance` and `correlation` are in the order of `names`; errors are
    infinite of what can't be told, `unidentifiable` has such directions. `noise` has the standard
    deviation of each signal; `fitted` has the modelled signals of each run."""

    model: str
    unknowns: Unknowns
    signals: tuple[str, ...]
    signal_units: tuple[str, ...] = field(repr=False)
    theta: np.ndarray = field(repr=False)
    sigma: np.ndarray = field(repr=False)
    loss: Loss
    misfit: Misfit = field(repr=False)
    runs: tuple[Recorded, ...] = field(repr=False)
    fitted: tuple[np.ndarray, ...] = field(repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the unknowns: parameters, then initial states."""
        return self.unknowns.names

    @property
    def units(self) -> dict[str, str]:
        """Of the unknowns, as the model has them; empty where it says none."""
        return dict(zip(self.names, self.unknowns.units, strict=True))

    @property
    def values(self) -> dict[str, float]:
        """What was found."""
        return dict(zip(self.names, map(float, self.theta), strict=True))

    @property
    def parameters(self) -> dict[str, float]:
        """Those of `values` that are parameters, as runs take them."""
        return {name: self.values[name] for name in self.unknowns.parameters}

    @property
    def noise(self) -> dict[str, float]:
        """The standard deviation of each signal's noise."""
        return dict(zip(self.signals, map(float, self.sigma), strict=True))

    # ---- how sure -------------------------------------------------------------------------------

    @property
    def residuals(self) -> np.ndarray:
        """Of every sample, in standard deviations of its signal."""
        return np.asarray(self.misfit.left / self.sigma[self.misfit.signal])

    @property
    def freedoms(self) -> int:
        """Samples beyond unknowns."""
        return len(self.misfit.left) - len(self.names)

    @cached_property
    def _singular(self) -> tuple[np.ndarray, np.ndarray]:
        weighed = self.misfit.derivatives / self.sigma[self.misfit.signal][:, None]
        _, size, directions = np.linalg.svd(weighed * self._unit, full_matrices=False)
        return size, directions

    @cached_property
    def _unit(self) -> np.ndarray:
        """Of each unknown, what changes all samples together by one standard deviation: no first
        guess, which may lie next to 0, decides what can be told."""
        weighed = self.misfit.derivatives / self.sigma[self.misfit.signal][:, None]
        length = np.linalg.norm(weighed, axis=0)
        return np.asarray(1.0 / np.where(length > 0.0, length, 1.0))

    @property
    def singular_values(self) -> np.ndarray:
        """Of the sensitivities, their columns of one length: small ones are directions that are
        hardly told."""
        return self._singular[0]

    @cached_property
    def unidentifiable(self) -> tuple[dict[str, float], ...]:
        """Directions along which the unknowns, each in units of its size, could move without any
        sample that would change: names with their shares."""
        rows, lost = self._unidentifiable
        return tuple(
            {n: float(x) for n, x, named in zip(self.names, row, its) if named}
            for row, its in zip(rows, lost, strict=True)
        )

    @cached_property
    def _unidentifiable(self) -> tuple[np.ndarray, np.ndarray]:
        """Such directions, and which unknowns have a part in each, be it one that weighs little
        in the samples."""
        size, directions = self._singular
        rows = directions[size <= _UNSEEN * size[0]]
        sized = rows * self._unit / np.maximum(np.abs(self.theta), self._unit)
        sized /= np.linalg.norm(sized, axis=1, keepdims=True)
        return sized, np.maximum(np.abs(rows), np.abs(sized)) > _SHARE

    @cached_property
    def covariance(self) -> np.ndarray:
        """s² (JᵀJ)⁻¹ of the told directions, s² the mean square of what is left; infinite where an
        unknown has a part in one that can't be told."""
        size, directions = self._singular
        told = size > _UNSEEN * size[0]
        half = directions[told].T / size[told] * self._unit[:, None]
        found = self.loss.variance(self.residuals, len(self.names)) * half @ half.T
        lost = self._unidentifiable[1].any(axis=0)
        found[lost, lost] = np.inf
        return np.asarray(found)

    @property
    def correlation(self) -> np.ndarray:
        """Of the errors of two unknowns; NaN where one of them isn't told."""
        deviation = np.sqrt(np.diag(self.covariance))
        with np.errstate(invalid="ignore"):
            found = self.covariance / np.outer(deviation, deviation)
        found[~np.isfinite(deviation)] = found[:, ~np.isfinite(deviation)] = np.nan
        return np.asarray(found)

    @property
    def errors(self) -> dict[str, float]:
        """Standard errors."""
        return dict(zip(self.names, np.sqrt(np.diag(self.covariance)).tolist(), strict=True))

    def interval(self, confidence: float = 0.95) -> dict[str, tuple[float, float]]:
        """Of each unknown, where it lies with this confidence: Student's t of as many degrees as
        there are samples beyond unknowns."""
        width = half_width(self.freedoms, confidence)
        return {n: (x - width * self.errors[n], x + width * self.errors[n])
                for n, x in self.values.items()}  # fmt: skip

    @property
    def residual_autocorrelation(self) -> dict[str, float]:
        """The correlation of each signal's residuals from sample to sample, 0 of white noise. Well
        above: the model lacks something, or the noise isn't white; errors are then too small."""
        found = {}
        for k, name in enumerate(self.signals):
            r = self.misfit.left[self.misfit.signal == k]
            r = r - r.mean()
            found[name] = float(r[1:] @ r[:-1] / max(float(r @ r), 1e-300))
        return found

    # ---- for people -----------------------------------------------------------------------------

    def __getitem__(self, name: str) -> float:
        """A value."""
        if name not in self.names:
            raise unknown_name("unknown", name, self.names)
        return self.values[name]

    def __str__(self) -> str:
        labels = [with_unit(name, unit) for name, unit in self.units.items()]
        width = max(map(len, labels))
        count, errors, interval = len(self.misfit.left), self.errors, self.interval()
        lines = [f"{self.model}: {len(self.names)} unknowns from {count} samples, loss "
                 f"'{self.loss.word}'"]  # fmt: skip
        for label, (name, value) in zip(labels, self.values.items(), strict=True):
            between = "95 %: {:.6g} … {:.6g}".format(*interval[name])
            lines.append(f"  {label:<{width}}  {value:.6g} ± {errors[name]:.2g}   {between}")
        signals = map(with_unit, self.signals, self.signal_units)
        noise = ", ".join(f"{name} {s:.3g}" for name, s in zip(signals, self.sigma, strict=True))
        return "\n".join([*lines, f"  noise: {noise}", *(f"  {said}" for said in self.cautions)])

    @property
    def cautions(self) -> list[str]:
        """What a reader of the intervals should know, in sentences."""
        said = [f"can't be told: {_sum(direction)}" for direction in self.unidentifiable]
        near = _AT_BOUND * self.unknowns.scale
        held = (self.theta - self.unknowns.low < near) | (self.unknowns.high - self.theta < near)
        for name, at_bound in zip(self.names, held, strict=True):
            if at_bound:
                said.append(f"'{name}' lies at its bound: its interval doesn't count")
        for name, correlation in self.residual_autocorrelation.items():
            count = np.count_nonzero(self.misfit.signal == self.signals.index(name))
            if abs(correlation) > max(_COLOURED, _BY_CHANCE / np.sqrt(count)):
                said.append(
                    f"what is left of '{name}' isn't white noise ({correlation:.2f} from sample to "
                    "sample): the model lacks something, or the noise is slow; intervals are too "
                    "narrow"
                )
        if self.loss.word != "linear" and self.freedoms < _FEW:
            said.append(
                f"{len(self.misfit.left)} samples are few for the loss '{self.loss.word}': "
                "intervals are too narrow"
            )
        missing = sum(int(np.isnan(run.measured).sum()) for run in self.runs)
        if missing:
            said.append(f"{missing} samples weren't measured (NaN)")
        return said + unfed_inputs(self.runs)

    def plot(self, path: str | os.PathLike[str] | None = None) -> Figure:
        """Measured and modelled signals of each run, and what is left in standard deviations."""
        return plot_fit(self, path)


def _sum(direction: dict[str, float]) -> str:
    """As "0.71 mass − 0.71 length"."""
    parts = [f"{'−' if x < 0 else '+'} {abs(x):.2f} '{name}'" for name, x in direction.items()]
    return " ".join(parts).removeprefix("+ ")


def plot_fit(found: Identification, path: str | os.PathLike[str] | None = None) -> Figure:
    """A row for each signal: on the left measured dots and modelled lines, a colour for each run;
    on the right the residuals in standard deviations."""
    if path is not None:
        check_output(path, PICTURES, "Plot")
    rows = len(found.signals)
    figure, axes = pyplot().subplots(
        rows, 2, sharex="col", squeeze=False, figsize=(9.5, 1.2 + 2.3 * rows),
        layout="constrained", gridspec_kw={"width_ratios": (3, 2)},
    )  # fmt: skip
    for k, name in enumerate(found.signals):
        _plot_signals(axes[k, 0], found, k)
        _plot_residuals(axes[k, 1], found, k)
        axes[k, 0].set_ylabel(with_unit(name, found.signal_units[k]))
        axes[k, 1].set_ylabel("left [σ]")
        light_grid(axes[k, 0])
        light_grid(axes[k, 1])
    for axis in axes[-1]:
        axis.set_xlabel("time [s]")
    axes[0, 0].set_title(f"{found.model}: measured · and modelled —", color=INK)
    axes[0, 1].set_title("measured less modelled", color=INK)
    return finish_figure(figure, path)


def _plot_signals(axis: Axes, found: Identification, k: int) -> None:
    single = len(found.runs) == 1
    for i, (run, model) in enumerate(zip(found.runs, found.fitted, strict=True)):
        colour = BODIES[i % len(BODIES)]
        axis.plot(run.time, run.measured[:, k], ".", color=SOFT if single else colour, ms=2.5)
        axis.plot(run.time, model[:, k], color=ACCENT if single else colour, lw=1.4)


def _plot_residuals(axis: Axes, found: Identification, k: int) -> None:
    for i, (run, model) in enumerate(zip(found.runs, found.fitted, strict=True)):
        left = (run.measured[:, k] - model[:, k]) / found.sigma[k]
        colour = SOFT if len(found.runs) == 1 else BODIES[i % len(BODIES)]
        axis.plot(run.time, left, ".", color=colour, ms=2.5)
    for level in (-2.0, 2.0):
        axis.axhline(level, color=INK, lw=0.7, ls=":")
    axis.axhline(0.0, color=INK, lw=0.7)
    axis.set_ylim(*_range(np.concatenate([
        (run.measured[:, k] - model[:, k]) / found.sigma[k]
        for run, model in zip(found.runs, found.fitted, strict=True)
    ])))  # fmt: skip


def _range(left: np.ndarray) -> tuple[float, float]:
    most = max(3.5, 1.1 * float(np.nanmax(np.abs(left))))
    return -most, most


def half_width(freedoms: int, confidence: float) -> float:
    """In standard errors, of an interval of this confidence: Student's t of so many degrees."""
    from scipy.special import stdtrit

    sentence = "confidence must lie above 0 and below 1, as 0.95"
    share = number_within(sentence, confidence, 1e-12, 1.0 - 1e-12)
    return float(stdtrit(freedoms, 0.5 + 0.5 * share))
