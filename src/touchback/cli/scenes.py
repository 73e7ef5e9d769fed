"""`touchback play mechanisms`: from a description to moving mechanisms, in under a minute."""

import time
from pathlib import Path

import numpy as np
from rich.table import Table
from rich.text import Text

from touchback import gallery
from touchback.cli.bench import seconds_per_call
from touchback.cli.console import out
from touchback.cli.film import film
from touchback.draw.stick import stick_figure
from touchback.draw.stick_svg import figure_svg
from touchback.recording import Run
from touchback.regular_file import write_whole
from touchback.system import System

# Name in the gallery, what to watch for, the sensor that leaves a trail.
_SCENES = (
    ("double-pendulum", "Two rods, and no telling where they will be.", "tip"),
    ("gyroscope", "A racket spun about its middle axis turns over, again and again.", None),
    ("hanging-chain", "Twelve rods let go from the horizontal.", "end"),
)


def show_scenes(seconds: float, picture: Path | None) -> None:
    """See mechanisms derived, compiled and moving, each for some seconds; draw the first as
    a picture, where one is asked for."""
    table = Table("mechanism", box=None, pad_edge=False)
    for title in (
        "freedoms",
        "flops",
        "derive [ms]",
        "a call [µs]",
        "× real time",
        "energy drift [J]",
    ):
        table.add_column(title, justify="right")
    for name, caption, trace in _SCENES:
        system, run, row = _scene(name)
        out.rule(Text(name, "bold"))
        out.print(
            f"{caption} Its equations: {row[1]} flops, derived and turned into machine code "
            f"in {row[2]} ms; a call takes {row[3]} µs.\n"
        )
        film(system, run, min(seconds, run.duration), trace)
        table.add_row(name, *row)
        if name == "double-pendulum":
            first = system, run
    out.rule(Text("what you saw", "bold"))
    out.print(table)
    out.print()
    if picture is not None:
        _draw(*first, picture)
        out.print(f"picture: {picture}")
    out.print("next: `touchback list`, `touchback show cart-pole`")


def _scene(name: str) -> tuple[System, Run, list[str]]:
    """The compiled mechanism, its experiment's run, and figures of both."""
    entry = gallery.entry(name)
    described = entry.make()
    began = time.perf_counter()
    system = described.compile()
    system.problem()  # derives and emits
    spent = time.perf_counter() - began
    run = entry.experiment.run(system)
    return system, run, [
        str(system.sizes[1]),
        str(system.counts("rate").flops),
        f"{1e3 * spent:.1f}",
        f"{1e6 * seconds_per_call(system, 'rate'):.2f}",
        f"{run.duration / run.metadata['statistics']['seconds']:,.0f}",
        f"{np.ptp(run['energy']):.0e}",
    ]  # fmt: skip


def _draw(system: System, run: Run, path: Path) -> None:
    """The mechanism at the end of the trail of its tip, as SVG."""
    q = np.stack([run[name] for name in system.coordinates], axis=1)
    trail = np.stack([run[f"tip.{axis}"] for axis in "xyz"], axis=1)
    shown = len(run) // 2
    figure = stick_figure(system.model, q)
    text = figure_svg(figure, system.name, shown, trail[: shown + 1])
    write_whole(path, text)
