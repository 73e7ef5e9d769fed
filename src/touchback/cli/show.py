"""`touchback show`: what a mechanism is, and what its equations cost."""

from pathlib import Path
from typing import Annotated

import numpy as np
import typer
from rich.table import Table

from touchback.cli.console import out, working
from touchback.cli.load import load
from touchback.cli.options import output
from touchback.draw.braille import Canvas
from touchback.draw.object_graph import object_graph_svg
from touchback.draw.state_graph import state_graph_svg
from touchback.draw.stick import Floats, stick_figure
from touchback.draw.stick_svg import figure_svg
from touchback.draw.stick_text import draw, view_for
from touchback.dynamics.stops import default_stops
from touchback.model.flatten import flatten
from touchback.model.show import tree_text
from touchback.regular_file import write_whole
from touchback.symbolic.count import depth
from touchback.system import System

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
        costs = {name: (each.counts, depth(each.second)) for name, each in functions.items()}
    start = experiment.start(system)
    figure = stick_figure(system.model, start.q)
    out.print(tree_text(described, default_stops(system.model)))
    if figure.lines:
        canvas = Canvas(48, 14)
        out.print("\n" + draw(figure, 0, view_for(figure, canvas), canvas) + "\n")
    out.print(_names(system, start.x))
    table = Table("function", "flops", "operations", "steps", "a step", box=None, pad_edge=False)
    for name, (count, deep) in costs.items():
        columns = count.flops, count.operations, deep.steps, f"{deep.gain:.1f}"
        table.add_row(name, *map(str, columns))
    out.print("\n", table, sep="")
    frames = "chosen" if system.plan.frame_pass else "described"
    out.print(f"\nforward dynamics by: {system.plan.algorithm}, {frames} link frames")
    if svg_file is not None:
        write_whole(svg_file, figure_svg(figure, system.name))
        out.print(f"stick figure: {svg_file}")
    if svg_file is not None and flatten(described).modes:
        graph = svg_file.with_stem(f"{svg_file.stem}-modes")
        write_whole(graph, state_graph_svg(described))
        out.print(f"state graph: {graph}")
    if graph_file is not None:
        write_whole(graph_file, object_graph_svg(described))
        out.print(f"objects and ports: {graph_file}")


def _names(system: System, x: Floats) -> Table:
    table = Table("signal", "name", "unit", "start", box=None, pad_edge=False)
    kinds = np.repeat(["position", "velocity", "state"], system.sizes)
    for kind, name, unit, value in zip(kinds, system.state_names, system.state_units, x):
        table.add_row(str(kind), name, unit, f"{value:g}")
    for name, unit in zip(system.output_names, system.output_units):
        table.add_row("sensor", name, unit, "")
    return table
