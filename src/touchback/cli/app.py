"""The command, and its exit codes: 0 fine, 1 the model or the run is at fault, 2 wrong use."""

import sys
import warnings
from typing import Annotated

import typer
from rich.text import Text

from touchback.cli.commands import Commands
from touchback.cli.console import err, prepare
from touchback.errors import InputError, TouchbackError
from touchback.version import VERSION

app = typer.Typer(
    cls=Commands,
    help="Mechanisms as equations, equations as machine code, machine code that people can touch.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="markdown",
)


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


def main(command: typer.Typer = app) -> None:
    """Runs the command; our errors and warnings are messages, without lines of our sources."""
    prepare(sys.stdout, sys.stderr)
    as_before, warnings.formatwarning = warnings.formatwarning, _warning
    try:
        command()
    except InputError as error:
        _tell(error)
        sys.exit(2)
    except (TouchbackError, OSError) as error:
        _tell(error)
        sys.exit(1)
    finally:
        warnings.formatwarning = as_before


def _warning(message: Warning | str, *_: object, **__: object) -> str:
    return f"warning: {message}\n"


def _tell(error: Exception) -> None:
    err.print(Text.assemble(("error:", "red"), " ", str(error)), soft_wrap=True)
