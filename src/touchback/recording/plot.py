"""Figures of runs; matplotlib is imported only when one is asked for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from touchback.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from touchback.recording.compare import Comparison
    from touchback.recording.run import Run


def _pyplot() -> Any:
    try:
        import matplotlib.pyplot as pyplot
    except ImportError as error:
        raise InputError(
            "Plotting needs matplotlib; install it with `pip install touchback[plot]`."
        ) from error
    return pyplot


def _panels(count: int) -> tuple[Figure, list[Any]]:
    """A figure with panels one above the other on the same time axis."""
    figure, axes = _pyplot().subplots(
        count, 1, sharex=True, squeeze=False, figsize=(8.0, 1.2 + 2.4 * count), layout="constrained"
    )
    axes[-1, 0].set_xlabel("time [s]")
    return figure, list(axes[:, 0])


def _finished(figure: Figure, path: str | os.PathLike[str] | None) -> Figure:
    if path is not None:
        figure.savefig(path, dpi=150)
        _pyplot().close(figure)
    return figure


def _label(name: str, unit: str) -> str:
    return f"{name} [{unit}]" if unit else name


def plot_run(run: Run, names: Sequence[str], path: str | os.PathLike[str] | None = None) -> Figure:
    """The named signals over time: signals of one unit share a panel."""
    by_unit: dict[str, list[str]] = {}
    for name in names:
        run[name]  # an unknown name is reported before any figure opens
        by_unit.setdefault(run.units[name], []).append(name)
    if not by_unit:
        raise InputError("There is nothing to plot: the run has no signals.")
    figure, axes = _panels(len(by_unit))
    for axis, (unit, members) in zip(axes, by_unit.items()):
        for name in members:
            axis.plot(run.time, run[name], label=name)
        _mark_events(axis, run)
        alone = len(members) == 1
        axis.set_ylabel(_label(members[0], unit) if alone else f"[{unit}]" if unit else "value")
        if not alone or run.events:
            axis.legend(loc="best", fontsize="small")
        axis.grid(alpha=0.3)
    axes[0].set_title(str(run.metadata.get("model", "")))
    return _finished(figure, path)


def _mark_events(axis: Any, run: Run) -> None:
    """A vertical line at each event; one colour, and one line of the legend, a name."""
    names = list(dict.fromkeys(event.name for event in run.events))
    for i, name in enumerate(names):
        for k, event in enumerate(e for e in run.events if e.name == name):
            axis.axvline(
                event.time, color=f"C{9 - i % 8}", linestyle=":", linewidth=1.0,
                label=name if k == 0 else None,
            )  # fmt: skip


def plot_comparison(
    comparison: Comparison, names: Sequence[str], path: str | os.PathLike[str] | None = None
) -> Figure:
    """The difference b − a of each named signal over the common time."""
    rows = [comparison[name] for name in names]
    if not rows:
        raise InputError("There is nothing to plot: the two runs have no signal in common.")
    figure, axes = _panels(len(rows))
    for axis, row in zip(axes, rows):
        axis.plot(comparison.time, row.values)
        axis.set_ylabel(_label(f"Δ {row.name}", row.unit))
        axis.grid(alpha=0.3)
    return _finished(figure, path)
