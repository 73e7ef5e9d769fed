"""The house keeps its order: a room imports only the rooms above it (DESIGN.md)."""

import ast
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import pytest

import touchback

ROOMS = (
    "native", "symbolic", "spatial", "model", "contact", "dynamics", "files", "draw",
    "codegen", "system", "recording", "simulate", "analysis", "estimate", "realtime", "devices",
    "haptics", "instruments", "interop", "vehicle", "batch", "sweeps", "planning", "gallery",
    "workbench", "cli",
)  # fmt: skip
FREE_FOR_ALL = {
    "arguments", "errors", "figures", "names", "numbers", "plain_data", "progress", "regular_file",
    "unit_spellings", "units", "version",
}  # fmt: skip
CORE = {*ROOMS[: ROOMS.index("analysis")], "realtime"} - {"draw"}
"""Rooms that import names from where they are; all others take public names as users do."""
SOURCE = Path(touchback.__path__[0])
FILES = sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE)
LAZY_CALLS = {  # of what everybody holds: what computes with it, and what shows it
    "Model": {"compile", "save", "__repr__", "_repr_html_"},
    "System": {"view", "batch"},
    "Live": {"view", "open_control"},  # a port holds a command server, and that the run
}
LAZY_TYPES = {"Batch", "Port", "System", "Workbench"}  # what those return


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_rooms(tree: ast.AST, package: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    """The rooms that a module imports, wherever in it, with the line of each import."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            targets = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = list(package[: len(package) - node.level + 1]) if node.level else []
            base += (node.module or "").split(".") if node.module else []
            targets = [base] if len(base) > 1 else [[*base, alias.name] for alias in node.names]
        else:
            continue
        for target in targets:
            if target[0] == "touchback":
                yield (target[1] if len(target) > 1 else ""), node.lineno


def home_of(name: str) -> str:
    """The room that a name of the public face comes from."""
    module, _ = touchback._PUBLIC.get(name, ("", ""))
    return ".".join(module.split(".")[1:2])


def without_the_lazy_calls(tree: ast.Module) -> ast.Module:
    """The module without the methods that may import what is upstairs, and without the imports of
    the types that they return."""
    tree = deepcopy(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name in LAZY_CALLS:
            calls = LAZY_CALLS[node.name]
            node.body = [
                item
                for item in node.body
                if not (isinstance(item, ast.FunctionDef) and item.name in calls)
            ]
            for block in tree.body:
                if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING":
                    block.body = [item for item in block.body if not is_lazy_type(item)]
    return tree


def is_lazy_type(item: ast.stmt) -> bool:
    return isinstance(item, ast.ImportFrom) and {each.name for each in item.names} <= LAZY_TYPES


def forbidden_imports(path: Path, text: str) -> list[str]:
    room = room_of(path)
    tree = without_the_lazy_calls(ast.parse(text))
    allowed = {*ROOMS[: ROOMS.index(room) + 1], *FREE_FOR_ALL}
    if room not in CORE:
        allowed |= {name for name in touchback._PUBLIC if home_of(name) in allowed}
    package = ("touchback", *path.relative_to(SOURCE).parts[:-1])
    return [
        f"{path.relative_to(SOURCE)}:{line} imports {found or 'the public face'}"
        for found, line in imported_rooms(tree, package)
        if found not in allowed
    ]


def test_every_folder_is_a_room_of_the_list() -> None:
    folders = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    assert folders <= set(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_imports_only_rooms_above_it(room: str) -> None:
    files = [path for path in FILES if room_of(path) == room]
    assert [found for path in files for found in forbidden_imports(path, path.read_text())] == []


@pytest.mark.parametrize(
    ("file", "text", "complaint"),
    [
        ("model/body.py", "from touchback.dynamics import rnea", "imports dynamics"),
        ("model/body.py", "def f():\n    import touchback.system", "imports system"),
        ("model/body.py", "from touchback import cli", "imports cli"),
        ("model/body.py", "import touchback", "imports the public face"),
        ("model/body.py", "from ..codegen import c", "imports codegen"),
        (
            "model/body.py",
            "if TYPE_CHECKING:\n    from touchback.system import S",
            "imports system",
        ),
    ],
)
def test_an_import_down_the_stairs_is_seen(file: str, text: str, complaint: str) -> None:
    assert [complaint in found for found in forbidden_imports(SOURCE / file, text)] == [True]


def test_rooms_outside_the_core_take_public_names_of_rooms_above_from_the_face() -> None:
    text = "from touchback import Model, live"
    assert forbidden_imports(SOURCE / "vehicle/car.py", text) == []
    assert forbidden_imports(SOURCE / "simulate/run.py", text) == [
        "simulate/run.py:1 imports Model",
        "simulate/run.py:1 imports live",
    ]
    assert forbidden_imports(SOURCE / "estimate/kalman.py", text) == [
        "estimate/kalman.py:1 imports live"
    ]


def test_imports_up_the_stairs_and_the_lazy_calls_are_allowed() -> None:
    text = """
from touchback.errors import ModelError
from touchback.spatial import vector
from . import joints
class Model:
    def compile(self):
        from touchback.system import System
"""
    assert forbidden_imports(SOURCE / "model/model.py", text) == []
