"""`touchback generate`: a function of a mechanism as source text."""

from pathlib import Path
from typing import Annotated

import typer

from touchback.cli.console import err, working
from touchback.cli.load import load
from touchback.cli.options import output as written
from touchback.errors import InputError
from touchback.model.names import suggestion
from touchback.regular_file import write_whole
from touchback.system.texts import PRINTERS


def generate(
    model: Annotated[str, typer.Argument(help="A name of the gallery, or a file.")],
    function: Annotated[
        str, typer.Option(help='"rate", "inverse dynamics", "mass matrix", "bias", …')
    ] = "forward dynamics",
    language: Annotated[str, typer.Option(help="c, python or matlab.")] = "c",
    parameters: Annotated[
        bool,
        typer.Option(
            "--parameters", help="Print the stage that turns live parameters into the array p."
        ),
    ] = False,
    output: Annotated[
        Path | None, written("Write to this file, not to stdout.", flags=("--output", "-o"))
    ] = None,
) -> None:
    """Print a function of a mechanism as C, Python or MATLAB."""
    if language not in PRINTERS:
        raise InputError(f"--language: {suggestion(language, PRINTERS)}")
    described, _ = load(model)
    with working(f"deriving {described.name}"):
        text = described.compile().generate(function, language, parameters)
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_whole(output, text)
        err.print(f"{len(text.splitlines())} lines in {output}")
