"""`touchback repair`: a recording that was cut short, for tools that need whole files."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from touchback.cli.console import out, working
from touchback.recording.repair import repair as finish


def repair(
    recording: Annotated[Path, typer.Argument(help="A recording whose run was killed.")],
    target: Annotated[
        Path | None,
        typer.Argument(help="Where to; RECORDING with -repaired unless given."),
    ] = None,
) -> None:
    """Write what a cut recording holds as a whole file, which Foxglove and other tools open.

    Touchback itself opens and replays the recording as it is."""
    into = target or recording.with_stem(f"{recording.stem}-repaired")
    with working(f"repairing {recording.name}"):
        messages = finish(recording, into)
    if messages is None:
        out.print(f"{escape(recording.name)} is whole: nothing to repair")
    else:
        out.print(f"{escape(str(into))}: {messages} messages, all up to the last whole chunk")
