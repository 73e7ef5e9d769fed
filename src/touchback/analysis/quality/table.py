"""The laboratory's rows as a table for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from touchback.analysis.quality.row import Row

if TYPE_CHECKING:
    from touchback.analysis.quality.result import Quality


def table_of(quality: Quality) -> Table:
    """One line a setting; errors that the reference can't tell apart carry a ≤."""
    table = Table(box=None, pad_edge=False)
    table.add_column("candidate", overflow="fold")
    titles = ["setting"]
    titles += ["max |h|", "growth"] if quality.constrained else []
    titles += ["energy"] if quality.conserved else []
    titles += ["error", "real time", "limit"]
    for title in titles:
        table.add_column(title, justify="right", overflow="fold")
    for label in quality.labels:
        for place, row in enumerate(quality.of(label)):
            limit = quality.limits.get(label) if place == 0 else None
            cells = _cells(quality, row)
            table.add_row(label if place == 0 else "", row.setting, *cells, str(limit or ""))
        table.add_section()
    return table


def _cells(quality: Quality, row: Row) -> list[str]:
    blank = [""] * (2 * quality.constrained + quality.conserved)
    if row.status != "fine":
        return [*blank, row.status, ""]
    cells = []
    if quality.constrained:
        cells += [_number(row.drift), "" if row.growth is None else f"t^{row.growth:.1f}"]
    if quality.conserved:
        cells.append(_number(row.energy))
    if row.error is not None and row.error <= quality.uncertainty:
        cells.append(f"≤ {_number(quality.uncertainty)}")
    else:
        cells.append(_number(row.error))
    return [*cells, "" if row.load is None else f"{100 * row.load:.2g} %"]


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.1e}"
