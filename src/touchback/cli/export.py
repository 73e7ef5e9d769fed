"""`touchback export`: a recording as a table, a picture or a film."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from touchback.cli.console import err, out, working
from touchback.recording.export import ENDINGS
from touchback.recording.export import export as write


def export(
    recording: Annotated[Path, typer.Argument(help="A recording, or a run that was saved.")],
    files: Annotated[list[Path], typer.Argument(help=f"What to write: {', '.join(ENDINGS)}.")],
    ros2: Annotated[
        bool,
        typer.Option("--ros2", help="An .mcap with messages of ROS 2, and a layout for Foxglove."),
    ] = False,
) -> None:
    """Write a recording as tables (.csv, .npz, .parquet), a picture (.png) or films (.html, .mp4,
    .gif, .svg): the endings choose."""
    for file in files:
        with working(f"writing {file.name}"):
            remarks = write(recording, file, ros2)
        out.print(f"{escape(str(file))}: {file.stat().st_size} bytes", soft_wrap=True)
        for remark in remarks:
            err.print(f"Note: {remark}.", soft_wrap=True)
