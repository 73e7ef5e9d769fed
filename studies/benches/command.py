"""`python -m studies benches`: Docquier's and Gillespie's benches, as tables and plots."""

from pathlib import Path
from typing import Annotated

import typer

from studies.piano.command import tell
from touchback.cli.console import out, working

EXPERIMENTS = (
    "sensors", "force", "actuators", "prototype", "gillespie", "own", "couplers", "lengths",
    "assignments", "machine",
)  # fmt: skip


def benches(
    experiments: Annotated[
        list[str] | None, typer.Argument(help=f"Only these: {', '.join(EXPERIMENTS)}.")
    ] = None,
    pictures: Annotated[
        Path | None, typer.Option(help="Write the plots into this folder too.")
    ] = None,
) -> None:
    """Repeat the benches of Docquier (2021) and Gillespie (1996), beside what the papers state."""
    from studies.benches.report import REPORTS

    tell(REPORTS, experiments or list(EXPERIMENTS))
    if pictures is None:
        return
    from studies.benches.pictures import PICTURES, write

    pictures.mkdir(parents=True, exist_ok=True)
    for name in PICTURES:
        with working(f"{name} …"):
            write(name, pictures)
        out.print(f"{pictures / name}.png")
