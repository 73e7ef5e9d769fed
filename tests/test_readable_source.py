"""The source stays readable for strangers: names in the field's words (docs/glossary.md), whole
classes, no circles of imports."""

from __future__ import annotations

import ast
import re

from tests.source_graph import circles, import_graph, lone_bases, modules
from tests.test_rooms import without_the_lazy_calls

RETIRED = re.compile(
    r"(^|_)(told|tied|untied|touching|taking|kept|given|laid_out|tale|leg|legs|course|slopes?|sloped"
    r"|further|here|company|door|blame|promise|one_by_one|one_at_a_time|on_card|looks|served|life"
    r"|ending|books|remarks|mended|unexplained|fleet|limbs|pushes|robot_files|battery|desk)(_|$)"
)
WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+")

# A retired word that is the field's own there.
ALLOWED = {
    "touchback.devices.evdev.force_wheel.ForceWheel.pushes": "whether a wheel pushes back",
    "touchback.vehicle.manoeuvres.manoeuvre.Manoeuvre.slope": "the slope of a road",
    "touchback.vehicle.manoeuvres.road_manoeuvres.ParkingOnSlope": "the slope of a road",
    "touchback.vehicle.manoeuvres.road_manoeuvres.ParkingOnSlope.slope": "the slope of a road",
}
# A base of one class of the package that is more than a piece of it.
ALLOWED_BASES = {
    "Mechanics": "a protocol: what laws may ask; `Forces` may also push",
    "Operand": "arithmetic for other scalars too, such as tests/dual_numbers.py",
    "X86_64": "a target of its own, made from the table of targets; X86_64V4 has wider registers",
}


def names_of(name: str, tree: ast.Module) -> list[str]:
    """The module, its classes, and its public functions, each with the module's name before it."""
    found = [name]
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            found.append(f"{name}.{node.name}")
            found += [
                f"{name}.{node.name}.{item.name}"
                for item in node.body
                if isinstance(item, ast.FunctionDef) and not item.name.startswith("_")
            ]
        elif isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            found.append(f"{name}.{node.name}")
    return found


def has_retired_word(name: str) -> bool:
    last = name.rpartition(".")[2]
    words = last if last.islower() else "_".join(WORDS.findall(last)).lower()
    return bool(RETIRED.search(words))


def test_no_file_class_or_public_function_is_named_by_a_retired_word() -> None:
    found = {
        name
        for module, tree in modules().items()
        for name in names_of(module, tree)
        if has_retired_word(name)
    }
    assert sorted(found ^ ALLOWED.keys()) == []


def test_no_class_is_cut_in_pieces_by_inheritance() -> None:
    assert sorted(lone_bases() ^ ALLOWED_BASES.keys()) == []


def test_no_more_than_three_modules_import_each_other() -> None:
    large = [circle for circle in circles(import_graph(without_the_lazy_calls)) if len(circle) > 3]
    assert large == []


def test_circles_and_retired_words_are_seen() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": {"e"}, "e": {"d"}, "f": {"a"}}
    assert circles(graph) == [["a", "b", "c"], ["d", "e"]]
    assert [has_retired_word(f"m.{name}") for name in ("TiedBatch", "tied_batch", "untidy")] == [
        True,
        True,
        False,
    ]
