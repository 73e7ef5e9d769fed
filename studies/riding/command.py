"""`python -m studies riding`: a board's transfers, speeds from an encoder, models among runs."""

from pathlib import Path
from typing import Annotated

import typer

from studies.piano.command import tell
from touchback.cli.option_types import number

PARTS = ("transfers", "speeds", "newton", "along", "validity")


def riding(
    parts: Annotated[
        list[str] | None, typer.Argument(help=f"Only these: {', '.join(PARTS)}.")
    ] = None,
    seconds: Annotated[float, typer.Option(help="How long each of five manoeuvres is.")] = 50.0,
    load: Annotated[int, number("Busy processes in the last two of them.", 0)] = 2,
    pictures: Annotated[
        Path | None, typer.Option(help="Instead, write the plots into this folder.")
    ] = None,
) -> None:
    """Repeat Gallo's tests (2012, chapter 4): a simulated board in a process of its own.

    *transfers* takes as long as five manoeuvres; *speeds*: differentiators on an encoder's steps;
    *newton*: what they cost an integrator at 5 ms; *along*: the buggy behind a board, with the view
    open; *validity*: where a model could be one more run
    of repeated manoeuvres.
    """
    if pictures is not None:
        from studies.riding.pictures import write

        write(pictures, seconds)
        return
    from studies.riding import report

    reports = {
        "transfers": lambda: report.transfers(seconds, load),
        "speeds": report.speeds,
        "newton": report.newton,
        "along": lambda: report.along(seconds),
        "validity": report.validity,
    }
    tell(reports, parts or list(PARTS))
