"""`touchback export`, `repair` and `replay`: recordings as tables, pictures and films, made whole,
or run again."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

import touchback as tb
from touchback.cli.console import err, out, working
from touchback.cli.model_argument import load
from touchback.errors import SolveError
from touchback.recording.recording_export import ENDINGS, export as write
from touchback.recording.repair_recording import repair as finish


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
            diagnostics = write(recording, file, ros2)
        out.print(f"{escape(str(file))}: {file.stat().st_size} bytes", soft_wrap=True)
        for remark in diagnostics:
            err.print(f"Note: {remark}.", soft_wrap=True)


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


_NAMED = 8  # columns that a line names


def replay(
    recording: Annotated[Path, typer.Argument(help="A file of `touchback live --record`.")],
    model: Annotated[
        str | None,
        typer.Option(help="A name of the gallery, or a file: for recordings without their model."),
    ] = None,
) -> None:
    """Run a recording again and compare it bit for bit."""
    with working(f"replaying {recording.name}"):
        again = tb.replay(recording, load(model)[0].compile() if model else None)
    about = again.recording.about
    if not again.ticks:
        raise SolveError(f"{recording.name}: the recording of '{about['model']}' holds no ticks.")
    out.print(
        f"{about['model']}: {again.ticks} ticks at {about['rate']:g} Hz, "
        f"{'finished' if again.recording.complete else 'cut short'}"
    )
    if again.first_difference is not None:
        raise SolveError(
            f"{recording.name}: the state differs from tick {again.first_difference} on; "
            "replay with the version and on the kind of machine that recorded it."
        )
    if not again.compared:
        out.print("there is nothing to compare")
        return
    names = ", ".join(again.compared[:_NAMED]) + (", …" if len(again.compared) > _NAMED else "")
    out.print(f"the same bits in all {len(again.compared)} states: {names}")
