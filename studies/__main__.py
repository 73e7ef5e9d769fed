"""`python -m studies piano | piano-models | benches | presses | measured | riding | driving |
baja | wall | displays`: what others published, and limits of ours."""

import typer

from studies.baja.command import baja
from studies.benches.command import benches
from studies.displays.command import displays
from studies.driving.command import driving
from studies.keyboard.command import presses
from studies.keyboard.measured_command import measured
from studies.piano.command import piano
from studies.piano.models_command import piano_models
from studies.riding.command import riding
from studies.wall.command import wall
from touchback.cli.command_table import main

app = typer.Typer(
    help="Studies that reproduce published figures.", no_args_is_help=True,
    pretty_exceptions_enable=False, add_completion=False, rich_markup_mode="markdown",
)  # fmt: skip
for command in (
    piano, piano_models, benches, presses, measured, riding, driving, baja, wall, displays,
):  # fmt: skip
    app.command()(command)

if __name__ == "__main__":
    main(app)
