"""A figure of a fit: what was measured and modelled, and what is left."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from touchback.draw.style import ACCENT, BODIES, INK, PICTURES, SOFT, light_grid, pyplot
from touchback.recording.names import with_unit
from touchback.recording.plot import finished
from touchback.regular_file import check_output

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from touchback.estimate.identification.result import Identification


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
        _both(axes[k, 0], found, k)
        _left(axes[k, 1], found, k)
        axes[k, 0].set_ylabel(with_unit(name, found.signal_units[k]))
        axes[k, 1].set_ylabel("left [σ]")
        light_grid(axes[k, 0])
        light_grid(axes[k, 1])
    for axis in axes[-1]:
        axis.set_xlabel("time [s]")
    axes[0, 0].set_title(f"{found.model}: measured · and modelled —", color=INK)
    axes[0, 1].set_title("measured less modelled", color=INK)
    return finished(figure, path)


def _both(axis: Axes, found: Identification, k: int) -> None:
    single = len(found.runs) == 1
    for i, (run, model) in enumerate(zip(found.runs, found.fitted, strict=True)):
        colour = BODIES[i % len(BODIES)]
        axis.plot(run.time, run.measured[:, k], ".", color=SOFT if single else colour, ms=2.5)
        axis.plot(run.time, model[:, k], color=ACCENT if single else colour, lw=1.4)


def _left(axis: Axes, found: Identification, k: int) -> None:
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
