"""A system's functions as text: listings and source code, with what the arrays hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from touchback.codegen import print_c, print_matlab, print_python
from touchback.errors import InputError
from touchback.names import suggestion
from touchback.symbolic import Place, Program, listing
from touchback.system.compiled_function import Function
from touchback.system.signal_layout import Layout

PRINTERS = {"c": print_c, "python": print_python, "matlab": print_matlab}
_ARGUMENTS = {"inverse dynamics": "acceleration", "forward dynamics": "effort"}


def argument_names(layout: Layout, what: str, function: Function) -> dict[Place, str]:
    """What a function, asked for as `what`, reads from x and u, by name."""
    names: dict[Place, str] = {("x", i): name for i, name in enumerate(layout.state_names)}
    arguments = ["time", *layout.inputs]
    kind = _ARGUMENTS.get(what, "argument")
    arguments += [f"{kind} of {name}" for name in layout.v]
    size = function.second.size("u")
    return names | {("u", i): name for i, name in enumerate(arguments[:size])}


def listing_of(layout: Layout, what: str, function: Function, limit: int | None) -> str:
    """A readable listing; names that aren't words stand in quotes."""
    names = {
        place: name if name.isidentifier() else f"'{name}'"
        for place, name in argument_names(layout, what, function).items()
    }
    return listing(function.second, names, limit)


def printer_of(language: str) -> Callable[[Program, str, str], str]:
    """What prints a program in a language, by name, with comments."""
    if language not in PRINTERS:
        raise InputError(f"Language: {suggestion(language, PRINTERS)}")
    return PRINTERS[language]


def stage_source(language: str, system: str, function: Function, parameters: Sequence[str]) -> str:
    """Source text of the stage that turns live parameters into a function's array p."""
    rows = [f"x[{i}]: {known}" for i, known in enumerate(parameters)]
    comments = "\n".join([f"{system}: the array p of {function.name}", *rows])
    name = function.name.replace(" ", "_")
    return printer_of(language)(function.first, f"{name}_parameters", comments)


def function_source(
    language: str, system: str, layout: Layout, function: Function, parameters: np.ndarray,
    constrained: bool,
) -> str:  # fmt: skip
    """Source text of a function, for the present values of the parameters; `constrained`: whether
    constraints act besides."""
    places = argument_names(layout, function.name, function)
    rows = [f"{array}[{index}]: {known}" for (array, index), known in places.items()]
    if function.first.outputs:
        block = function.block_for(parameters)
        rows += [f"p[{i}]: {value!r} by default" for i, value in enumerate(map(float, block))]
    if function.name in _ARGUMENTS and constrained:
        rows.insert(0, "of the tree alone: constraints and their friction are in 'terms'")
    comments = "\n".join([f"{system}: {function.name}", *rows])
    return printer_of(language)(function.second, function.name.replace(" ", "_"), comments)
