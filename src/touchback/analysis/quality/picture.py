"""The laboratory's picture: what accuracy costs, and what becomes of the constraints."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from touchback.analysis.quality.row import Row
from touchback.draw.style import PICTURES, light_grid, pyplot
from touchback.regular_file import check_output

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from touchback.analysis.quality.result import Quality

_MARKERS = "osD^vPX*"
_FLOOR = 1e-17  # where an exact zero is drawn on a logarithmic axis


def draw(quality: Quality, path: str | os.PathLike[str] | None = None) -> Figure:
    """Error over cost on the left; drift (or energy, or error) over the step on the right. A
    formulation keeps its colour; adaptive methods are dashed."""
    if path is not None:
        check_output(path, PICTURES, "Plot")
    figure, (work, steps) = pyplot().subplots(1, 2, figsize=(11.0, 4.8), layout="constrained")
    what, title = _second(quality)
    names = list(dict.fromkeys(_family(row) for row in quality.rows))
    for label in quality.labels:
        rows = [row for row in quality.of(label) if row.status == "fine"]
        if not rows:
            continue
        place = names.index(_family(rows[0]))
        fixed = rows[0].candidate.fixed
        style: dict[str, Any] = {
            "color": f"C{place}",
            "marker": _MARKERS[place % len(_MARKERS)],
            "linestyle": "-" if fixed else "--",
            "markersize": 4.5,
            "linewidth": 1.3,
        }
        work.plot(*_points(rows, "load", "error"), label=label, **style)
        if fixed:
            steps.plot(*_points(rows, "step", what), **style)
    work.set(xlabel="cost [s per simulated s]", ylabel="error against the reference [m, rad]")
    steps.set(xlabel="step [s]", ylabel=title)
    work.axhline(max(quality.uncertainty, _FLOOR), color="0.6", linewidth=1.0, linestyle=":")
    for axis in (work, steps):
        axis.set(xscale="log", yscale="log")
        light_grid(axis)
    figure.suptitle(f"{quality.model}, {quality.duration:g} s (dotted: the reference's own error)")
    figure.legend(loc="outside right upper", fontsize="small")
    if path is not None:
        figure.savefig(path, dpi=110)
        pyplot().close(figure)
    return figure


def _second(quality: Quality) -> tuple[str, str]:
    if quality.constrained:
        return "drift", "max |h| [m, rad]"
    if quality.conserved:
        return "energy", "relative energy error"
    return "error", "error against the reference [m, rad]"


def _family(row: Row) -> str:
    word = row.candidate.formulation or row.candidate.method
    return f"natural {word}" if row.candidate.natural else word


def _points(rows: list[Row], x: str, y: str) -> tuple[list[float], list[float]]:
    pairs = [(getattr(row, x), getattr(row, y)) for row in rows]
    known = sorted((a, max(b, _FLOOR)) for a, b in pairs if a and b is not None)
    return [a for a, _ in known], [b for _, b in known]
