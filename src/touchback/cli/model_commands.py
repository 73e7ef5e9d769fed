"""`touchback list`, `show`, `check` and `generate`: what is in the gallery, what a mechanism is,
whether a model file can work, and functions as source text."""

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.markup import escape
from rich.table import Table

import touchback as tb
from touchback.cli.console import err, out, working
from touchback.cli.model_argument import load
from touchback.cli.option_types import output, output as written
from touchback.draw import (
    Canvas,
    draw,
    figure_svg,
    object_graph_svg,
    state_graph_svg,
    stick_figure,
    view_for,
)
from touchback.errors import InputError, UnitNotice
from touchback.interop import TARGETS
from touchback.model import flatten
from touchback.model.model_text import tree_text
from touchback.names import suggestion
from touchback.safe_files import write_atomically
from touchback.system import PRINTERS, default_stops


def list_gallery() -> None:
    """List the ready mechanisms of the gallery."""
    table = Table(box=None, pad_edge=False)
    table.add_column("name", style="bold", no_wrap=True)
    table.add_column("what it is")
    for name in tb.gallery.names():
        table.add_row(name, tb.gallery.entry(name).about)
    out.print(table)
    out.print("\nTry `touchback show NAME` or `touchback simulate NAME`.")


_FUNCTIONS = ("inverse dynamics", "bias", "mass matrix", "forward dynamics")


def show(
    model: Annotated[str, typer.Argument(help="A name of the gallery, or a file.")],
    svg_file: Annotated[
        Path | None,
        output(
            "Also draw the stick figure into this file, and modes beside it.",
            ".svg",
            flags=("--svg",),
        ),
    ] = None,
    graph_file: Annotated[
        Path | None,
        output(
            "Draw bodies, constraints and forces as objects with twist and wrench ports into this "
            "file.",
            ".svg",
            flags=("--graph",),
        ),
    ] = None,
) -> None:
    """Show a mechanism: its tree, modes, a stick figure, names with units, and operation counts."""
    described, experiment = load(model)
    with working(f"deriving {described.name}"):
        system = described.compile()
        functions = {name: system.function(name) for name in _FUNCTIONS}
        costs = {name: (each.counts, each.depth) for name, each in functions.items()}
    start = experiment.start(system)
    figure = stick_figure(system.model, start.q)
    out.print(tree_text(described, default_stops(system.model)))
    if figure.lines:
        canvas = Canvas(48, 14)
        shown = draw(figure, 0, view_for(figure, canvas), canvas).splitlines()
        drawn = [i for i, line in enumerate(shown) if line.strip(_BLANK)]
        out.print("", *shown[drawn[0] : drawn[-1] + 1] if drawn else [], "", sep="\n")
    out.print(_names(system, start))
    table = Table("function", "flops", "operations", "steps", "a step", box=None, pad_edge=False)
    for name, (count, deep) in costs.items():
        columns = count.flops, count.operations, deep.steps, f"{deep.gain:.1f}"
        table.add_row(name, *map(str, columns))
    out.print("\n", table, sep="")
    frames = "chosen" if system.plan.frame_pass else "described"
    out.print(f"\nforward dynamics by: {system.plan.algorithm}, {frames} link frames")
    if svg_file is not None:
        write_atomically(svg_file, figure_svg(figure, system.name))
        out.print(f"stick figure: {svg_file}")
    if svg_file is not None and flatten(described).modes:
        graph = svg_file.with_stem(f"{svg_file.stem}-modes")
        write_atomically(graph, state_graph_svg(described))
        out.print(f"state graph: {graph}")
    if graph_file is not None:
        write_atomically(graph_file, object_graph_svg(described))
        out.print(f"objects and ports: {graph_file}")


_BLANK = " \u2800"  # spaces, also of Braille


def _names(system: tb.System, start: tb.State) -> Table:
    table = Table("signal", "name", "unit", "start", box=None, pad_edge=False)
    kinds = np.repeat(["position", "velocity", "state"], system.sizes)
    for kind, name, unit, value in zip(kinds, system.state_names, system.state_units, start.x):
        table.add_row(str(kind), name, unit, f"{value:g}")
    measured = _sensors(system, start)
    for name, unit in zip(system.output_names, system.output_units):
        table.add_row("sensor", name, unit, f"{measured[name]:g}" if name in measured else "")
    return table


def _sensors(system: tb.System, start: tb.State) -> dict[str, float]:
    """What sensors read at the start; nothing where they need what no state has."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read = system.sensors(start.q, start.v, z=start.z)
        except tb.TouchbackError:
            return {}
    return {name: float(read[name]) for name in system.output_names}


def check(
    model: Annotated[str, typer.Argument(help="A file, or a name of the gallery.")],
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with code 1 where there are warnings.")
    ] = False,
) -> None:
    """Read a model, check it, compile it, and evaluate it once. Exit code 1 if it can't work.

    A table shows freedoms, redundant constraints, singularities, ranges, masses, inertias, forces,
    drives, contacts and units; what is doubtful is a warning. `tb.check` gives the same in
    Python."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", UnitNotice)  # `tb.check` has them
        described, experiment = load(model)
    with working(f"deriving {described.name}"):
        found = tb.check(described, experiment.start, duration=experiment.duration)
    of_file = [tb.CheckWarning("file", "", text) for text in {str(w.message): w for w in caught}]
    found = replace(found, warnings=(*of_file, *found.warnings))
    out.print(found.verdict)
    table = Table(box=None, pad_edge=False, show_header=False)
    for row in found.table:
        table.add_row(*row)
    out.print(table)
    for warning in found.warnings:
        out.print(f"warning: {warning}", markup=False, highlight=False)
    if strict and not found.fine:
        raise typer.Exit(1)


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
        write_atomically(output, text)
        err.print(f"{len(text.splitlines())} lines in {output}")


def _write(model: str, to: str, where: Path | None, options: list[str]) -> None:
    if to not in TARGETS:
        raise InputError(f"--to: nothing is generated for {to!r}; {suggestion(to, TARGETS)}")
    if where is None:
        raise InputError(f"--to {to}: give the file or folder to write after MODEL.")
    given = dict(map(_option, options))
    described, _ = load(model)
    with working(f"writing {where}"):
        paths = tb.generate(described, to, where, **given)
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
