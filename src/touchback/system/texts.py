"""A system's functions as text: listings and source code, with what the arrays hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from touchback.codegen.printers import print_c, print_matlab, print_python
from touchback.errors import InputError
from touchback.model.names import suggestion
from touchback.symbolic.listing import listing
from touchback.symbolic.program import Place

if TYPE_CHECKING:
    from touchback.system.system import System

PRINTERS = {"c": print_c, "python": print_python, "matlab": print_matlab}
_ARGUMENTS = {"inverse dynamics": "acceleration", "forward dynamics": "effort"}


def input_names(system: System, function: str) -> dict[Place, str]:
    """What a function reads from x and u, by name."""
    names: dict[Place, str] = {("x", i): name for i, name in enumerate(system.state_names)}
    arguments = ["time", *system.input_names]
    what = _ARGUMENTS.get(function, "argument")
    arguments += [f"{what} of {name}" for name in system.velocities]
    size = system.function(function).second.size("u")
    return names | {("u", i): name for i, name in enumerate(arguments[:size])}


def listing_of(system: System, function: str, limit: int | None) -> str:
    """A readable listing; names that aren't words stand in quotes."""
    names = {
        place: name if name.isidentifier() else f"'{name}'"
        for place, name in input_names(system, function).items()
    }
    return listing(system.function(function).second, names, limit)


def source_of(system: System, function: str, language: str, parameters: bool) -> str:
    """Source text of a function, or of the stage that turns live parameters into its array p."""
    if language not in PRINTERS:
        raise InputError(f"Language: {suggestion(language, PRINTERS)}")
    derived = system.function(function)
    name = derived.name.replace(" ", "_")
    if parameters:
        rows = [f"x[{i}]: {known}" for i, known in enumerate(system.parameters)]
        comments = "\n".join([f"{system.name}: the array p of {derived.name}", *rows])
        return PRINTERS[language](derived.first, f"{name}_parameters", comments)
    places = input_names(system, derived.name)
    rows = [f"{array}[{index}]: {known}" for (array, index), known in places.items()]
    if derived.first.outputs:
        block = derived.block_for(np.array(list(system.parameters.values())))
        rows += [f"p[{i}]: {value!r} by default" for i, value in enumerate(map(float, block))]
    if derived.name in _ARGUMENTS and system.constraint_names:
        rows.insert(0, "of the tree alone: constraints and their friction are in 'terms'")
    comments = "\n".join([f"{system.name}: {derived.name}", *rows])
    return PRINTERS[language](derived.second, name, comments)
