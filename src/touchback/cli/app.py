"""The command, and its exit codes: 0 fine, 1 the model or the run is at fault, 2 wrong use."""

import sys
from typing import Annotated

import typer
from rich.text import Text

from touchback.cli.bench import bench
from touchback.cli.check import check
from touchback.cli.console import err, prepare
from touchback.cli.feel import feel
from touchback.cli.generate import generate
from touchback.cli.listing import list_gallery
from touchback.cli.live import live, replay
from touchback.cli.machine import machine
from touchback.cli.piano import piano
from touchback.cli.piano_models import piano_models
from touchback.cli.play import play
from touchback.cli.quality import quality
from touchback.cli.repair import repair
from touchback.cli.show import show
from touchback.cli.simulation import simulate
from touchback.cli.trial import trial
from touchback.cli.validate import validate
from touchback.cli.wall import wall
from touchback.errors import InputError, TouchbackError
from touchback.version import VERSION

app = typer.Typer(
    help="Mechanisms as equations, equations as machine code, machine code that people can touch.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="markdown",
)
app.command("play")(play)
app.command("list")(list_gallery)
app.command("show")(show)
app.command("simulate")(simulate)
app.command("live")(live)
app.command("replay")(replay)
app.command("repair")(repair)
app.command("machine")(machine)
app.command("feel")(feel)
app.command("quality")(quality)
app.command("check")(check)
app.command("generate")(generate)
app.command("bench")(bench)
app.command("validate")(validate)
app.command("wall")(wall)
app.command("trial")(trial)
app.command("piano")(piano)
app.command("piano-models")(piano_models)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"touchback {VERSION}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Mechanisms as equations, equations as machine code, machine code that people can touch."""


def main() -> None:
    """Runs the command; our errors are messages, not tracebacks."""
    prepare(sys.stdout, sys.stderr)
    try:
        app()
    except InputError as error:
        _tell(error)
        sys.exit(2)
    except (TouchbackError, OSError) as error:
        _tell(error)
        sys.exit(1)


def _tell(error: Exception) -> None:
    err.print(Text.assemble(("error:", "red"), " ", str(error)), soft_wrap=True)
