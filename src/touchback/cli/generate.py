"""`touchback generate`: a function of a mechanism as source text."""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from touchback.cli.console import err, working
from touchback.cli.load import load
from touchback.errors import InputError
from touchback.model.names import suggestion
from touchback.system import System
from touchback.system.system import PRINTERS

_ARGUMENTS = {"inverse dynamics": "acceleration", "forward dynamics": "effort"}


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
        Path | None, typer.Option("--output", "-o", help="Write to this file, not to stdout.")
    ] = None,
) -> None:
    """Print a function of a mechanism as C, Python or MATLAB."""
    if language not in PRINTERS:
        raise InputError(f"--language: {suggestion(language, PRINTERS)}")
    described, _ = load(model)
    with working(f"deriving {described.name}"):
        system = described.compile()
        derived = system.function(function)
        program = derived.first if parameters else derived.second
        name = derived.name.replace(" ", "_") + ("_parameters" if parameters else "")
        text = PRINTERS[language](program, name, _comments(system, derived.name, parameters))
    if output is None:
        typer.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")
        err.print(f"{len(text.splitlines())} lines in {output}", markup=False)


def _comments(system: System, function: str, parameters: bool) -> str:
    """What the arrays hold, so that the text can be used without Touchback."""
    if parameters:
        rows = [f"x[{i}]: {name}" for i, name in enumerate(system.parameters)]
        return "\n".join([f"{system.name}: the array p of {function}", *rows])
    derived = system.function(function)
    inputs = ["time", *system.input_names]
    if derived.second.size("u") > len(inputs):  # joint efforts or accelerations follow the inputs
        what = _ARGUMENTS.get(function, "argument")
        inputs += [f"{what} of {name}" for name in system.velocities]
    rows = [f"x[{i}]: {name}" for i, name in enumerate(system.state_names)]
    rows += [f"u[{i}]: {name}" for i, name in enumerate(inputs)]
    block = derived.block_for(np.array(list(system.parameters.values())))
    rows += [f"p[{i}]: {value!r} by default" for i, value in enumerate(map(float, block))]
    return "\n".join([f"{system.name}: {function}", *rows])
