"""What a notebook shows of a compiled system: its picture, its summary, and what has a number."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from touchback.draw import figure_svg, stick_figure

if TYPE_CHECKING:
    from touchback.system.system import System

_ROWS = 40  # of many
_STYLE = "display:flex;flex-wrap:wrap;gap:1.5em;align-items:flex-start"


def system_html(system: System) -> str:
    """The stick figure where the system begins, its summary, and a table of parameters as they
    are, inputs, states and outputs."""
    rows = list(_rows(system))
    cells = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
        for row in rows[:_ROWS]
    )
    more = len(rows) - _ROWS
    rest = f"<tr><td>… {more} more</td></tr>" if more > 0 else ""
    titles = "".join(f"<th>{word}</th>" for word in ("", "name", "value", "unit"))
    figure = figure_svg(stick_figure(system.model), system.model.name)
    table = f"<table><tr>{titles}</tr>{cells}{rest}</table>"
    parts = f"{figure}<pre>{escape(repr(system))}</pre>{table}"
    return f"<div style='{_STYLE}'>{parts}</div>"


def _rows(system: System) -> Iterator[tuple[str, str, str, str]]:
    """What it is, its name, its value if it has one, its unit."""
    ranges = system.layout.ranges
    for (name, number), given in zip(system.parameters.items(), ranges, strict=True):
        yield "parameter", name, f"{number:.6g}", given.unit
    defaults = system.input_defaults
    for name, unit, usual in zip(system.input_names, system.input_units, defaults, strict=True):
        yield "input", name, f"{usual:.6g}", unit
    for name, unit in zip(system.state_names, system.state_units, strict=True):
        yield "state", name, "", unit
    for name, unit in zip(system.output_names, system.output_units, strict=True):
        yield "output", name, "", unit
