"""`touchback generate MODEL FILE.mo --to modelica`: a package of bodies and constraints as objects
with kinematic and wrench ports, as Kosenko 2015, §2, has them."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from pathlib import Path

from touchback import Model
from touchback.interop.exported_mechanism import ExportNotice
from touchback.interop.languages.model_programs import HEAD, refuse_features
from touchback.interop.modelica.modelica_components import (
    add_bodies,
    add_closures,
    add_forces,
    add_joints,
)
from touchback.interop.modelica.modelica_equations import add_relations
from touchback.interop.modelica.modelica_text import Names, number, one_line, quoted
from touchback.interop.modelica.package_sheet import Sheet
from touchback.numbers import LEAST, number_within
from touchback.regular_file import check_output, write_whole
from touchback.simulate.features import COPIES, MEMORIES, RIGID, RUBBING

_PARTS = ("bodies", "joints", "closures", "tables", "impacts")
_FASTEST = 1e6  # [1/s]


def write(model: Model, where: Path, alpha: float = 20.0) -> list[Path]:
    """Writes a package whose `Mechanism` is the model. Constraints are kept by their second rates;
    what drifts comes back within some 1/`alpha` seconds."""
    check_output(where, (".mo",), "modelica")
    write_whole(where, package_text(model, alpha))
    return [where]


def package_text(model: Model, alpha: float = 20.0) -> str:
    """Its text; what it can't say of the model is listed on top, and warned of."""
    alpha = number_within("modelica: alpha is in 1/s", alpha, LEAST, _FASTEST)
    system = model.compile()
    refuse_features("text of Modelica", system, (RIGID, MEMORIES, COPIES, RUBBING))
    library = {name: (Path(__file__).parent / f"{name}.mo").read_text() for name in _PARTS}
    known = re.findall(r"^  (?:partial )?(?:model|connector|function) (\w+)",
                       "".join(library.values()), re.MULTILINE)  # fmt: skip
    sheet = Sheet(system, [*known, "Mechanism"])
    add_joints(sheet)
    add_closures(sheet)
    add_forces(sheet)
    add_bodies(sheet)
    left_out = add_relations(sheet)
    left_out += [f"row '{row}', which adds nothing to the others" for row in sheet.redundant]
    if left_out:
        said = "\n  ".join([f"Modelica doesn't say of '{system.name}':", *left_out])
        warnings.warn(said, ExportNotice, stacklevel=3)
    used = "\n".join([*sheet.lines.classes, *sheet.lines.equations])
    for word, part in (("lookup", "tables"), ("struck(", "impacts")):
        if word not in used:
            del library[part]
    head = [f"  // Not here: {one_line(each)}" for each in left_out]
    name = Names(known).fresh(system.name)
    return "\n".join(_package(sheet, name, alpha, [*head, "", *library.values()]))


def _package(sheet: Sheet, name: str, alpha: float, library: list[str]) -> Iterator[str]:
    layout, lines = sheet.system.layout, sheet.lines
    yield f'package {name} "{quoted(sheet.system.name)}"'
    yield f"  // {HEAD}."
    yield from library
    yield from (f"{text}\n" for text in lines.classes)
    yield f'  model Mechanism "{quoted(sheet.system.name)}"'
    yield f'    parameter Real alpha(unit = "1/s") = {number(alpha)} "how fast drift comes back";'
    for given, each in zip(sheet.parameters.values(), layout.ranges, strict=True):
        yield f"    parameter Real {given} = {number(each.default)}{_unit(each.unit)};"
    inputs = dict(zip(layout.inputs, zip(layout.input_defaults, layout.input_units)))
    for full, given in sheet.inputs.items():
        default, unit = inputs[full]
        yield f"    input Real {given}(start = {number(default)}){_unit(unit)};"
    yield from (f"    {line}" for line in lines.declarations)
    yield "  equation"
    yield from (f"    {line}" for line in lines.equations)
    yield "  end Mechanism;"
    yield f"end {name};\n"


def _unit(unit: str) -> str:
    return f' "[{quoted(unit)}]"' if unit else ""
