"""What a notebook shows of a run: a film, a plot, and how its signals went."""

from __future__ import annotations

import base64
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING

from touchback.draw.film import film_text
from touchback.draw.style import pyplot
from touchback.errors import InputError

if TYPE_CHECKING:
    from touchback.recording.run import Run

_ROWS = 24  # signals that are shown of many
_STYLE = "display:flex;flex-wrap:wrap;gap:1.5em;align-items:flex-start"


def run_html(run: Run) -> str:
    """The film, if the run knows its mechanism; the plot, if matplotlib is there; the table."""
    parts = [*_film(run), *_plot(run), _table(run)]
    return f"<p>{escape(repr(run))}</p><div style='{_STYLE}'>{''.join(parts)}</div>"


def _film(run: Run) -> list[str]:
    if run.model is None or len(run) < 2:
        return []
    return [film_text(run.model, run.time, run.signals, run.parameters)]


def _plot(run: Run) -> list[str]:
    try:
        figure = run.plot(*run.names[:_ROWS])
    except InputError:  # no matplotlib, or nothing to plot
        return []
    file = BytesIO()
    figure.savefig(file, format="png", dpi=72)
    pyplot().close(figure)
    text = base64.b64encode(file.getvalue()).decode()
    return [f'<img alt="signals over time" src="data:image/png;base64,{text}"/>']


def _table(run: Run) -> str:
    rows = [
        f"<tr><td>{escape(name)}</td><td>{escape(run.units[name])}</td>"
        + "".join(f"<td>{x:.6g}</td>" for x in (values.min(), values.max(), values[-1]))
        + "</tr>"
        for name, values in list(run.signals.items())[:_ROWS]
        if len(values)
    ]
    more = len(run.signals) - len(rows)
    rest = f"<tr><td>… {more} more</td></tr>" if more > 0 else ""
    titles = "".join(f"<th>{word}</th>" for word in ("signal", "unit", "min", "max", "final"))
    return f"<table><tr>{titles}</tr>{''.join(rows)}{rest}</table>"
