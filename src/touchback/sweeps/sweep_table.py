"""What a sweep gave: a row for each run, a column for each parameter and outcome.

Figures of sweeps; matplotlib is imported only when one is asked for.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from touchback.errors import InputError
from touchback.figure_style import ACCENT, BODIES, PICTURES, finish_figure, light_grid, pyplot
from touchback.safe_files import atomic_file, check_output
from touchback.sweeps.sobol_indices import Sensitivity, sensitivity_of
from touchback.sweeps.sweep_designs import FAILURE, Design, LogUniform
from touchback.sweeps.sweep_folder import Outcome

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from touchback.sweeps.sobol_indices import Sensitivity


class Sweep:
    """The runs of a sweep, in the design's order: `sweep["name"]` is a parameter or an outcome of
    all of them. A run that failed has NaN for outcomes, and its words in `failures`."""

    def __init__(self, design: Design, columns: Mapping[str, np.ndarray], folder: Path) -> None:
        self.design = design
        self.columns = dict(columns)
        self.folder = folder

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names of what was varied."""
        return self.design.names

    @property
    def outcomes(self) -> tuple[str, ...]:
        """Names of what the runs gave."""
        return tuple(name for name in self.columns if name not in (*self.parameters, FAILURE))

    @property
    def failures(self) -> dict[int, str]:
        """Why runs gave nothing, by their number."""
        texts = self.columns[FAILURE]
        return {int(index): str(texts[index]) for index in np.flatnonzero(texts != "")}

    def __len__(self) -> int:
        return len(self.design)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.columns:
            known = ", ".join(map(repr, self.columns))
            raise InputError(f"The sweep has no column {name!r}, only {known}.")
        return self.columns[name]

    def __repr__(self) -> str:
        varied, gave = ", ".join(self.parameters), ", ".join(self.outcomes) or "nothing"
        failed = self.failures
        lines = [f"Sweep of {len(self)} runs over {varied}: {gave}. {len(failed)} failed."]
        lines += [f"  run {index}: {words}" for index, words in list(failed.items())[:3]]
        return "\n".join(lines)

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Writes the table, with the design in its metadata; the folder has it as
        `runs.parquet`."""
        from touchback.recording import write_table

        check_output(path, (".parquet",), "Sweep")
        with atomic_file(path) as beside:
            write_table(beside, "sweep", self.columns, json.dumps(self.design.about()))

    def sensitivity(self, outcome: str, confidence: float = 0.95) -> Sensitivity:
        """Which share of an outcome's variance each parameter has; of a `Saltelli` design."""
        return sensitivity_of(self.design, outcome, self[outcome], confidence)

    def plot(self, *outcomes: str, path: str | os.PathLike[str] | None = None) -> Figure:
        """The outcomes (all, if none is named) over each parameter, a dot for each run; failed runs
        are ticks below."""
        from touchback.sweeps.sweep_table import plot_sweep

        return plot_sweep(self, outcomes or self.outcomes, path)


def columns_of(design: Design, outcomes: Iterable[tuple[int, Outcome]]) -> dict[str, np.ndarray]:
    """The table of what runs gave. What one didn't give, and others did, is NaN."""
    columns = dict(zip(design.names, design.points().T.copy()))
    failures = np.full(len(design), "", dtype=object)
    for index, outcome in outcomes:
        if isinstance(outcome, str):
            failures[index] = outcome
            continue
        for name, value in outcome.items():
            if name not in columns:
                columns[name] = np.full(len(design), np.nan)
            columns[name][index] = value
    return {**columns, FAILURE: failures}


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
    return finish_figure(figure, path)
