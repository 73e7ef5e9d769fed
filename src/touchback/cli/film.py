"""A run as a moving stick figure in the terminal, or as a few stills where there is none."""

import time
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from rich.live import Live
from rich.panel import Panel
from rich.text import Text

from touchback.cli.console import out
from touchback.draw.braille import Canvas
from touchback.draw.stick import stick_figure
from touchback.draw.stick_text import draw, view_for
from touchback.recording import Run
from touchback.system import System

_RATE = 25  # pictures a second
_STILLS = 3
_TRAIL = 1.2  # seconds


def film(system: System, run: Run, seconds: float, trace: str | None = None) -> None:
    """Shows the run for some seconds of its own time; `trace` is a position sensor that leaves a
    trail."""
    q = np.stack([run[name] for name in system.coordinates], axis=1)
    figure = stick_figure(system.model, q)
    columns = min(out.width - 4, 76)
    rows = 22 if out.is_terminal else 12
    view = view_for(figure, Canvas(columns, rows))
    points = _points(run, trace)

    def picture(t: float) -> Panel:
        i = min(int(np.searchsorted(run.time, t)), len(run) - 1)
        first = int(np.searchsorted(run.time, t - _TRAIL))
        trail = None if points is None else points[first : i + 1]
        text = draw(figure, i, view, Canvas(columns, rows), trail)
        title = f"{system.name}, t = {run.time[i]:.2f} s"
        return Panel(Text(text, style="cyan"), title=title, width=columns + 4)

    if out.is_terminal:
        _play(picture, seconds)
    else:
        for still in range(_STILLS):
            out.print(picture(seconds * still / (_STILLS - 1)))


def _points(run: Run, trace: str | None) -> NDArray[np.float64] | None:
    if trace is None:
        return None
    return np.stack([run[f"{trace}.{axis}"] for axis in "xyz"], axis=1)


def _play(picture: Callable[[float], Panel], seconds: float) -> None:
    began = time.monotonic()
    with Live(picture(0.0), console=out, refresh_per_second=_RATE) as live:
        while (t := time.monotonic() - began) < seconds:
            live.update(picture(t), refresh=True)
            time.sleep(1.0 / _RATE)
        live.update(picture(seconds), refresh=True)
