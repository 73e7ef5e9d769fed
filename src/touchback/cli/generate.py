"""`touchback generate`: a function of a mechanism as source text, or a whole one as a project."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from touchback.cli.console import err, working
from touchback.cli.load import load
from touchback.cli.options import output as written
from touchback.errors import InputError
from touchback.interop.targets import TARGETS
from touchback.interop.targets import generate as write_target
from touchback.model.names import suggestion
from touchback.regular_file import write_whole
from touchback.system.function_text import PRINTERS

_FUNCTION, _LANGUAGE = "forward dynamics", "c"  # unless told


def generate(
    model: Annotated[str, typer.Argument(help="A name of the gallery, or a file.")],
    where: Annotated[
        Path | None, typer.Argument(help="With --to: the file or folder to write.")
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(help=f"Write all of it, as one of: {', '.join(TARGETS)}."),
    ] = None,
    options: Annotated[
        list[str] | None,
        typer.Option("--option", help='Of --to: "name=value", such as "step=1e-3".'),
    ] = None,
    function: Annotated[
        str, typer.Option(help='"rate", "inverse dynamics", "mass matrix", "bias", …')
    ] = _FUNCTION,
    language: Annotated[str, typer.Option(help="c, python or matlab.")] = _LANGUAGE,
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
    """Print a function of a mechanism as C, Python or MATLAB, or write all of it by --to."""
    if to is not None:
        if output is not None or parameters or (function, language) != (_FUNCTION, _LANGUAGE):
            raise InputError(
                "--function, --language, --parameters and --output are of a function; --to writes "
                "all of the model, to the path after MODEL."
            )
        _write(model, to, where, options or [])
        return
    if where is not None or options:
        raise InputError("A folder and options go with --to; a function is written by --output.")
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


def _write(model: str, to: str, where: Path | None, options: list[str]) -> None:
    if to not in TARGETS:
        raise InputError(f"--to: {suggestion(to, TARGETS)}")
    if where is None:
        raise InputError(f"--to {to}: give the file or folder to write after MODEL.")
    given = dict(map(_option, options))
    described, _ = load(model)
    with working(f"writing {where}"):
        paths = write_target(described, to, where, **given)
    size = sum(path.stat().st_size for path in paths)
    files = "1 file" if len(paths) == 1 else f"{len(paths)} files"
    err.print(f"{files}, {size} bytes: {escape(str(where))}", soft_wrap=True)


def _option(text: str) -> tuple[str, float | str]:
    """A name and a value: a number where it reads as one."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise InputError(f"--option: a name, '=' and a value are expected, got '{text}'.")
    try:
        return name.strip(), float(value)
    except ValueError:
        return name.strip(), value.strip()
