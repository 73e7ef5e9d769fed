"""`touchback replay`: a recording again."""

from pathlib import Path
from typing import Annotated

import typer

from touchback.cli.console import out, working
from touchback.cli.load import load
from touchback.errors import SolveError
from touchback.realtime import replay as run_again

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
        again = run_again(recording, load(model)[0].compile() if model else None)
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
