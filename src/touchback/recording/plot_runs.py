"""Figures of runs; matplotlib is imported only when one is asked for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from touchback.errors import InputError
from touchback.figure_style import PICTURES, finish_figure, light_grid, pyplot
from touchback.names import axis_label, with_unit
from touchback.safe_files import check_output

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from touchback.recording.run_data import Floats, RunData
    from touchback.recording.run_records import EventRecord


def _panels(count: int) -> tuple[Figure, list[Axes]]:
    """A figure with panels one above the other on the same time axis."""
    figure, axes = pyplot().subplots(
        count, 1, sharex=True, squeeze=False, figsize=(8.0, 1.2 + 2.4 * count), layout="constrained"
    )
    axes[-1, 0].set_xlabel("time [s]")
    return figure, list(axes[:, 0])


_INSIDE = 4  # lines whose legend has room within a panel


_ENTRIES = 8  # of a legend; what else there is, is counted


def _legend(panel: Any, handles: Sequence[Line2D], **where: object) -> None:
    """A legend of the labelled lines, the first of them if there are many."""
    shown = list(handles[:_ENTRIES])
    labels = [str(line.get_label()) for line in shown]
    if len(handles) > len(shown):
        shown.append(pyplot().Line2D([], [], linestyle="none"))
        labels.append(f"… and {len(handles) - _ENTRIES} more")
    panel.legend(shown, labels, fontsize="small", **where)


def plot_run(
    run: RunData,
    names: Sequence[str],
    events: Sequence[EventRecord] = (),
    path: str | os.PathLike[str] | None = None,
) -> Figure:
    """The named signals over time, with marks at events: signals of one unit share a panel."""
    if path is not None:
        check_output(path, PICTURES, "Plot")
    by_unit: dict[str, list[str]] = {}
    for name in names:
        by_unit.setdefault(run.units[name], []).append(name)
    if not by_unit:
        raise InputError("There is nothing to plot: the run has no signals.")
    figure, axes = _panels(len(by_unit))
    for axis, (unit, members) in zip(axes, by_unit.items()):
        lines = [axis.plot(run.time, run.signals[name], label=name)[0] for name in members]
        marks = _mark_events(axis, events)
        axis.set_ylabel(axis_label(members, unit))
        if len(members) > _INSIDE:
            _legend(axis, lines, loc="center left", bbox_to_anchor=(1.0, 0.5))
        elif len(members) > 1:
            _legend(axis, lines, loc="best")
        light_grid(axis)
    if marks:  # the same in every panel, so listed once
        _legend(figure, marks, loc="outside lower center", ncols=3, title="events")
    axes[0].set_title(str(run.metadata.get("model", "")))
    return finish_figure(figure, path)


def _mark_events(axis: Axes, events: Sequence[EventRecord]) -> list[Line2D]:
    """Vertical lines at events; the first line of each name, whose colour all of them have."""
    first: dict[str, Line2D] = {}
    for event in events:
        known = first.get(event.name)
        colour = f"C{9 - len(first) % 8}" if known is None else known.get_color()
        line = axis.axvline(event.time, color=colour, linestyle=":", linewidth=1.0)
        first.setdefault(event.name, line).set_label(event.name)
    return list(first.values())


def plot_differences(
    time: Floats,
    rows: Sequence[tuple[str, str, Floats]],
    path: str | os.PathLike[str] | None = None,
) -> Figure:
    """Differences (name, unit, values) over time, a panel each."""
    if path is not None:
        check_output(path, PICTURES, "Plot")
    if not rows:
        raise InputError("There is nothing to plot: the two runs have no signal in common.")
    figure, axes = _panels(len(rows))
    for axis, (name, unit, values) in zip(axes, rows):
        axis.plot(time, values)
        axis.set_ylabel(with_unit(f"Δ {name}", unit))
        light_grid(axis)
    return finish_figure(figure, path)
