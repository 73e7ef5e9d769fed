"""Figures of sweeps; matplotlib is imported only when one is asked for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from touchback.draw.style import ACCENT, BODIES, PICTURES, light_grid, pyplot
from touchback.errors import InputError
from touchback.recording.plot import finished
from touchback.regular_file import check_output
from touchback.sweeps.distributions import LogUniform

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from touchback.sweeps.sensitivity import Sensitivity
    from touchback.sweeps.table import Sweep

_MOST_PANELS = 64


def plot_sweep(
    sweep: Sweep, outcomes: Sequence[str], path: str | os.PathLike[str] | None
) -> Figure:
    """A row of panels for each outcome, a column for each parameter."""
    if path is not None:
        check_output(path, PICTURES, "Plot")
    names, failed = sweep.parameters, list(sweep.failures)
    if len(failed) == len(sweep):
        raise InputError(f"Plot: all runs failed, the first so: {sweep.failures[0]}")
    if not 1 <= len(outcomes) * len(names) <= _MOST_PANELS:
        raise InputError(
            f"Plot: {len(outcomes)} outcomes over {len(names)} parameters; name outcomes, for 1 to "
            f"{_MOST_PANELS} panels."
        )
    figure, axes = pyplot().subplots(
        len(outcomes), len(names), sharex="col", sharey="row", squeeze=False, layout="constrained",
        figsize=(1.2 + 2.6 * len(names), 1.0 + 2.2 * len(outcomes)),
    )  # fmt: skip
    faint = min(1.0, max(0.08, 20.0 / len(sweep) ** 0.5))
    for panels, outcome in zip(axes, outcomes):
        panels[0].set_ylabel(outcome)
        for panel, name in zip(panels, names):
            panel.plot(sweep[name], sweep[outcome], ".", markersize=4, alpha=faint, color=BODIES[0],
                       markeredgewidth=0)  # fmt: skip
            if failed:  # a line of nothing, not clipped, would leave the panels no room
                panel.plot(sweep[name][failed], np.zeros(len(failed)), "|", color=ACCENT,
                           markersize=9, transform=panel.get_xaxis_transform(),
                           clip_on=False)  # fmt: skip
            light_grid(panel)
    for panel, name in zip(axes[-1], names):
        panel.set_xlabel(name)
        axis = getattr(sweep.design, "axes", {}).get(name)
        if isinstance(axis, LogUniform):
            few = axis.high < 1000.0 * axis.low
            panel.set_xscale("log", subs=[])
            panel.xaxis.get_major_locator().set_params(subs=(1.0, 2.0, 5.0) if few else (1.0,))
            panel.xaxis.set_major_formatter("{x:g}")  # no powers: names may have dollars in them
    failures = f", {len(failed)} failed (ticks below)" if failed else ""
    figure.suptitle(f"{len(sweep)} runs{failures}", fontsize="medium")
    return finished(figure, path)


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
    return finished(figure, path)
